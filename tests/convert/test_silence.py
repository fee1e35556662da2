"""Nothing that a log says is lost in silence: it is in a record, in `report.lost` by its name, or its line is named with a reason.

A marker goes into every place of every kind of line: as a member that nobody knows, in place of a value as a list, and as an object.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sessionrecord.convert import Conversion, acp, claude_code, codex
from sessionrecord.errors import ConversionError
from tests.convert import acp_logs, codex_logs, logs

MARKER = "marker-5c1e"
Place = tuple[str | int, ...]


def rows(path: Path) -> list[Any]:
    """The lines of a log: their values, and as they are where they have none."""
    found: list[Any] = []
    for row in path.read_bytes().splitlines(keepends=True):
        try:
            found.append(json.loads(row))
        except ValueError:
            found.append(row)
    return found


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "a/b", "data": "AA=="}, "title": "t"}
CLAUDE_CODE: list[Any] = [
    logs.user("1", "hi", isMeta=True, permissionMode="plan", forkedFrom={"sessionId": "s", "messageUuid": "m"}),
    logs.user("2", [IMAGE], "1", toolUseResult={"a": 1}, sourceToolAssistantUUID="x", cwd="/a", gitBranch="b"),
    logs.assistant("3", "m", [logs.tool_use("t"), {"type": "text", "text": "x"}], "2", requestId="r"),
    logs.user("4", [logs.tool_result("t", [IMAGE], is_error=True)], "3", toolUseResult={"durationMs": 1}, isMeta=False),
    logs.user("5", [logs.tool_result("t", {"type": "text", "text": "x"})], "4"),
    logs.assistant("6", "n", [{"type": "text", "text": "no"}, IMAGE], "5", isApiErrorMessage=True, error="e"),
    {"type": "assistant", "uuid": "7", "message": {"id": "s", "model": "<synthetic>", "content": "x", "usage": {}}},
    {"type": "assistant", "uuid": "8", "message": {"id": "s", "model": "<synthetic>", "content": [logs.tool_use("u")]}},
    {
        "type": "system", "subtype": "compact_boundary", "uuid": "9", "logicalParentUuid": "8",
        "compactMetadata": {"trigger": "auto", "preTokens": 1, "preservedMessages": {"uuids": ["8"], "allUuids": []}},
    },
    logs.user("10", [{"type": "text", "text": "s"}, IMAGE], "9", isCompactSummary=True, isVisibleInTranscriptOnly=True),
    {"type": "custom-title", "customTitle": "t", "uuid": "11", "timestamp": "2026-03-02T09:00:00Z", "promptId": "p"},
    {"type": "ai-title", "aiTitle": "t", "parentUuid": "11"},
]  # fmt: skip
URL = {"type": "input_image", "image_url": "data:a/b;base64,AA==", "detail": "high"}
REASONING = {"type": "reasoning", "id": "r", "summary": [], "content": [], "encrypted_content": "e"}
CODEX: list[Any] = [
    codex_logs.meta(),
    codex_logs.message("user", "s", id="m", turn_id="t"),
    codex_logs.item("message", role="user", content="s"),
    codex_logs.item("message", role="user", content=[URL]),
    codex_logs.item("function_call", id="i", name="f", arguments="{}", call_id="c", status="completed"),
    codex_logs.output("c", [URL, {"type": "input_text", "text": "x"}]),
    codex_logs.output("c", {"content": "x", "success": True}),
    codex_logs.item("local_shell_call", id="l", action={"type": "exec"}, status="completed"),
    codex_logs.item("web_search_call", id="w", action={"type": "search"}, name="n"),
    {"timestamp": "t", "type": "response_item", "payload": REASONING},
    codex_logs.event("error", message="m", codex_error_info="other", turn_id="t", id="i"),
    codex_logs.event("warning", message="m"),
    codex_logs.event("thread_name_updated", thread_name="n", thread_id=codex_logs.SESSION),
    codex_logs.tokens((1, 1, 2, 1, 3), rate_limits={"primary": 1}, model_context_window=9, last_token_usage={"a": 1}),
    codex_logs.line("compacted", {
        "message": "s", "turn_id": "t",
        "replacement_history": [
            codex_logs.message("user", "s", id="m")["payload"], codex_logs.message("user", "new", id="n")["payload"],
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "s"}, URL]},
            REASONING, {"type": "compaction", "encrypted_content": "e"}, {"type": "other"},
        ],
    }),
    codex_logs.event("thread_rolled_back", num_turns=1),
]  # fmt: skip
FORM = {"properties": {"a": {"enum": ["x"]}}}
ACP: list[Any] = [
    *acp_logs.opened(),
    acp_logs.prompt(1, "hi", messageId="m"),
    acp_logs.call(
        2, "session/request_permission", options=acp_logs.OPTIONS, title="t", description="d",
        toolCall={"toolCallId": "c", "title": "t", "kind": "read", "locations": [{"path": "/a", "line": 1}]},
    ),
    acp_logs.client(id=2, result={"outcome": {"outcome": "selected", "optionId": "once"}}),
    acp_logs.call(
        3, "session/request_permission", options=acp_logs.OPTIONS,
        subject={"type": "tool_call", "toolCall": {"toolCallId": "d", "title": "t", "rawInput": 1}},
    ),
    acp_logs.client(id=3, result={"outcome": {"outcome": "cancelled", "optionId": "x"}}),
    acp_logs.call(4, "elicitation/create", message="m", toolCallId="c", elicitationId="e", requestedSchema=FORM),
    acp_logs.client(id=4, result={"action": "accept", "content": {"a": "x"}}),
    acp_logs.call(5, "fs/write_text_file", path="/a", content="x"),
    acp_logs.client(id=5, result={}),
    acp_logs.call(6, "terminal/create", command="ls", args=["-l"], cwd="/"),
    acp_logs.client(id=6, result={"terminalId": "t"}),
    acp_logs.call(7, "terminal/output", terminalId="t"),
    acp_logs.client(id=7, result={"output": "x", "truncated": True, "exitStatus": {"exitCode": 1, "signal": "s"}}),
    acp_logs.call(8, "terminal/wait_for_exit", terminalId="t"),
    acp_logs.client(id=8, result={"exitCode": 0, "signal": "s"}),
    acp_logs.update("terminal_update", terminalId="u", command="c", cwd="/", exitStatus={"exitCode": 0, "signal": "s"},
                    output={"data": "AA==", "truncated": False}),
    acp_logs.update("terminal_output_chunk", terminalId="u", data="AA=="),
    acp_logs.update("tool_call", toolCallId="c", title="t", status="completed", rawInput=1, rawOutput=2,
                    content=[acp_logs.item("x"), {"type": "diff", "path": "/a", "newText": "x"}]),
    acp_logs.update("tool_call_content_chunk", toolCallId="c", content=acp_logs.item("x")),
    acp_logs.update("plan", entries=[{"content": "c", "priority": "high", "status": "pending"}]),
    acp_logs.update("plan_update", plan={"type": "items", "planId": "p", "id": "i", "entries": []}),
    acp_logs.update("plan_update", plan={"type": "file", "planId": "p"}),
    acp_logs.update("usage_update", used=1, size=2, cost={"amount": 1, "currency": "USD"}),
    acp_logs.update("session_info_update", title="t"),
    acp_logs.update("compaction_update", compactionId="k", status="completed", summary=[acp_logs.text("s")], error="e"),
    acp_logs.update("compaction_summary_chunk", compactionId="k", content=acp_logs.text("s")),
    acp_logs.update("agent_message", messageId="n", content=[acp_logs.text("s")]),
    acp_logs.update("state_update", state="idle", stopReason="end_turn", usage={"totalTokens": 1, "inputTokens": 1}),
    acp_logs.done(1, usage={"totalTokens": 1, "outputTokens": 1}),
    acp_logs.prompt(9, "hi"),
    acp_logs.agent(id=9, error={"code": 1, "message": "m", "data": {"a": 1}}),
    acp_logs.prompt(10, "hi"),
    acp_logs.agent(id=10, error={"message": "m"}, result={"stopReason": "end_turn"}),
]  # fmt: skip
LOGS: dict[str, tuple[Callable[[bytes], Conversion], list[list[Any]]]] = {
    "claude_code": (claude_code.convert, [CLAUDE_CODE, *map(rows, [logs.SAMPLE, *sorted(logs.DATA.glob("*.jsonl"))])]),
    "codex": (codex.convert, [CODEX, *map(rows, [codex_logs.SAMPLE, *sorted(codex_logs.DATA.glob("*.jsonl"))])]),
    "acp": (acp.convert, [ACP, rows(acp_logs.SAMPLE)]),
}
"""Converter, and logs: one of the members that the samples do not have, then the samples."""


def places(value: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Each value within a JSON value, and where it is."""
    for name in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, name), value[name]
        yield from places(value[name], (*path, name))


