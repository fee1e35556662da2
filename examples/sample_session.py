"""Write the session that the cookbook asks its questions of.

    python examples/sample_session.py [FILE]

A made-up harness fixes a parser: a test that fails, an edit, a call that the user refused, a compaction, a rewind, a call without
a result, and one model call whose price is not known. The same file each time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sessionrecord import Block, Cost, PermissionOption, Producer, RecordList, Root, Session, Vcs
from sessionrecord.stream.builders import diff, image_from_bytes, reasoning, text

MODEL = "model-large-1"
SCREENSHOT = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 24
OPTIONS = [
    PermissionOption(option_id="yes", name="Allow once", kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


class Story:
    """A session as it goes on: every record has the next second as its time."""

    def __init__(self) -> None:
        self.out = RecordList()
        self._second = 0
        self._calls = 0

    def time(self) -> str:
        """The time of the next record."""
        self._second += 1
        return f"2026-03-02T09:{self._second // 60:02}:{self._second % 60:02}Z"

    def answer(self, said: str, tokens: tuple[int, int], *, cost: str | None, turn: str, stop: str = "tool_use") -> str:
        """A model call with what it said and used; gives its ID."""
        self._calls += 1
        call = f"call-{self._calls}"
        self.out.model_call(
            model_call_id=call, model=MODEL, status="completed", stop_reason=stop, turn_id=turn, timestamp=self.time()
        )
        blocks: list[Block] = [text(said)]
        if self._calls == 2:
            blocks.insert(0, reasoning("The range in split() looks wrong."))
        self.out.message(
            message_id=f"a{self._calls}",
            role="assistant",
            content=blocks,
            model=MODEL,
            model_call_id=call,
            turn_id=turn,
        )
        price = None if cost is None else Cost(amount=float(cost), currency="USD")
        self.out.usage(
            model_call_id=call, model=MODEL, input_tokens=tokens[0], output_tokens=tokens[1], cost=price, turn_id=turn
        )
        return call


def tell(story: Story) -> None:
    """What happens."""
    out, time = story.out, story.time
    out.session(
        agent="my-harness", session_id="parser-fix", producer=Producer(method="native", name="my-harness", version="1.4"),
        profiles=["usage"], roots=[Root(id="app", path="/srv/app", vcs=Vcs(kind="git", branch="main"))], timestamp=time(),
    )  # fmt: skip
    out.session_info(title="Fix the parser test")

    out.message(
        message_id="u1", role="user", content=[text("Why does the parser test fail?")], turn_id="t1", timestamp=time()
    )
    call = story.answer("I will run the tests first.", (812, 31), cost="0.0021", turn="t1")
    out.tool_call(
        call_id="c1", name="run", kind="execute", arguments={"command": "pytest -q"}, model_call_id=call, turn_id="t1",
        timestamp=time(),
    )  # fmt: skip
    out.permission_request(permission_id="p1", call_id="c1", title="Run pytest -q?", options=OPTIONS)
    out.permission_decision(
        permission_id="p1", outcome="selected", option_id="yes", kind="allow_once", decided_by="human"
    )
    out.tool_result(
        call_id="c1", outcome="error", content=[text("1 failed, 12 passed\nIndexError: parser.py:14")], exit_code=1,
        duration_ms=2140.5, turn_id="t1", timestamp=time(),
    )  # fmt: skip

    call = story.answer("One test fails. Let me look.", (911, 24), cost="0.0024", turn="t1")
    for call_id, path, took in (("c2", "parser.py", 12), ("c3", "missing.py", 3)):
        out.tool_call(
            call_id=call_id, name="read", kind="read", arguments={"path": path}, model_call_id=call, turn_id="t1",
            timestamp=time(),
        )  # fmt: skip
        found = path == "parser.py"
        out.tool_result(
            call_id=call_id, outcome="success" if found else "error", duration_ms=took, turn_id="t1", timestamp=time(),
            content=[text("for i in range(len(tokens) - 1):" if found else "no such file: missing.py")],
        )  # fmt: skip

    out.message(
        message_id="u2", role="user", turn_id="t2", timestamp=time(),
        content=[text("It looks like this for me:"), image_from_bytes(SCREENSHOT, "image/png", name="screen.png")],
    )  # fmt: skip
    call = story.answer("The range ends one too early.", (3204, 40), cost="0.0102", turn="t2")
    out.tool_call(
        call_id="c4",
        name="edit",
        kind="edit",
        arguments={"path": "parser.py"},
        model_call_id=call,
        turn_id="t2",
        timestamp=time(),
    )
    out.file_change(root="app", path="parser.py", operation="modify", lines_added=1, lines_removed=1, call_id="c4")
    out.tool_result(
        call_id="c4", outcome="success", content=[diff("parser.py", "range(len(tokens) - 1)", "range(len(tokens))")],
        duration_ms=8.25, turn_id="t2", timestamp=time(),
    )  # fmt: skip

    keep = out.message(
        message_id="u3",
        role="user",
        content=[text("Good. Also clean up the build folder.")],
        turn_id="t3",
        timestamp=time(),
    )
    call = story.answer("I will remove it.", (3360, 22), cost=None, turn="t3")
    out.tool_call(
        call_id="c5", name="run", kind="execute", arguments={"command": "rm -rf build"}, model_call_id=call, turn_id="t3",
        timestamp=time(),
    )  # fmt: skip
    out.permission_request(permission_id="p2", call_id="c5", title="Run rm -rf build?", options=OPTIONS)
    out.permission_decision(
        permission_id="p2",
        outcome="selected",
        option_id="no",
        kind="reject_once",
        decided_by="human",
        reason="Not that one.",
    )
    out.tool_result(call_id="c5", outcome="cancelled", turn_id="t3", timestamp=time())
    out.compaction(
        compaction_id="k1", trigger="auto", kept_from=keep, tokens_before=3382, tokens_after=410, timestamp=time(),
        summary=[text("The parser dropped the last token; parser.py is fixed.")],
    )  # fmt: skip

    last = story.answer("Then I leave it. Shall I write a test?", (440, 15), cost="0.0012", turn="t3", stop="end_turn")
    out.message(message_id="u4", role="user", content=[text("No.")], turn_id="t4", timestamp=time())
    story.answer("As you like.", (470, 5), cost="0.0012", turn="t4", stop="end_turn")
    out.rewind(to=f"messageId=a{last.removeprefix('call-')}", reason="the user edited the prompt", timestamp=time())

    out.message(
        message_id="u5", role="user", content=[text("Yes, write one, and push.")], turn_id="t5", timestamp=time()
    )
    call = story.answer("Done. I push it now.", (476, 61), cost="0.0019", turn="t5")
    out.tool_call(
        call_id="c6", name="write", kind="edit", arguments={"path": "test_split.py"}, model_call_id=call, turn_id="t5",
        timestamp=time(),
    )  # fmt: skip
    out.file_change(root="app", path="test_split.py", operation="add", lines_added=9, call_id="c6")
    out.tool_result(call_id="c6", outcome="success", duration_ms=6, turn_id="t5", timestamp=time())
    out.tool_call(
        call_id="c7", name="run", kind="execute", arguments={"command": "git push"}, model_call_id=call, turn_id="t5",
        timestamp=time(),
    )  # fmt: skip
    out.permission_request(permission_id="p3", call_id="c7", title="Run git push?", options=OPTIONS)


def main() -> None:
    """Write the session and say what is in it."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "session.asr.jsonl")
    story = Story()
    tell(story)
    session = Session.from_records(story.out.records)
    session.write(path)
    print(f"wrote {path}: {len(session)} records, {len(session.tool_calls())} tool calls, {len(session.turns())} turns")


if __name__ == "__main__":
    main()
