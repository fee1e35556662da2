"""Moving base64 out and back. Our rule: exact, and only base64 that encoding its bytes gives again."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionrecord import Session, ijson
from sessionrecord.bundle import Bundle, externalize, internalize, write_bundle
from sessionrecord.errors import WriterError
from tests.bundle.samples import HEADER, sha256, stream
from tests.strategies import blocks


def written(session: Session, path: Path) -> bytes:
    session.write(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inline") / "s"


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def image(data: str, **more: Any) -> dict[str, Any]:
    return {"type": "image", "mimeType": "image/png", "data": data, **more}


def message(*content: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "messageId": "m", "role": "user", "content": list(content)}


def blob_of(data: bytes) -> dict[str, Any]:
    return {"sha256": sha256(data), "bytes": len(data), "path": f"blobs/{sha256(data)}"}


DATA = b"\x00\xff some bytes that are long enough"
TEXT = encoded(DATA)


def test_base64_becomes_a_blob_in_its_place(scratch: Path) -> None:
    source = stream(message({"type": "text", "text": "look"}, image(TEXT, name="a.png")))
    moved = externalize(Session.read(source), 1)
    block = {"type": "image", "mimeType": "image/png", "blob": blob_of(DATA), "name": "a.png"}
    assert written(moved.session, scratch) == stream(message({"type": "text", "text": "look"}, block))
    assert {sha: (blob.read(), blob.mime_type) for sha, blob in moved.blobs.items()} == {
        sha256(DATA): (DATA, "image/png")
    }
    assert repr(DATA)[2:20] not in repr(moved)
    assert written(internalize(moved.session, moved.blob), scratch) == source


PLACES = [
    message(image(TEXT)),
    message({"type": "audio", "mimeType": "a/b", "data": TEXT}, {"type": "file", "mimeType": "a/b", "data": TEXT}),
    {"type": "tool_result", "callId": "c", "content": [image(TEXT)]},
    {"type": "compaction", "compactionId": "c", "summary": [image(TEXT)]},
    {"type": "question", "questionId": "q", "prompt": [image(TEXT)]},
    {"type": "memory_write", "memoryId": "m", "content": [image(TEXT)]},
]


@pytest.mark.parametrize("record", PLACES, ids=lambda r: r["type"])
def test_content_is_moved_wherever_a_record_has_it(record: dict[str, Any], scratch: Path) -> None:
    source = stream(record)
    moved = externalize(Session.read(source), len(DATA))
    assert list(moved.blobs) == [sha256(DATA)]
    assert TEXT.encode() not in written(moved.session, scratch)
    assert [d for d in moved.session.diagnostics if d.severity == "error"] == []
    assert written(internalize(moved.session, moved.blob), scratch) == source


PAIR = message(image(encoded(b"\xfb\xff\xfe" * 20)))
ESCAPED = json.dumps({"seq": 2, "id": "r2", **message(image("????" * 20))}).replace("?", "\\/").encode() + b"\n"
STAYS: dict[str, bytes] = {
    "too small": stream(message(image(encoded(b"1234567")))),
    "line breaks": stream(message(image(TEXT[:20] + "\n" + TEXT[20:]))),
    "no padding": stream(message(image(encoded(DATA + b"1").rstrip("=")))),
    "too much padding": stream(message(image(TEXT + "===="))),
    "bits after the end": stream(message(image(encoded(b"x" * 19)[:-3] + "B=="))),
    "alphabet of URLs": stream(message(image(encoded(b"\xfb\xff\xfe" * 20).replace("+", "-").replace("/", "_")))),
    "no base64": stream(message(image("not base64 at all"))),
    "data URL": stream(message(image(f"data:image/png;base64,{TEXT}"))),
    "escaped slashes": stream() + ESCAPED,
    "escaped letter": stream(message(image(TEXT))).replace(TEXT.encode(), b"\\u0041" + TEXT[1:].encode()),
    "escaped name": stream(message(image(TEXT))).replace(b'"data"', b'"d\\u0061ta"'),
    "escaped member": stream(message(image(TEXT))).replace(b'"content"', b'"conten\\u0074"'),
    "blob beside data": stream(message(image(TEXT, blob=blob_of(b"x")))),
    "unknown block": stream(message({"type": "zoo", "mimeType": "image/png", "data": TEXT})),
    "unknown record": stream({"type": "x.y", "content": [image(TEXT)]}),
    "arguments of a tool": stream({"type": "tool_call", "callId": "c", "arguments": {"content": [image(TEXT)]}}),
    "structured result": stream({"type": "tool_result", "callId": "c", "structured": [image(TEXT)]}),
    "inner member": stream(message({"type": "image", "mimeType": "a/b", "uri": "u", "x": {"data": TEXT}})),
    "text that quotes JSON": stream(message({"type": "text", "text": json.dumps(image(TEXT))})),
    "invalid record": stream({"type": "message", "content": [image(TEXT)]}),
    "data that is no string": stream(message({"type": "image", "mimeType": "a/b", "data": 7})),
    "named twice": stream(message(image(TEXT))).replace(b'"data":', b'"data":"","data":'),
    "torn line": stream(message(image(TEXT)))[:-20],
}  # fmt: skip


@pytest.mark.parametrize("kind", STAYS)
def test_what_could_not_be_put_back_exactly_stays(kind: str, scratch: Path) -> None:
    moved = externalize(Session.read(STAYS[kind]), 8)
    assert moved.blobs == {}
    assert written(moved.session, scratch) == STAYS[kind]


def test_what_stays_would_have_moved_but_for_its_one_oddity() -> None:
    """The judge of the table above: the plain form of these blocks is moved."""
    for record in (PAIR, message(image(TEXT)), message(image("////" * 20)), message(image(encoded(b"x" * 19)))):
        assert len(externalize(Session.read(stream(record)), 8).blobs) == 1


def test_equal_bytes_are_one_blob_with_the_first_media_type() -> None:
    source = stream(message(image(TEXT), image(TEXT, mimeType="image/x")), message(image(TEXT)))
    moved = externalize(Session.read(source), 1)
    assert [blob.mime_type for blob in moved.blobs.values()] == ["image/png"]


def test_bytes_that_the_session_names_as_a_blob_already_stay_inline(scratch: Path) -> None:
    """Else the way back could not tell the two apart."""
    named = {"type": "image", "mimeType": "image/png", "blob": blob_of(DATA)}
    source = stream(message(image(TEXT)), message(named), message(image(encoded(b"other bytes"))))
    moved = externalize(Session.read(source), 1)
    assert list(moved.blobs) == [sha256(b"other bytes")]
    assert written(internalize(moved.session, moved.blob), scratch) == source


@pytest.mark.parametrize(
    "blob",
    [
        {"sha256": sha256(DATA), "bytes": len(DATA)},
        {"bytes": len(DATA), "sha256": sha256(DATA), "path": f"blobs/{sha256(DATA)}"},
        {**blob_of(DATA), "note": "kept"},
        {**blob_of(DATA), "path": "blobs/elsewhere"},
        {**blob_of(DATA), "path": f"blobs/{sha256(b'')}"},
    ],
)
def test_a_blob_in_a_form_that_could_not_be_made_again_stays(blob: dict[str, Any], scratch: Path) -> None:
    source = stream(message({"type": "image", "mimeType": "image/png", "blob": blob}))
    assert written(internalize(Session.read(source), {sha256(DATA): DATA}.get), scratch) == source


def test_a_blob_that_is_not_to_be_had_stays_and_false_bytes_are_refused(scratch: Path) -> None:
    source = stream(message({"type": "image", "mimeType": "image/png", "blob": blob_of(DATA)}))
    assert written(internalize(Session.read(source), lambda _: None), scratch) == source
    for wrong in (b"x" * len(DATA), DATA + b"x"):
        with pytest.raises(WriterError, match="are not those of the record"):
            internalize(Session.read(source), {sha256(DATA): wrong}.get)


def test_blobs_can_be_kept_in_files(tmp_path: Path, scratch: Path) -> None:
    source = stream(message(image(TEXT), image(TEXT)))
    moved = externalize(Session.read(source), 1, directory=tmp_path)
    (path,) = tmp_path.iterdir()
    assert path.read_bytes() == DATA
    assert path.stat().st_mode & 0o777 == 0o600
    assert moved.blob(sha256(DATA)) == DATA
    assert moved.blob("0" * 64) is None
    assert written(internalize(moved.session, moved.blob), scratch) == source
    with pytest.raises(WriterError, match="No such file"):
        externalize(Session.read(source), 1, directory=tmp_path / "none")


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Session, path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Session, "write", full)
    with pytest.raises(WriterError, match="No space left"):
        externalize(Session.read(stream()), 1)


@pytest.mark.parametrize("kind", ["b", "b.zip", "b.tar"])
def test_a_session_goes_through_a_bundle_and_back(kind: str, tmp_path: Path, scratch: Path) -> None:
    source = stream(message(image(TEXT)), message(image(encoded(bytes(100_000)))))
    moved = externalize(Session.read(source), 1)
    write_bundle(tmp_path / kind, [moved.session], blobs=moved.blobs.values())
    with Bundle.open(tmp_path / kind) as bundle:
        assert len(bundle.read("streams/s1.asr.jsonl")) < 1500
        assert written(internalize(bundle.session("streams/s1.asr.jsonl"), bundle.blob), scratch) == source


def test_a_long_line_is_cut_open_without_copying_it_over_and_over(scratch: Path) -> None:
    """Four pictures of 4 MB among thousands of small blocks on one line."""
    pictures = [image(encoded(bytes([n]) * (4 << 20))) for n in range(4)]
    small = [{"type": "text", "text": 'a "quoted" \\ word'}] * 2_000
    source = stream(message(*small, *pictures, *small))
    moved = externalize(Session.read(source), 1 << 20)
    assert len(moved.blobs) == 4
    assert written(internalize(moved.session, moved.blob), scratch) == source


def spaced(value: Any, draw: Any) -> str:
    """JSON text with blanks and escapes wherever they may stand."""
    blank = draw(st.sampled_from(["", "", "", " ", "\t", "  "]))
    if isinstance(value, dict):
        members = (f"{blank}{spaced(k, draw)}{blank}:{blank}{spaced(v, draw)}" for k, v in value.items())
        return f"{{{','.join(members)}{blank}}}"
    if isinstance(value, list):
        return f"[{','.join(f'{blank}{spaced(v, draw)}' for v in value)}{blank}]"
    text = ijson.dumps(value).decode()
    if isinstance(value, str) and draw(st.integers(0, 9)) == 0:
        return text.replace("/", "\\/")
    return text


pieces = st.one_of(st.binary(max_size=40), st.sampled_from([b"", DATA, b"\xff" * 12]))
odd_base64 = st.one_of(st.sampled_from(["QQ", "QR==", "====", "a", "QUJD\n", "\u00e9"]), st.text("ABC+/=", max_size=16))
payloads = st.one_of(pieces.map(encoded), pieces.map(encoded), odd_base64)


@st.composite
def media(draw: st.DrawFn) -> dict[str, Any]:
    block: dict[str, Any] = {"type": draw(st.sampled_from(["image", "audio", "file", "zoo"])), "mimeType": "a/b"}
    if draw(st.booleans()):
        block["x"] = draw(st.sampled_from([{"data": TEXT}, [{"blob": blob_of(DATA)}], '"data":"AAAA"', 1, None]))
    kind = draw(st.sampled_from(["data", "data", "data", "blob", "both", "neither"]))
    if kind in ("blob", "both"):
        block["blob"] = blob_of(draw(pieces)) | draw(st.sampled_from([{}, {}, {"note": 1}]))
    if kind in ("data", "both"):
        block["data"] = draw(payloads)
    return dict(draw(st.permutations(list(block.items()))))


@st.composite
def sessions(draw: st.DrawFn) -> bytes:
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n"])
    lines = [json.dumps(HEADER) + draw(ends)]
    for n in range(2, 2 + draw(st.integers(1, 4))):
        content = draw(st.lists(st.one_of(media(), media(), blocks()), max_size=4))
        member = draw(st.sampled_from(["content", "content", "content", "structured", "summary"]))
        kind = draw(st.sampled_from(["tool_result", "message", "compaction"]))
        record: dict[str, Any] = {"type": kind, "seq": n, "id": f"r{n}", "role": "user", member: content}
        record |= {"messageId": "m", "callId": "c", "compactionId": "k"}
        lines.append(spaced(dict(draw(st.permutations(list(record.items())))), draw) + draw(ends))
    return "".join(lines).encode()


@settings(max_examples=150)
@given(sessions(), st.integers(0, 20))
def test_there_and_back_gives_every_byte_again(scratch: Path, source: bytes, min_bytes: int) -> None:
    moved = externalize(Session.read(source), min_bytes)
    out = written(moved.session, scratch)
    assert written(internalize(Session.read(out), moved.blob), scratch) == source
    assert all(len(blob.read()) >= min_bytes and sha256(blob.read()) == sha for sha, blob in moved.blobs.items())
    assert bool(moved.blobs) == (out != source)
    before, after = Session.read(source).diagnostics, Session.read(out).diagnostics
    assert [(d.code, d.line) for d in before] == [(d.code, d.line) for d in after]


def naive(record: dict[str, Any], min_bytes: int) -> dict[str, Any]:
    """The rule by values, for records in which nothing is odd."""

    def block(b: dict[str, Any]) -> dict[str, Any]:
        data = base64.b64decode(b["data"]) if b["type"] != "text" else b""
        if b["type"] == "text" or len(data) < min_bytes:
            return b
        return {("blob" if k == "data" else k): (blob_of(data) if k == "data" else v) for k, v in b.items()}

    return record | {"content": [block(b) for b in record["content"]]}


plain = st.one_of(
    st.builds(lambda d, name: image(encoded(d), name=name), pieces, st.text(max_size=4)),
    st.builds(lambda t: {"type": "text", "text": t}, st.text(max_size=8)),
)


@given(st.lists(st.lists(plain, max_size=4).map(lambda content: message(*content)), max_size=4), st.integers(0, 20))
def test_plain_records_become_what_the_rule_says(scratch: Path, records: list[dict[str, Any]], min_bytes: int) -> None:
    moved = externalize(Session.read(stream(*records)), min_bytes)
    assert written(moved.session, scratch) == stream(*(naive(r, min_bytes) for r in records))


def test_a_session_does_the_same_by_its_methods() -> None:
    session = Session.read(stream(message(image(encoded(b"x" * 100)))))
    out = session.externalize(10)
    assert out.session.records[1].to_line() != session.records[1].to_line()
    assert [r.to_line() for r in out.session.internalize(out.blob).records] == [r.to_line() for r in session.records]