def kind(value: Any, path: Place) -> str:
    """What makes two places alike: the names to them, with what the objects on the way say of their type."""
    said: list[str] = []
    for name in (*path, None):
        if isinstance(value, dict):
            tags = ("type", "subtype", "sessionUpdate", "method", "jsonrpc", "isCompactSummary", "isApiErrorMessage")
            said += [f"{tag}={value[tag]}" for tag in tags if tag in value]
            said += [f"{side}?" for side in ("result", "error", "params") if side in value]
        if name is not None:
            said.append(name if isinstance(name, str) else "[]")
            value = value[name]
    return "/".join(said)


class Case(NamedTuple):
    """A log with a marker in it."""

    line: int
    at: Place
    """Where the marker is: in a value, or as the name of one."""
    lines: list[Any]


def cases(lines: list[Any], seen: set[str]) -> Iterator[Case]:
    """Logs with one marker each. Places that are alike are tried once."""
    packed = [logs.log(line) for line in lines]
    for i, line in enumerate(lines):
        if not isinstance(line, dict):
            continue
        for at, value in [((), line), *places(line)]:
            here = kind(line, at)
            if here in seen:
                continue
            seen.add(here)
            tried: list[tuple[Place, Any]] = []
            if isinstance(value, dict):
                tried.append(((*at, MARKER), MARKER))
            if at and value is not None:
                tried += [(at, [MARKER]), ((*at, "x"), {"x": MARKER})]
            for where, wrong in tried:
                place = at if where[-1] == "x" else where
                yield Case(i + 1, where, [*packed[:i], put(line, place, wrong), *packed[i + 1 :]])


