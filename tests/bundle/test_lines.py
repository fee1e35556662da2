"""Lines of a stream: counted and hashed in one pass, none held that is too long."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.bundle import lines
from sessionrecord.bundle.lines import LineReader
from tests.bundle.samples import sha256

BOM = b"\xef\xbb\xbf"
streams = st.lists(
    st.one_of(st.sampled_from([b"\n", b"\r\n", b" \n", b"\n\n", BOM, b"{}"]), st.binary(max_size=30))
).map(b"".join)


@pytest.mark.parametrize("longest", [1, 5, 1 << 20])
@given(data=streams)
def test_the_lines_that_are_not_blank_are_given_with_their_numbers(longest: int, data: bytes) -> None:
    """Against the whole file split at its LFs. Our table, section 1: nothing else ends a line."""
    starts = [line[:longest] for line in data.split(b"\n")]
    starts[0] = starts[0].removeprefix(BOM)
    expected = [(n, start) for n, start in enumerate(starts, 1) if start.strip()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "LONGEST", longest)
        reader = LineReader(io.BytesIO(data))
        found = list(reader.records())
    assert reader.hexdigest() == sha256(data)
    assert reader.size == len(data)
    assert [(n, line.removesuffix(b"\n")) for n, line in found] == expected
