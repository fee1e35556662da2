"""What every exporter takes: a session, or one as it was at a `seq` (docs/export.md); anything else is refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionrecord.convert import claude_code
from sessionrecord.export import Exported, to_atif, to_html, to_markdown, to_otlp
from sessionrecord.redact import RedactionRules, redact
from sessionrecord.session import Session
from tests.export.sessions import session, sessions, user

EXPORTERS: list[Callable[..., Exported]] = [to_atif, to_otlp, to_markdown, to_html]


@pytest.mark.parametrize("export", EXPORTERS)
@given(sessions(), st.integers(0, 14), st.one_of(st.none(), st.integers(0, 14)))
def test_a_session_at_a_seq_is_exported_as_of_that_seq(
    export: Callable[..., Exported], made: Session, seq: int, at: int | None
) -> None:
    """Records later than the view's own `seq` are not in the view, whatever `at` asks for."""
    given_at = export(made, at=seq if at is None else min(seq, at))
    viewed = export(made.at(seq), at=at)
    assert viewed.text == given_at.text
    assert viewed.report == given_at.report


@pytest.mark.parametrize("export", EXPORTERS)
def test_what_is_no_session_is_refused_with_what_to_give(export: Callable[..., Exported], tmp_path: Any) -> None:
    """As `diff` does."""
    log = tmp_path / "log.jsonl"
    log.write_text('{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"hi"}}\n')
    made = session(user("a"))
    for wrong, hint in (
        (str(log), "not str; open one with Session.read"),
        (log, "Path; open one with Session.read"),
        (made.to_frame, "open one with Session.read"),
        (claude_code.convert(log), "not Conversion; make one with Session.from_records(conversion.main)"),
        (redact(made, RedactionRules({"x": "hunter22"})), "not Redacted; give its session"),
        (list(made.records), "not list; make one of records with Session.from_records"),
        (None, "not NoneType; open one with Session.read"),
    ):
        with pytest.raises(TypeError) as caught:
            export(wrong)
        said = str(caught.value)
        assert said.startswith(f"{export.__name__} exports a session, not ")
        assert said.endswith(hint)
        assert "\n" not in said
