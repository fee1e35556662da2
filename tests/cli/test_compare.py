"""`diff` and `context-diff`: what they print, and their exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.streams import HEADER, SESSION, run, said, stream, write
from tests.cli.test_commands import HOSTILE, as_json, assert_one_error_line, call


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, str]:
    changed = [*SESSION[:-1], {**SESSION[-1], "content": [{"type": "text", "text": "other"}]}]
    return write(tmp_path / "a.jsonl", stream()), write(
        tmp_path / "b.jsonl", stream([*changed, {"type": "state", "state": "idle"}])
    )


def test_streams_that_are_the_same_give_0(two: tuple[str, str]) -> None:
    result = call("diff", two[0], two[0])
    assert result.exit_code == 0
    assert result.stdout == "the same; 10 unchanged\n"
    assert as_json("diff", two[0], two[0])["same"] is True


def test_streams_that_differ_give_1_and_what_differs(two: tuple[str, str]) -> None:
    result = call("diff", *two)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        '+ state r12, seq 12: {"state":"idle"}',
        "~ message messageId=a1",
        "    /content/0/text: 'second' → 'other'",
        "1 added, 1 revised; 9 unchanged",
    ]
    found = call("diff", *two, "--json")
    assert found.exit_code == 1
    assert as_json("diff", *two)["revised"][0]["changes"] == [
        {"kind": "changed", "pointer": "/content/0/text", "old": "second", "new": "other"}
    ]


def test_one_of_the_two_may_come_from_standard_input(two: tuple[str, str]) -> None:
    done = run("diff", "-", two[1], stdin=stream())
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, b'+ state r12, seq 12: {"state":"idle"}')
    refused = call("diff", "-", "-")
    assert refused.exit_code == 2
    assert_one_error_line(refused, "only one of the two can be standard input")


def test_what_cannot_be_read_gives_2(two: tuple[str, str], tmp_path: Path) -> None:
    for pair in ((two[0], str(tmp_path / "none")), (write(tmp_path / "log", b'{"type":"user"}\n'), two[0])):
        refused = call("diff", *pair)
        assert refused.exit_code == 2
        assert_one_error_line(refused)


def test_of_each_kind_twenty_are_named_unless_all_are_asked_for(tmp_path: Path) -> None:
    many = [{"type": "message", "messageId": f"m{n}", "role": "user"} for n in range(25)]
    pair = write(tmp_path / "a", stream([HEADER])), write(tmp_path / "b", stream([HEADER, *many]))
    assert "+ … and 5 more added" in call("diff", *pair).stdout
    assert len(call("diff", *pair, "--all").stdout.splitlines()) == 26
    assert "- … and 5 more lost" in call("context-diff", pair[1], "26", "1").stdout
    assert (
        len([x for x in call("context-diff", pair[1], "26", "1", "--all").stdout.splitlines() if x[:2] == "- "]) == 25
    )


def test_two_points_of_a_context_are_compared(two: tuple[str, str]) -> None:
    result = call("context-diff", two[0], "7", "10")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:3] == [
        "Context at seq 7 (5 items), then at seq 10 (2 items)",
        "- tool_call callId=c1, seq 3: 'Read' (rewound by r9)",
        "- tool_call callId=c2, seq 4: 'Bash' (rewound by r9)",
    ]
    assert result.stdout.splitlines()[-2] == "4 lost, 1 gained, 1 kept"
    found = as_json("context-diff", two[0], "7")
    assert [(x["ref"], x["by"]) for x in found["lost"]] == [
        ("callId=c1", "r9"),
        ("callId=c2", "r9"),
        ("r5", "r9"),
        ("r6", "r9"),
    ]
    assert [x["ref"] for x in found["gained"]] == ["messageId=a1"]


def test_a_point_beyond_the_end_is_said_to_be_the_end(two: tuple[str, str]) -> None:
    for command in (("context", two[0], "--at", "9999"), ("context-diff", two[0], "7", "9999")):
        result = call(*command)
        assert result.exit_code == 0
        assert result.stderr == "note: seq 9999 comes after the last record, seq 11: this is the context at the end\n"
    assert call("context", two[0], "--at", "11").stderr == ""


def test_a_point_may_be_named_by_a_ref(tmp_path: Path) -> None:
    """An entity is a point after its latest record, a record ID after that record; a number is a seq."""
    call_, message = ({"callId": "c1"}, {"messageId": "m"})
    path = write(
        tmp_path / "s.jsonl",
        stream(
            [
                HEADER,
                {"type": "tool_call", **call_, "status": "pending"},
                {"type": "message", **message, "role": "user", "id": "5"},
                {"type": "tool_call", **call_},
                {"type": "tool_result", **call_},
                {"type": "compaction", "compactionId": "k1", "summary": []},
                {"type": "message", "messageId": "n", "role": "user"},
            ]
        ),
    )
    for a, b, same in (
        ("compactionId=k1", None, ("6",)),
        ("callId=c1", "r6", ("4", "6")),
        ("r2", "messageId=m", ("2", "3")),
        ("5", "r5", ("5", "5")),
    ):
        given = [x for x in (a, b) if x is not None]
        assert as_json("context-diff", path, *given) == as_json("context-diff", path, *same), given


@pytest.mark.parametrize(
    ("given", "code", "said_"),
    [
        (("compactionId=k9",), 1, "'compactionId=k9' names nothing in the session"),
        (("3", "c1"), 1, "did you mean 'callId=c1'?"),
        (("9" * 5000,), 1, "names nothing in the session"),
        (("",), 2, "a ref is not empty"),
        (("-5",), 2, "no seq is below 0: a number with a minus is read as an option"),
        (("3", "-12"), 2, "see sessionrecord context-diff --help"),
        (("3", "--al"), 2, "No such option: --al"),
    ],
)
def test_a_point_that_is_none_is_one_line(given: tuple[str, ...], code: int, said_: str, two: tuple[str, str]) -> None:
    refused = call("context-diff", two[0], *given)
    assert refused.exit_code == code
    assert_one_error_line(refused, said_)


def test_text_of_a_stream_reaches_no_terminal_as_codes(tmp_path: Path) -> None:
    pair = write(tmp_path / "a", said(HOSTILE)), write(tmp_path / "b", said(HOSTILE + "!"))
    for result in (call("diff", *pair), call("context-diff", pair[0], "1")):
        assert all(line.isprintable() for line in result.stdout.splitlines())
        assert "\\x9" in result.stdout