def put(line: Any, path: Place, value: Any) -> Any:
    line = at = copy.deepcopy(line)
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    return line


def lost(conversion: Conversion) -> Counter[str]:
    reports = [conversion.report, *conversion.report.children.values()]
    return Counter({x.field: x.count for report in reports for x in report.lost if x.field is not None})


def named(field: str, place: Place) -> Place | None:
    """The place on the way that a lost member names, or None. Its name may say more: what type the objects are of."""
    told = field.split(".")
    for named_by in (told, told[:-1]):
        for end, name in enumerate(place, 1):
            if named_by and name == named_by[-1]:
                rest = iter(named_by)
                if all(step in rest for step in place[:end] if isinstance(step, str)):
                    return place[:end]
    return None


def is_told(case: Case, convert: Callable[[bytes], Conversion]) -> bool:
    """Whether something tells of the marker. It is enough that the log is refused: then nothing is silent."""
    try:
        conversion = convert(logs.log(*case.lines))
    except ConversionError:
        return True
    report = conversion.report
    streams = [conversion.main, *conversion.children.values()]
    if any(MARKER.encode() in record.to_line() for records in streams for record in records[1:]):
        return True
    named_lines = {u.line for u in (*report.not_converted, *report.kept_reasons)}
    if case.line in named_lines | {n.line for n in report.notes if n.code == "kept-not-found"}:
        return True
    if any(MARKER in str({k: v for k, v in records[0].to_wire().items() if k != "losses"}) for records in streams):
        return True
    for field, count in lost(conversion).items():
        place = named(field, case.at)
        if place is not None:
            lines = list(case.lines)
            lines[case.line - 1] = put(lines[case.line - 1], place, None)
            if lost(convert(logs.log(*lines)))[field] < count:
                return True
    return False


@pytest.mark.parametrize("name", LOGS)
def test_what_a_line_says_is_in_a_record_or_named_in_the_report(name: str) -> None:
    """That is what `report.lost` is for; or the line is kept, or not converted, and the report says why."""
    convert, logs_of = LOGS[name]
    seen: set[str] = set()
    silent = [
        f"{case.lines[case.line - 1]}: {'/'.join(map(str, case.at))}"
        for lines in logs_of
        for case in cases(lines, seen)
        if not is_told(case, convert)
    ]
    assert len(seen) > 200
    assert silent == []
