"""Writes the conformance corpus: `python -m tests.corpus.make` makes `streams/`, `bundles/` and `manifest.json` anew.

What is expected of each stream is written here by hand, from the specification and this project's rules for it. Nothing is taken from
what the package says of a stream: a case that disagrees with it shows a fault of one of the two.

A finding is `LINE E|W|I CODE POINTER`; `-` stands for no line, and the pointer is left out for the line as a whole. The bundles are
in `bundles.py`.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.corpus import bundles

HERE: Final = Path(__file__).resolve().parent
STREAMS: Final = HERE / "streams"
BUNDLES: Final = HERE / "bundles"
SEVERITIES: Final = {"E": "error", "W": "warning", "I": "info"}

Line = bytes | dict[str, Any]


@dataclass
class Case:
    """One stream and what a reader has to find in it."""

    name: str
    about: str
    data: bytes
    findings: list[str] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    repaired: dict[str, Any] | None = None

    def entry(self) -> dict[str, Any]:
        """The case in the manifest."""
        found = [_finding(f) for f in self.findings]
        errors = [f for f in found if f["severity"] == "error"]
        first = min((f["line"] or 0 for f in errors), default=None)
        strict = None
        if first is not None:
            codes = sorted({f["code"] for f in errors if (f["line"] or 0) == first})
            strict = {"line": first or None, "codes": codes}
        kind = "valid" if not errors else "recoverable" if self.repaired else "invalid"
        entry: dict[str, Any] = {
            "name": self.name,
            "file": f"streams/{self.name}.jsonl",
            "about": self.about,
            "kind": kind,
            "tolerant": found,
            "strict": strict,
            "below_schema": self.below,
        }
        if self.repaired is not None:
            entry["repaired"] = self.repaired
        return entry


def _finding(text: str) -> dict[str, Any]:
    line, severity, code, *pointer = text.split(" ", 3)
    return {
        "line": None if line == "-" else int(line),
        "severity": SEVERITIES[severity],
        "code": code,
        "pointer": pointer[0] if pointer else None,
    }


CASES: Final[list[Case]] = []


def case(
    name: str,
    about: str,
    lines: list[Line] | bytes,
    *findings: str,
    below: list[int] | None = None,
    repaired: dict[str, Any] | None = None,
) -> None:
    """Add a case; lines get a newline each, bytes are the file as it is."""
    data = lines if isinstance(lines, bytes) else b"".join(raw(line) + b"\n" for line in lines)
    assert all(c.name != name for c in CASES), name
    CASES.append(Case(name, about, data, list(findings), below or [], repaired))


def raw(line: Line) -> bytes:
    """The bytes of a line."""
    return line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()


def header(**members: Any) -> dict[str, Any]:
    """A session header, `seq` 0."""
    return {
        "type": "session",
        "seq": 0,
        "id": "r0",
        "agent": "toy",
        "sessionId": "s1",
        "namespace": None,
        "producer": {"method": "native"},
        **members,
    }


def rec(record_type: str, seq: int, **members: Any) -> dict[str, Any]:
    """A record with `id` r<seq>."""
    return {"type": record_type, "seq": seq, "id": f"r{seq}", **members}


def state(seq: int, **members: Any) -> dict[str, Any]:
    """The smallest record of a known type."""
    return rec("state", seq, state="idle", **members)


def msg(seq: int, key: str, **members: Any) -> dict[str, Any]:
    """A message of a user."""
    return rec("message", seq, messageId=key, role="user", **members)


def call(seq: int, key: str, **members: Any) -> dict[str, Any]:
    """A tool call."""
    return rec("tool_call", seq, callId=key, **members)


def text(value: str) -> list[dict[str, Any]]:
    """Content of one text block."""
    return [{"type": "text", "text": value}]


def with_text(literal: bytes, seq: int = 1) -> bytes:
    """A message whose text is given as it stands between the quotes."""
    return (
        b'{"type":"message","seq":%d,"id":"r%d","messageId":"m%d","role":"user","content":[{"type":"text","text":"%s"}]}'
        % (
            seq,
            seq,
            seq,
            literal,
        )
    )


def with_arguments(literal: bytes, seq: int = 1) -> bytes:
    """A tool call whose arguments are given as they stand."""
    return b'{"type":"tool_call","seq":%d,"id":"r%d","callId":"c%d","arguments":%s}' % (seq, seq, seq, literal)


def with_member(literal: bytes, seq: int = 1) -> bytes:
    """A state record with a member given as it stands."""
    return b'{"type":"state","seq":%d,"id":"r%d","state":"idle",%s}' % (seq, seq, literal)


H: Final = raw(header())
S1, S2, S3 = raw(state(1)), raw(state(2)), raw(state(3))


def lines_and_bytes() -> None:
    """Bytes, lines, JSON (ASR-041): what a line is, and what is on it."""
    case("header-only", "The smallest stream: a header.", [H])
    case("two-records", "A header and a record.", [H, S1])
    case(
        "newline-missing", "The last line is whole, only its newline is missing.", H + b"\n" + S1, "2 I newline-missing"
    )
    case("crlf", "Lines end with CRLF.", H + b"\r\n" + S1 + b"\r\n", "1 I line-crlf")
    case(
        "crlf-one-line",
        "One line ends with CRLF; the first such line is named.",
        H + b"\n" + S1 + b"\r\n" + S2 + b"\n",
        "2 I line-crlf",
    )
    case(
        "blank-lines",
        "Blank lines, and lines of spaces, are no records.",
        [H, b"", S1, b" \t ", S2],
        "2 I line-blank",
        "4 I line-blank",
    )
    case("bom", "A byte order mark before the header.", b"\xef\xbb\xbf" + H + b"\n" + S1 + b"\n", "1 W bom")
    case(
        "bom-inside",
        "A byte order mark before another line is no JSON.",
        [H, b"\xef\xbb\xbf" + S1, S2],
        "2 E json-invalid",
        below=[2],
    )
    case(
        "spaces",
        "Spaces within and around an object mean nothing.",
        [H, b'  {"type" : "state", "seq":1, "id":"r1", "state":"idle" } '],
    )
    case(
        "escapes",
        "Escapes in names and values are read as the characters they stand for.",
        [H, b'{"\\u0074ype":"\\u0073tate","seq":1,"id":"r1","state":"idle"}'],
    )
    case(
        "line-separators",
        "U+2028, U+2029 and U+0085 in strings split no line.",
        [H, with_text("a\u2028b\u2029c\u0085d".encode())],
    )
    case("vt-ff-escaped", "VT and FF as escapes are text.", [H, with_text(b"a\\u000bb\\u000cc")])
    case("empty", "A file of no bytes.", b"", "- E stream-empty")
    case(
        "blank-only",
        "A file of blank lines holds no record.",
        b"\n\n",
        "1 I line-blank",
        "2 I line-blank",
        "- E stream-empty",
    )
    case("bom-only", "A file of a byte order mark holds no record.", b"\xef\xbb\xbf", "1 W bom", "- E stream-empty")
    for name, about, part in (
        ("utf8-lone-byte", "A byte that is not UTF-8.", b"a\xffb"),
        ("utf8-overlong", "An overlong form of NUL.", b"a\xc0\x80b"),
        ("utf8-surrogate", "A surrogate in UTF-8 form.", b"a\xed\xa0\x80b"),
        ("utf8-cut", "A character cut in its middle.", b"a\xe2\x82"),
    ):
        case(
            name,
            about,
            [H, with_text(part), S2],
            "2 E utf8-invalid",
            below=[2],
            repaired={"ids": ["r0", "r1", "r2"], "aside": []},
        )
    case(
        "nul-run",
        "A line of NUL bytes, as a power loss leaves it.",
        [H, b"\0" * 32, S2],
        "2 E nul-bytes",
        below=[2],
        repaired={"ids": ["r0", "r2"], "aside": [2]},
    )
    case(
        "nul-before-record",
        "NUL bytes before a whole record.",
        [H, b"\0" * 8 + S1, S2],
        "2 E nul-bytes",
        below=[2],
        repaired={"ids": ["r0", "r1", "r2"], "aside": []},
    )
    case(
        "torn-tail",
        "The last record is cut off: one finding, since that it is no JSON says the same.",
        H + b"\n" + S1 + b"\n" + S2[:20],
        "3 E line-torn",
        below=[3],
        repaired={"ids": ["r0", "r1"], "aside": [3]},
    )
    case(
        "torn-in-the-middle",
        "A record is cut off, and others follow.",
        [H, S1[:20], S2],
        "2 E json-invalid",
        below=[2],
        repaired={"ids": ["r0", "r2"], "aside": [2]},
    )
    case(
        "torn-and-glued",
        "The next record follows a cut one on its line.",
        [H, S1[:20] + S2, S3],
        "2 E json-invalid",
        below=[2],
        repaired={"ids": ["r0", "r2", "r3"], "aside": []},
    )
    case(
        "glued",
        "Two whole records on a line.",
        [H, S1 + S2, S3],
        "2 E json-invalid",
        below=[2],
        repaired={"ids": ["r0", "r1", "r2", "r3"], "aside": []},
    )
    case(
        "glued-three",
        "Three whole records on a line, spaces between.",
        [H, S1 + b" " + S2 + b" " + S3],
        "2 E json-invalid",
        below=[2],
        repaired={"ids": ["r0", "r1", "r2", "r3"], "aside": []},
    )
    case(
        "header-glued",
        "The header and a record on a line.",
        [H + S1, S2],
        "1 E json-invalid",
        below=[1],
        repaired={"ids": ["r0", "r1", "r2"], "aside": []},
    )
    case(
        "raw-newline",
        "A newline within a string makes two lines that are no JSON.",
        [H, with_text(b"a\nb"), S2],
        "2 E json-invalid",
        "3 E json-invalid",
        below=[2, 3],
        repaired={"ids": ["r0", "r1", "r2"], "aside": []},
    )
    case(
        "raw-tab",
        "A raw control character within a string.",
        [H, with_text(b"a\tb"), S2],
        "2 E json-invalid",
        below=[2],
        repaired={"ids": ["r0", "r1", "r2"], "aside": []},
    )
    case(
        "raw-cr",
        "A lone CR splits no line, and within a string it is no JSON.",
        [H, with_text(b"a\rb"), S2],
        "2 E json-invalid",
        below=[2],
        repaired={"ids": ["r0", "r1", "r2"], "aside": []},
    )
    for name, about, line in (
        ("trailing-comma", "A comma before the closing brace.", b'{"type":"state","seq":1,"id":"r1","state":"idle",}'),
        ("single-quotes", "Strings in single quotes.", b"{'type':'state','seq':1,'id':'r1','state':'idle'}"),
        ("comment", "A comment.", S1 + b" // done"),
        ("garbage-behind", "Something follows the object.", S1 + b" x"),
        ("no-json", "A line of prose.", b"Traceback (most recent call last):"),
        ("nan", "NaN is not JSON.", with_arguments(b'{"x":NaN}')),
        ("infinity", "Infinity is not JSON.", with_arguments(b'{"x":-Infinity}')),
        ("leading-zero", "A number with a leading zero.", with_arguments(b'{"x":01}')),
        ("plus-sign", "A number with a plus sign.", with_arguments(b'{"x":+1}')),
        ("bare-fraction", "A number that begins with its point.", with_arguments(b'{"x":.5}')),
        ("bare-point", "A number that ends with its point.", with_arguments(b'{"x":1.}')),
        ("hex", "A number in hexadecimal.", with_arguments(b'{"x":0x1f}')),
        ("bad-escape", "An escape that JSON has not.", with_text(b"\\x41")),
    ):
        case(f"json-{name}", about, [H, line, S2], "2 E json-invalid", below=[2])
    for name, value in (("array", b"[1]"), ("string", b'"x"'), ("number", b"1"), ("null", b"null"), ("true", b"true")):
        case(f"not-an-object-{name}", f"JSON, but no object: {value.decode()}.", [H, value, S2], "2 E not-an-object")
    for name, about, line, pointer in (
        ("top", "A member twice, with two values.", with_member(b'"note":1,"note":2'), "/note"),
        ("same-value", "A member twice with the same value is twice, too.", with_member(b'"note":1,"note":1'), "/note"),
        ("deep", "A member twice in an object within.", with_arguments(b'{"a":[{"b":1,"b":2}]}'), "/arguments/a/0/b"),
        ("escaped", "Two spellings of one name.", with_member(b'"note":1,"n\\u006fte":2'), "/note"),
    ):
        case(f"duplicate-member-{name}", about, [H, line, S2], f"2 E duplicate-member {pointer}", below=[2])
    case(
        "same-name-elsewhere",
        "One name in two objects is no repetition.",
        [H, with_arguments(b'{"a":{"x":1},"b":{"x":1}}')],
    )
    case("surrogate-pair", "A pair of escapes is one character.", [H, with_text(b"\\ud83d\\ude00")])
    for name, literal in (("high", b"\\ud83d"), ("low", b"\\ude00x"), ("reversed", b"\\ude00\\ud83d")):
        case(
            f"surrogate-{name}",
            "An unpaired surrogate, as tools print it.",
            [H, with_text(literal), S2],
            "2 E lone-surrogate /content/0/text",
            below=[2],
            repaired={"ids": ["r0", "r1", "r2"], "aside": []},
        )
    case(
        "surrogate-deep",
        "An unpaired surrogate in free-form JSON.",
        [H, with_arguments(b'{"a":["\\udc00"]}')],
        "2 E lone-surrogate /arguments/a/0",
        below=[2],
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "noncharacter",
        "Noncharacters are kept and reported.",
        [H, with_text("a\ufffe".encode()), with_text(b"\\ufdd0", 2)],
        "2 W noncharacter /content/0/text",
        "3 W noncharacter /content/0/text",
    )
    case(
        "number-too-large",
        "A number beyond the range of a double.",
        [H, with_arguments(b'{"x":1e400}')],
        "2 E number-not-finite /arguments/x",
        below=[2],
    )
    case(
        "number-too-small",
        "The same with a sign.",
        [H, with_arguments(b'{"x":-1e400}')],
        "2 E number-not-finite /arguments/x",
        below=[2],
    )
    case(
        "number-inexact",
        "Numbers that a double cannot hold keep their digits.",
        [
            H,
            with_arguments(b'{"x":9007199254740993}'),
            with_arguments(b'{"x":0.1234567890123456789}', 2),
            with_arguments(b'{"x":-123456789012345678901234567890}', 3),
        ],
        "2 W number-out-of-range /arguments/x",
        "3 W number-out-of-range /arguments/x",
        "4 W number-out-of-range /arguments/x",
    )
    case(
        "number-edges",
        "The largest integers that are exact, and odd literals of exact numbers.",
        [H, with_arguments(b"[9007199254740991,-9007199254740991,-0,1e2,1.50,0.0]")],
    )
    case("nesting-200", "200 levels of nesting are promised.", [H, with_arguments(b"[" * 199 + b"]" * 199)])
    case(
        "nesting-300",
        "More than 254 levels.",
        [H, with_arguments(b"[" * 300 + b"]" * 300), S2],
        "2 E nesting-too-deep",
        below=[2],
    )


def envelope() -> None:
    """The members that every record has (ASR-040 to ASR-045)."""
    for name, about, line, finding in (
        ("type-missing", "No type.", {"seq": 1, "id": "r1"}, "member-missing /type"),
        ("type-number", "A type that is no string.", {"type": 5, "seq": 1, "id": "r1"}, "type-invalid /type"),
        ("type-null", "A type of null.", {"type": None, "seq": 1, "id": "r1"}, "null-not-allowed /type"),
        ("seq-missing", "No seq.", {"type": "state", "id": "r1", "state": "idle"}, "member-missing /seq"),
        (
            "seq-string",
            "A seq as a string.",
            {"type": "state", "seq": "1", "id": "r1", "state": "idle"},
            "integer-invalid /seq",
        ),
        (
            "seq-negative",
            "A seq below 0.",
            {"type": "state", "seq": -1, "id": "r1", "state": "idle"},
            "integer-invalid /seq",
        ),
        (
            "seq-true",
            "A seq of true.",
            {"type": "state", "seq": True, "id": "r1", "state": "idle"},
            "integer-invalid /seq",
        ),
        (
            "seq-fraction",
            "A seq with a fraction.",
            {"type": "state", "seq": 1.5, "id": "r1", "state": "idle"},
            "integer-invalid /seq",
        ),
        (
            "seq-too-large",
            "A seq of 2^53.",
            {"type": "state", "seq": 2**53, "id": "r1", "state": "idle"},
            "integer-invalid /seq",
        ),
        (
            "seq-null",
            "A seq of null.",
            {"type": "state", "seq": None, "id": "r1", "state": "idle"},
            "null-not-allowed /seq",
        ),
    ):
        saved = name.startswith("seq")
        repaired = {"ids": ["r0", "r1", "r2"] if saved else ["r0", "r2"], "aside": [] if saved else [2]}
        case(f"envelope-{name}", about, [H, line, S2], f"2 E {finding}", repaired=repaired)
    for name, literal in (("point-zero", b"1.0"), ("exponent", b"1e0")):
        case(
            f"envelope-seq-{name}",
            "An integer is written without fraction or exponent (ASR-042).",
            [H, b'{"type":"state","seq":%s,"id":"r1","state":"idle"}' % literal, S2],
            "2 E integer-invalid /seq",
            below=[2],
            repaired={"ids": ["r0", "r1", "r2"], "aside": []},
        )
    case("envelope-seq-largest", "The largest seq, 2^53-1.", [H, {**state(1), "seq": 2**53 - 1}])
    for name, about, value, code in (
        ("missing", "No id.", ..., "member-missing"),
        ("empty", "An id without a character.", "", "value-invalid"),
        ("number", "An id that is no string.", 7, "type-invalid"),
        ("null", "An id of null.", None, "null-not-allowed"),
    ):
        members = {k: v for k, v in {**state(1), "id": value}.items() if v is not ...}
        case(
            f"envelope-id-{name}",
            about,
            [H, members, S2],
            f"2 E {code} /id",
            repaired={"ids": ["r0", "r2"], "aside": [2]},
        )
    case(
        "envelope-id-reads-as-ref",
        "An id that begins with an entity key and `=` would be read as a ref.",
        [H, {**state(1), "id": "callId=x"}],
        "2 W ref-ambiguous /id",
    )
    case(
        "envelope-id-with-equals",
        "Any other `=` in an id is no matter.",
        [H, {**state(1), "id": "note=x"}, {**state(2), "id": "=x"}],
    )
    case(
        "envelope-all",
        "Every member of the envelope.",
        [
            header(participants=[{"id": "p1"}], conversations=[{"id": "k1"}]),
            msg(
                1,
                "m1",
                turnId="t1",
                timestamp="2026-10-26T14:02:11.204Z",
                participant="p1",
                conversation="k1",
                capture={
                    "content": {
                        "state": "truncated",
                        "bytes": 10,
                        "sha256": "00",
                        "blob": {"sha256": "00", "bytes": 10, "path": "b"},
                        "reason": "size",
                    }
                },
                source={
                    "path": "log.jsonl",
                    "line": 3,
                    "span": {"offset": 0, "length": 9},
                    "nativeType": "user",
                    "nativeId": "u1",
                },
            ),
            msg(2, "m2", predecessor="messageId=m1"),
        ],
    )
    case(
        "envelope-turn-number",
        "A turnId that is no string.",
        [H, state(1, turnId=5)],
        "2 E type-invalid /turnId",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "envelope-turn-null",
        "Null for unknown: the member is to be left out (ASR-043).",
        [H, state(1, turnId=None)],
        "2 E null-not-allowed /turnId",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "envelope-nulls-of-ours",
        "A null in a member of our own table is a warning and reads as absent.",
        [
            H,
            state(1, timestamp=None, participant=None, conversation=None, source=None),
            msg(2, "m", predecessor=None),
            state(3, source={"path": None, "line": None, "span": None}),
        ],
        "2 W null-not-allowed /timestamp",
        "2 W null-not-allowed /participant",
        "2 W null-not-allowed /conversation",
        "2 W null-not-allowed /source",
        "3 W null-not-allowed /predecessor",
        "4 W null-not-allowed /source/path",
        "4 W null-not-allowed /source/line",
        "4 W null-not-allowed /source/span",
    )
    case(
        "envelope-unknown-members",
        "Unknown members are kept, whatever they hold.",
        [H, state(1, x=None, y={"z": [None, 1]}, vendor_thing="a")],
    )
    case(
        "envelope-misspelled",
        "An unknown member that differs from a defined one only by case, `_` or `-` (ASR-040).",
        [H, state(1, turn_id="t"), state(2, TimeStamp="x"), state(3, **{"turn-id": "t"})],
        "2 W member-misspelled /turn_id",
        "3 W member-misspelled /TimeStamp",
        "4 W member-misspelled /turn-id",
    )
    case(
        "envelope-misspelled-inside",
        "The same within an object.",
        [H, state(1, source={"native_id": "x"})],
        "2 W member-misspelled /source/native_id",
    )
    for name, about, value in (
        ("seconds", "No fraction.", "2026-10-26T14:02:11Z"),
        ("one-digit", "One digit.", "2026-10-26T14:02:11.2Z"),
        ("nanoseconds", "Nine digits.", "2026-10-26T14:02:11.204118930Z"),
        ("leap-second", "A leap second.", "2016-12-31T23:59:60Z"),
        ("leap-day", "29 February of a leap year.", "2024-02-29T00:00:00Z"),
        ("leap-day-2000", "29 February of a year that 400 divides.", "2000-02-29T00:00:00Z"),
        ("midnight", "The first moment of a day.", "2026-01-01T00:00:00.000Z"),
    ):
        case(f"timestamp-{name}", about, [H, state(1, timestamp=value)])
    for name, about, bad in (
        ("date-only", "A date is no timestamp.", "2026-10-26"),
        ("offset", "An offset, even of zero, is not Z.", "2026-10-26T14:02:11+00:00"),
        ("local", "A local time.", "2026-10-26T14:02:11"),
        ("lower-z", "A lower-case z.", "2026-10-26T14:02:11z"),
        ("lower-t", "A lower-case t.", "2026-10-26t14:02:11Z"),
        ("space", "A space for T.", "2026-10-26 14:02:11Z"),
        ("ten-digits", "Ten digits of a second.", "2026-10-26T14:02:11.1234567890Z"),
        ("no-digits", "A point without digits.", "2026-10-26T14:02:11.Z"),
        ("comma", "A comma for the point.", "2026-10-26T14:02:11,5Z"),
        ("february-30", "A day that no calendar has.", "2026-02-30T10:00:00Z"),
        ("february-29", "29 February of a common year.", "2023-02-29T10:00:00Z"),
        ("february-1900", "1900 was no leap year.", "1900-02-29T10:00:00Z"),
        ("april-31", "A month of 30 days.", "2026-04-31T10:00:00Z"),
        ("month-13", "A month that no calendar has.", "2026-13-01T10:00:00Z"),
        ("hour-24", "Hours go to 23.", "2026-10-26T24:00:00Z"),
        ("minute-60", "Minutes go to 59.", "2026-10-26T14:60:00Z"),
        ("second-61", "Seconds go to 60.", "2026-10-26T14:02:61Z"),
        ("other-digits", "Digits of another script.", "２０２６-10-26T14:02:11Z"),
        ("newline", "A newline behind it.", "2026-10-26T14:02:11Z\n"),
        ("blank-before", "A space before it.", " 2026-10-26T14:02:11Z"),
        ("empty", "No character.", ""),
        ("number", "Milliseconds since 1970.", 1792591331204),
        ("object", "An object.", {"seconds": 1}),
    ):
        case(
            f"timestamp-bad-{name}",
            about,
            [H, state(1, timestamp=bad)],
            "2 E timestamp-invalid /timestamp",
            repaired={"ids": ["r0", "r1"], "aside": []},
        )
    case(
        "capture-state-missing",
        "A capture state says at least how completely.",
        [H, state(1, capture={"content": {"bytes": 1}})],
        "2 E member-missing /capture/content/state",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case("capture-open", "An unknown state is accepted.", [H, state(1, capture={"x": {"state": "sampled", "more": 1}})])
    case(
        "capture-list",
        "Capture states are an object.",
        [H, state(1, capture=[])],
        "2 E type-invalid /capture",
        repaired={"ids": ["r0"], "aside": [2]},
    )
    case(
        "capture-null-inside",
        "A null in a capture state's own members is a warning.",
        [H, state(1, capture={"x": {"state": "redacted", "bytes": None}})],
        "2 W null-not-allowed /capture/x/bytes",
    )
    case(
        "source-line-string",
        "A line number as a string.",
        [H, state(1, source={"line": "3"})],
        "2 E integer-invalid /source/line",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "source-span-negative",
        "A span begins at 0 or later.",
        [H, state(1, source={"span": {"offset": -1, "length": 2}})],
        "2 E integer-invalid /source/span/offset",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "source-span-half",
        "A span has an offset and a length.",
        [H, state(1, source={"span": {"offset": 1}})],
        "2 E member-missing /source/span/length",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "predecessor-number",
        "A predecessor is a ref, a string.",
        [H, msg(1, "m", predecessor=0)],
        "2 E type-invalid /predecessor",
        "2 W predecessor-missing /predecessor",
        repaired={"ids": ["r0"], "aside": [2]},
    )


BLOB: Final = {"sha256": "00", "bytes": 3, "path": "blobs/00"}
EVERY_BLOCK: Final = [
    {"type": "text", "text": "a"},
    {"type": "reasoning", "text": "b", "signature": "c==", "encrypted": "d"},
    {"type": "image", "mimeType": "image/png", "data": "AAAA", "name": "p"},
    {"type": "audio", "mimeType": "audio/wav", "blob": BLOB},
    {"type": "file", "mimeType": "text/plain", "uri": "https://example.org/x"},
    {"type": "resource_link", "uri": "https://example.org/x", "name": "x", "mimeType": "text/plain", "size": 3},
    {"type": "diff", "path": "a.py", "oldText": "x", "newText": "y"},
    {"type": "terminal", "terminalId": "t1"},
    {"type": "hologram", "depth": 3, "x": None},
]
ERROR: Final = {"message": "no", "code": "E1"}
DECLARED: Final[dict[str, Any]] = {
    "profiles": ["x-other"],
    "extensions": [{"name": "e", "version": "1", "uri": "https://example.org"}],
    "losses": [{"kind": "k", "stage": "capture", "field": "f", "count": 1, "explanation": "e"}],
    "contentLevel": "full",
    "roots": [
        {
            "id": "app",
            "path": None,
            "vcs": {"kind": "git", "revision": "c0", "branch": "main", "remote": "r", "dirty": True},
        }
    ],
    "participants": [{"id": "p1", "kind": "human", "name": "P"}],
    "conversations": [{"id": "k1", "kind": "chat", "name": "K", "participants": ["p1"]}],
    "client": {"name": "ide", "version": "1"},
    "environment": {"os": "linux", "arch": "arm64", "shell": "sh", "hostname": "h", "more": 1},
}

TYPES: Final[dict[str, tuple[dict[str, Any], dict[str, Any], tuple[str, Any, str]]]] = {
    # type: required members, all others, and a member with a wrong value and its code
    "declaration": ({}, DECLARED, ("roots", [{"id": "app"}], "member-missing /roots/0/path")),
    "session_info": (
        {},
        {"title": "t", "summary": "s", "tags": ["a"], "archived": False},
        ("archived", "no", "type-invalid /archived"),
    ),
    "message": (
        {"messageId": "m1", "role": "assistant"},
        {"content": EVERY_BLOCK, "model": "big", "stopReason": "end_turn", "modelCallId": "c", "origin": "user"},
        ("content", "hello", "type-invalid /content"),
    ),
    "tool_call": (
        {"callId": "c1"},
        {
            "callIdSource": "native",
            "name": "Read",
            "title": "t",
            "kind": "read",
            "arguments": {"a": None},
            "argumentsStatus": "complete",
            "status": "completed",
            "locations": [{"root": "app", "path": "a.py", "line": 1}],
            "server": "s",
            "modelCallId": "c",
            "parentCallId": "c0",
            "childSession": "asr:toy//s2",
        },
        ("locations", [{"line": 1}], "member-missing /locations/0/path"),
    ),
    "tool_result": (
        {"callId": "c1"},
        {
            "outcome": "error",
            "content": EVERY_BLOCK,
            "structured": None,
            "error": ERROR,
            "exitCode": -9,
            "signal": "KILL",
            "durationMs": 1.5,
            "terminalId": "t1",
        },
        ("exitCode", "1", "integer-invalid /exitCode"),
    ),
    "compaction": (
        {"compactionId": "k1"},
        {
            "status": "failed",
            "trigger": "auto",
            "summary": EVERY_BLOCK,
            "keptFrom": "r0",
            "tokensBefore": 9,
            "tokensAfter": 0,
            "error": ERROR,
        },
        ("tokensBefore", 1.5, "integer-invalid /tokensBefore"),
    ),
    "rewind": ({"to": None}, {"reason": "r"}, ("reason", 1, "type-invalid /reason")),
    "model_call": (
        {"modelCallId": "c1"},
        {
            "model": "big",
            "provider": "p",
            "requestId": "q",
            "status": "failed",
            "stopReason": "error",
            "durationMs": 0,
            "timeToFirstTokenMs": 0.25,
            "error": ERROR,
        },
        ("durationMs", -1, "duration-invalid /durationMs"),
    ),
    "usage": (
        {},
        {
            "modelCallId": "c1",
            "scope": "model_call",
            "counter": "delta",
            "inputTokens": 1,
            "outputTokens": 2,
            "cacheReadTokens": 3,
            "cacheWriteTokens": 4,
            "reasoningTokens": 1,
            "totalTokens": 10,
            "contextTokens": 8,
            "contextWindow": 1000,
            "model": "big",
            "cost": {"amount": 0.1, "currency": "USD"},
            "includesChildren": None,
        },
        ("inputTokens", "1", "integer-invalid /inputTokens"),
    ),
    "permission_request": (
        {"permissionId": "q1"},
        {
            "callId": "c1",
            "title": "t",
            "description": "d",
            "options": [{"optionId": "o", "name": "n", "kind": "allow_once"}],
        },
        ("options", [{"name": "n"}], "member-missing /options/0/optionId"),
    ),
    "permission_decision": (
        {"permissionId": "q1"},
        {
            "outcome": "selected",
            "optionId": "o",
            "kind": "allow_once",
            "decidedBy": "human",
            "reason": "r",
            "updatedArguments": None,
        },
        ("optionId", 1, "type-invalid /optionId"),
    ),
    "question": (
        {"questionId": "q1"},
        {
            "callId": "c1",
            "prompt": EVERY_BLOCK,
            "options": [{"optionId": "o", "label": "l", "description": "d"}],
            "multiple": True,
            "allowOther": False,
        },
        ("multiple", "yes", "type-invalid /multiple"),
    ),
    "answer": (
        {"questionId": "q1"},
        {"outcome": "answered", "selected": ["o"], "text": "t"},
        ("selected", "o", "type-invalid /selected"),
    ),
    "memory_write": (
        {},
        {
            "memoryId": "y1",
            "operation": "upsert",
            "store": "s",
            "scope": "u",
            "key": "k",
            "content": EVERY_BLOCK,
            "callId": "c1",
        },
        ("content", [{"type": "text"}], "member-missing /content/0/text"),
    ),
    "delivery": (
        {"of": "r0"},
        {"deliveryId": "d1", "status": "sent", "recipients": ["p"], "nativeId": "n", "error": ERROR},
        ("recipients", [1], "type-invalid /recipients/0"),
    ),
    "file_change": (
        {"path": "a.py"},
        {
            "root": "app",
            "operation": "move",
            "oldPath": "b.py",
            "patch": "@@",
            "before": {"sha256": "00", "bytes": 1},
            "after": {"bytes": 2},
            "linesAdded": 1,
            "linesRemoved": 0,
            "callId": "c1",
        },
        ("before", {"bytes": -1}, "integer-invalid /before/bytes"),
    ),
    "commit": (
        {"revision": "c0ffee"},
        {"root": "app", "vcs": "git", "branch": "main", "parents": ["c0"], "message": "m", "callId": "c1"},
        ("parents", {"a": 1}, "type-invalid /parents"),
    ),
    "state": ({"state": "ended"}, {"reason": "r"}, ("reason", ["r"], "type-invalid /reason")),
    "terminal": (
        {"terminalId": "t1"},
        {
            "callId": "c1",
            "command": "ls",
            "args": ["-l"],
            "cwd": {"root": "app", "path": "src"},
            "output": "x",
            "exitStatus": {"exitCode": 1, "signal": "HUP"},
        },
        ("exitStatus", {"exitCode": True}, "integer-invalid /exitStatus/exitCode"),
    ),
    "plan": (
        {"planId": "p1"},
        {"entries": [{"content": "c", "id": "i", "status": "pending", "priority": "high"}]},
        ("entries", [{"id": "i"}], "member-missing /entries/0/content"),
    ),
    "error": (
        {"message": "m"},
        {"code": "c", "severity": "fatal", "retryable": True, "modelCallId": "c", "callId": "c1"},
        ("retryable", 1, "type-invalid /retryable"),
    ),
}
"""The tables of the specification's record types, as this project reads them."""


def record_types() -> None:
    """Every record type: with its required members alone, with all members, without each required one, with a wrong value."""
    for record_type, (required, others, (member, wrong, finding)) in TYPES.items():
        known_ref = {"of": "r0", "keptFrom": "r0"}
        case(
            f"type-{record_type}",
            f"A {record_type} record with its required members, and one with all.",
            [
                H,
                rec(record_type, 1, **required),
                rec(record_type, 2, **required, **{k: v for k, v in others.items() if k not in known_ref}),
            ],
        )
        for name in required:
            line = rec(record_type, 1, **{k: v for k, v in required.items() if k != name}, **others)
            extra = ["2 W rewind-target /to"] if record_type == "rewind" else []
            case(
                f"type-{record_type}-no-{name}",
                f"A {record_type} record without `{name}`.",
                [H, line],
                f"2 E member-missing /{name}",
                *extra,
                repaired={"ids": ["r0"], "aside": [2]},
            )
        case(
            f"type-{record_type}-bad-{member}",
            f"A {record_type} record with a wrong `{member}`.",
            [H, rec(record_type, 1, **required, **{member: wrong})],
            f"2 E {finding}",
            repaired={"ids": ["r0", "r1"], "aside": []},
        )
    case(
        "type-unknown",
        "An unknown type is accepted and kept.",
        [H, rec("hologram", 1, x=None, messageId=5, depth={"a": 1})],
    )
    case(
        "type-unknown-bad-envelope",
        "Its envelope has the rules of any record's.",
        [H, rec("hologram", 1, timestamp="now")],
        "2 E timestamp-invalid /timestamp",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "type-known-does-not-degrade",
        "A known type that breaks its rules is an error, never an unknown record.",
        [H, rec("message", 1, role="user")],
        "2 E member-missing /messageId",
        repaired={"ids": ["r0"], "aside": [2]},
    )
    case(
        "open-enums",
        "Unknown values of enums are accepted.",
        [
            header(producer={"method": "telepathy"}),
            msg(1, "m") | {"role": "oracle"},
            rec("state", 2, state="dreaming"),
            call(3, "c", kind="levitate", status="paused"),
        ],
    )
    for name, block, finding in (
        ("text", {"type": "text"}, "member-missing /content/0/text"),
        ("text-number", {"type": "text", "text": 1}, "type-invalid /content/0/text"),
        ("text-null", {"type": "text", "text": None}, "null-not-allowed /content/0/text"),
        ("image", {"type": "image", "data": "AAAA"}, "member-missing /content/0/mimeType"),
        ("blob", {"type": "file", "mimeType": "a/b", "blob": {"sha256": "00"}}, "member-missing /content/0/blob/bytes"),
        ("resource-link", {"type": "resource_link"}, "member-missing /content/0/uri"),
        ("resource-size", {"type": "resource_link", "uri": "u", "size": -1}, "integer-invalid /content/0/size"),
        ("diff", {"type": "diff", "oldText": "x"}, "member-missing /content/0/path"),
        ("terminal", {"type": "terminal"}, "member-missing /content/0/terminalId"),
        ("without-type", {"text": "x"}, "member-missing /content/0/type"),
    ):
        case(
            f"block-{name}",
            "A content block that breaks a rule of its type.",
            [H, msg(1, "m", content=[block])],
            f"2 E {finding}",
            repaired={"ids": ["r0", "r1"], "aside": []},
        )
    case(
        "block-string",
        "A block is an object.",
        [H, msg(1, "m", content=["hello"])],
        "2 E type-invalid /content/0",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case("content-empty", "No blocks are no fault.", [H, msg(1, "m", content=[])])


def values() -> None:
    """Nulls, durations, amounts, integers, references (ASR-042, ASR-043, ASR-045, ASR-047)."""
    case(
        "null-with-meaning",
        "Null where it has a meaning.",
        [
            header(roots=[{"id": "a", "path": None}]),
            rec("rewind", 1, to=None),
            rec("usage", 2, includesChildren=None),
            rec("session_info", 3, title=None, summary=None, tags=None, archived=None),
        ],
    )
    case(
        "namespace-absent",
        "An absent namespace reads as null.",
        [{k: v for k, v in header().items() if k != "namespace"}],
    )
    case("namespace-text", "A namespace is text.", [header(namespace="acme/1")])
    case(
        "namespace-empty",
        "A namespace is null or not empty.",
        [header(namespace="")],
        "1 E value-invalid /namespace",
        repaired={"ids": None, "aside": []},
    )
    for name, line, pointer in (
        ("model", msg(1, "m", model=None), "/model"),
        ("content", msg(1, "m", content=None), "/content"),
        ("tokens", rec("usage", 1, inputTokens=None), "/inputTokens"),
        ("duration", rec("tool_result", 1, callId="c", durationMs=None), "/durationMs"),
        ("exit-code", rec("tool_result", 1, callId="c", exitCode=None), "/exitCode"),
        ("in-a-list", rec("session_info", 1, tags=["a", None]), "/tags/1"),
        ("inside", rec("plan", 1, planId="p", entries=[{"content": "c", "status": None}]), "/entries/0/status"),
    ):
        case(
            f"null-{name}",
            "Null where it has no meaning.",
            [H, line],
            f"2 E null-not-allowed {pointer}",
            repaired={"ids": ["r0", "r1"], "aside": []},
        )
    case(
        "null-free-form",
        "Free-form JSON may hold null.",
        [
            H,
            call(1, "c", arguments=None),
            rec("tool_result", 2, callId="c", structured={"a": [None]}),
            rec("permission_decision", 3, permissionId="p", updatedArguments={"a": None}),
        ],
    )
    case(
        "duration-valid",
        "Durations: zero, a fraction, an exponent.",
        [
            H,
            *(
                b'{"type":"tool_result","seq":%d,"id":"r%d","callId":"c%d","durationMs":%s}' % (n, n, n, d)
                for n, d in enumerate((b"0", b"1.5", b"1e3", b"12345678901"), 1)
            ),
        ],
    )
    for name, value in (("negative", -0.5), ("string", "5"), ("true", True), ("list", [1])):
        case(
            f"duration-{name}",
            "Not a non-negative number.",
            [H, rec("tool_result", 1, callId="c", durationMs=value)],
            "2 E duration-invalid /durationMs",
            repaired={"ids": ["r0", "r1"], "aside": []},
        )
    case(
        "duration-infinite",
        "A duration beyond the range of a double.",
        [H, b'{"type":"tool_result","seq":1,"id":"r1","callId":"c","durationMs":1e400}'],
        "2 E number-not-finite /durationMs",
        below=[2],
    )
    case(
        "amount-valid",
        "Amounts: zero, cents, an integer.",
        [H, *(rec("usage", n, cost={"amount": a, "currency": "USD"}) for n, a in enumerate((0, 0.1, 3), 1))],
    )
    for name, amount in (("negative", -1), ("string", "0.1"), ("false", False)):
        case(
            f"amount-{name}",
            "Not a non-negative decimal amount.",
            [H, rec("usage", 1, cost={"amount": amount, "currency": "USD"})],
            "2 E amount-invalid /cost/amount",
            repaired={"ids": ["r0", "r1"], "aside": []},
        )
    case(
        "amount-without-currency",
        "An amount has a currency.",
        [H, rec("usage", 1, cost={"amount": 1})],
        "2 E member-missing /cost/currency",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "integer-point-zero",
        "A count written as 3.0.",
        [H, b'{"type":"usage","seq":1,"id":"r1","inputTokens":3.0}'],
        "2 E integer-invalid /inputTokens",
        below=[2],
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "integer-exponent",
        "A count written as 1e3.",
        [H, b'{"type":"usage","seq":1,"id":"r1","inputTokens":1e3}'],
        "2 E integer-invalid /inputTokens",
        below=[2],
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "integer-too-large",
        "A count of 2^53.",
        [H, rec("usage", 1, inputTokens=2**53)],
        "2 E integer-invalid /inputTokens",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    case(
        "exit-code-edges",
        "Exit codes may be negative, down to -(2^53-1).",
        [
            H,
            rec("tool_result", 1, callId="c", exitCode=-(2**53 - 1)),
            rec("tool_result", 2, callId="d", exitCode=2**53 - 1),
        ],
    )
    case(
        "exit-code-too-small",
        "An exit code of -(2^53).",
        [H, rec("tool_result", 1, callId="c", exitCode=-(2**53))],
        "2 E integer-invalid /exitCode",
        repaired={"ids": ["r0", "r1"], "aside": []},
    )
    for n, reference in enumerate(
        ("asr:toy//s2", "asr:toy/acme/s2#r5", "asr:a%20b/%C3%A9/%F0%9F%98%80#messageId%3Dm1", "asr://")
    ):
        case(f"reference-valid-{n}", f"A session reference: {reference}", [header(parent=reference)])
    for name, reference in (
        ("scheme", "toy//s2"),
        ("two-parts", "asr:toy/s2"),
        ("four-parts", "asr:a/b/c/d"),
        ("raw-space", "asr:a b//s"),
        ("bad-escape", "asr:a%2//s"),
        ("not-utf8", "asr:%FF//s"),
        ("empty-ref", "asr:toy//s2#"),
        ("newline", "asr:toy//s2\n"),
        ("upper-scheme", "ASR:toy//s2"),
        ("overlong", "asr:%C0%80//s"),
        ("surrogate", "asr:%ED%A0%80//s"),
    ):
        case(
            f"reference-bad-{name}",
            "Not a session reference.",
            [H, call(1, "c", childSession=reference)],
            "2 E session-reference-invalid /childSession",
            repaired={"ids": ["r0", "r1"], "aside": []},
        )
    case("fork", "A fork names its original.", [header(forkOf={"session": "asr:toy//s0", "ref": "messageId=m1"})])
    case(
        "fork-without-session",
        "A fork without its original.",
        [header(forkOf={"ref": "r1"})],
        "1 E member-missing /forkOf/session",
        repaired={"ids": ["r0"], "aside": []},
    )


def headers() -> None:
    """The session header and the order of a stream."""
    case(
        "header-all",
        "Every member of the header.",
        [
            header(
                formatVersion="0", agentVersion="1", parent="asr:toy//s0", forkOf={"session": "asr:toy//s0"}, **DECLARED
            )
        ],
    )
    for name in ("agent", "sessionId", "producer"):
        case(
            f"header-no-{name}",
            f"A header without `{name}`.",
            [{k: v for k, v in header().items() if k != name}, S1],
            f"1 E member-missing /{name}",
            repaired={"ids": None, "aside": []},
        )
    case(
        "header-no-method",
        "A producer says how it obtained the data.",
        [header(producer={"name": "x"})],
        "1 E member-missing /producer/method",
        repaired={"ids": None, "aside": []},
    )
    case(
        "header-missing",
        "A stream that begins with another record.",
        [S1, S2],
        "1 E header-missing /type",
        repaired={"ids": None, "aside": []},
    )
    case(
        "header-repeated",
        "The header a second time.",
        [H, S1, header(seq=2, id="r2"), S3],
        "3 E header-repeated /type",
        repaired={"ids": ["r0", "r1", "r3"], "aside": [3]},
    )
    case(
        "two-sessions",
        "Two streams in one file: the second is another session, so that nothing of it joins the first.",
        [H, S1, {**header(), "seq": 2, "id": "h2", "sessionId": "s2"}, S3],
        "3 E header-repeated /type",
        repaired={"ids": ["r0", "r1"], "aside": [3, 4]},
    )
    case("seq-gaps", "Gaps in seq are no fault.", [H, state(5), state(100)])
    case("seq-header-not-zero", "The header's seq is the smallest, it need not be 0.", [header(seq=7), state(8)])
    case(
        "seq-equal",
        "A seq twice.",
        [H, S1, {**state(1), "id": "x"}, S3],
        "3 E seq-not-increasing /seq",
        repaired={"ids": ["r0", "r1", "x", "r3"], "aside": []},
    )
    case(
        "seq-lower",
        "A seq below an earlier one.",
        [H, state(5), state(4), state(6)],
        "3 E seq-not-increasing /seq",
        repaired={"ids": ["r0", "r5", "r4", "r6"], "aside": []},
    )
    case(
        "seq-highest-counts",
        "Each seq is compared with the highest before it.",
        [H, state(5), state(2), state(4)],
        "3 E seq-not-increasing /seq",
        "4 E seq-not-increasing /seq",
        repaired={"ids": ["r0", "r5", "r2", "r4"], "aside": []},
    )
    case(
        "id-twice",
        "Two records with one id.",
        [H, S1, {**state(2), "id": "r1"}],
        "3 E id-duplicate /id",
        repaired={"ids": ["r0", "r1", "r1#2"], "aside": []},
    )
    case(
        "line-twice",
        "A record written twice.",
        [H, S1, S1, S2],
        "3 E seq-not-increasing /seq",
        "3 E id-duplicate /id",
        repaired={"ids": ["r0", "r1", "r2"], "aside": [3]},
    )
    case(
        "id-case",
        "Ids are compared by code point: case and form count (ASR-046).",
        [
            H,
            {**state(1), "id": "A"},
            {**state(2), "id": "a"},
            {**state(3), "id": "\u00e9"},
            {**state(4), "id": "e\u0301"},
        ],
    )
    case(
        "declared",
        "Participants and conversations that the header declares.",
        [header(participants=[{"id": "p"}], conversations=[{"id": "k"}]), state(1, participant="p", conversation="k")],
    )
    case(
        "undeclared",
        "Participants and conversations that nothing declares.",
        [H, state(1, participant="p", conversation="k")],
        "2 W participant-undeclared /participant",
        "2 W conversation-undeclared /conversation",
    )
    case(
        "declared-later",
        "A declaration holds for later records.",
        [H, state(1, participant="p"), rec("declaration", 2, participants=[{"id": "p"}]), state(3, participant="p")],
        "2 W participant-undeclared /participant",
    )
    case(
        "declared-anew",
        "A declaration replaces the whole value.",
        [
            header(participants=[{"id": "p"}]),
            rec("declaration", 1, participants=[{"id": "q"}]),
            state(2, participant="p"),
        ],
        "3 W participant-undeclared /participant",
    )
    case(
        "delivery-of-nothing",
        "A delivery of a message that is not there.",
        [H, rec("delivery", 1, of="messageId=m9")],
        "2 W ref-unresolved /of",
    )
    case(
        "revision",
        "A record with the entity key of an earlier one is a revision.",
        [H, msg(1, "m", content=text("a")), msg(2, "m", content=text("b"))],
    )


def structure() -> None:
    """How the conversation hangs together (section "Structure")."""
    case(
        "linear",
        "Without predecessors each entity follows the head.",
        [H, msg(1, "a"), call(2, "c"), rec("tool_result", 3, callId="c"), msg(4, "b")],
    )
    case(
        "predecessor-by-key",
        "A predecessor by entity key and by record id.",
        [H, msg(1, "a"), msg(2, "b", predecessor="messageId=a"), msg(3, "c", predecessor="r1")],
    )
    case(
        "predecessor-missing",
        "A predecessor that is not in the stream.",
        [H, msg(1, "a"), msg(2, "b", predecessor="messageId=zz")],
        "3 W predecessor-missing /predecessor",
    )
    case(
        "predecessor-later",
        "A predecessor that comes later.",
        [H, msg(1, "a", predecessor="messageId=b"), msg(2, "b", predecessor="messageId=a")],
        "2 W predecessor-later /predecessor",
    )
    case(
        "predecessor-self",
        "An entity that follows itself.",
        [H, msg(1, "a", predecessor="messageId=a")],
        "2 W predecessor-cycle /predecessor",
    )
    case(
        "predecessor-audit-only",
        "A predecessor that takes no part in the context.",
        [H, state(1), msg(2, "a", predecessor="r1")],
        "3 W predecessor-audit-only /predecessor",
    )
    case(
        "predecessor-changed",
        "A revision that names another predecessor; the first counts.",
        [H, msg(1, "a"), msg(2, "b"), msg(3, "c", predecessor="messageId=b"), msg(4, "c", predecessor="messageId=a")],
        "5 W predecessor-changed /predecessor",
    )
    case(
        "predecessor-repeated",
        "A revision that names the same predecessor.",
        [H, msg(1, "a"), msg(2, "b", predecessor="messageId=a"), msg(3, "b", predecessor="r1")],
    )
    case(
        "predecessor-misplaced",
        "A predecessor on a record that takes no part in the context.",
        [H, msg(1, "a"), state(2, predecessor="r1")],
        "3 W predecessor-misplaced /predecessor",
    )
    case(
        "predecessor-misplaced-unknown",
        "Unknown types take no part in the context.",
        [H, msg(1, "a"), rec("hologram", 2, predecessor="r1")],
        "3 W predecessor-misplaced /predecessor",
    )
    case(
        "rewind",
        "A rewind to an entity, and to nothing.",
        [
            H,
            msg(1, "a"),
            msg(2, "b"),
            rec("rewind", 3, to="messageId=a"),
            msg(4, "c"),
            rec("rewind", 5, to=None),
            msg(6, "d"),
        ],
    )
    case(
        "rewind-nowhere",
        "A rewind to what is not there.",
        [H, msg(1, "a"), rec("rewind", 2, to="messageId=zz")],
        "3 W rewind-target /to",
    )
    case(
        "rewind-audit-only",
        "A rewind to a record that takes no part in the context.",
        [H, msg(1, "a"), state(2), rec("rewind", 3, to="r2")],
        "4 W rewind-target /to",
    )
    case(
        "rewind-later",
        "A rewind to what comes later.",
        [H, msg(1, "a"), rec("rewind", 2, to="messageId=b"), msg(3, "b")],
        "3 W rewind-target /to",
    )
    case(
        "compaction",
        "A compaction that keeps what follows an entity.",
        [H, msg(1, "a"), msg(2, "b"), rec("compaction", 3, compactionId="k", keptFrom="messageId=b"), msg(4, "c")],
    )
    case(
        "compaction-keeps-nothing",
        "A compaction that keeps nothing.",
        [H, msg(1, "a"), rec("compaction", 2, compactionId="k", summary=text("s"))],
    )
    case(
        "kept-from-missing",
        "keptFrom names what is not in the context.",
        [H, msg(1, "a"), rec("compaction", 2, compactionId="k", keptFrom="messageId=zz")],
        "3 W kept-from-missing /keptFrom",
    )
    case(
        "kept-from-compacted",
        "keptFrom names what an earlier compaction took out.",
        [
            H,
            msg(1, "a"),
            msg(2, "b"),
            rec("compaction", 3, compactionId="k1", keptFrom="messageId=b"),
            rec("compaction", 4, compactionId="k2", keptFrom="messageId=a"),
        ],
        "5 W kept-from-missing /keptFrom",
    )
    case(
        "compaction-failed",
        "A compaction that failed changes nothing.",
        [H, msg(1, "a"), rec("compaction", 2, compactionId="k", status="failed", keptFrom="messageId=zz")],
    )
    case(
        "result-first",
        "A result may come before its call, and without one.",
        [H, rec("tool_result", 1, callId="c"), call(2, "c"), rec("tool_result", 3, callId="d")],
    )
    case(
        "key-reused",
        "A callId used again for another call, after a result.",
        [H, call(1, "c", name="A"), rec("tool_result", 2, callId="c"), call(3, "c", name="B")],
        "4 W key-reused /callId",
    )
    case(
        "key-revised",
        "Before there is a result it is a revision.",
        [H, call(1, "c", name="A"), call(2, "c", name="A", arguments={}), rec("tool_result", 3, callId="c")],
    )
    case(
        "parallel-results",
        "Results in another order than their calls.",
        [H, call(1, "a"), call(2, "b"), rec("tool_result", 3, callId="b"), rec("tool_result", 4, callId="a")],
    )


def profiles() -> None:
    """A producer's promises: a record, or a capture state that accounts for it."""
    promises = {
        "usage": (rec("model_call", 1, modelCallId="x"), rec("usage", 2, modelCallId="x"), "usage"),
        "tool_results": (call(1, "x"), rec("tool_result", 2, callId="x"), "tool_result"),
        "permissions": (
            rec("permission_request", 1, permissionId="x"),
            rec("permission_decision", 2, permissionId="x"),
            "permission_decision",
        ),
        "questions": (rec("question", 1, questionId="x"), rec("answer", 2, questionId="x"), "answer"),
    }
    for profile, (event, kept, promised) in promises.items():
        name = profile.replace("_", "-")
        case(
            f"profile-{name}-kept",
            f"Profile {profile}: the record is there.",
            [header(profiles=[profile]), event, kept],
        )
        case(
            f"profile-{name}-accounted",
            f"Profile {profile}: a capture state accounts for the record.",
            [header(profiles=[profile]), {**event, "capture": {promised: {"state": "unavailable"}}}],
        )
        case(
            f"profile-{name}-unmet",
            f"Profile {profile}: neither is there.",
            [header(profiles=[profile]), event],
            "2 W profile-unmet",
        )
    case("profile-not-promised", "What is not promised is not missed.", [H, call(1, "x")])
    case("profile-unknown", "A profile that is not known is left alone.", [header(profiles=["x-other"]), call(1, "x")])
    case(
        "profile-declared-later",
        "The promise in force at the end counts.",
        [H, rec("declaration", 1, profiles=["tool_results"]), call(2, "x")],
        "3 W profile-unmet",
    )
    case(
        "profile-taken-back",
        "A declaration may take a promise back.",
        [header(profiles=["tool_results"]), call(1, "x"), rec("declaration", 2, profiles=[])],
    )
    case(
        "profile-usage-failed-call",
        "A model call that failed has no usage.",
        [header(profiles=["usage"]), rec("model_call", 1, modelCallId="x", status="failed")],
    )
    talk = {"profiles": ["deliveries"], "conversations": [{"id": "k"}]}
    case(
        "profile-deliveries-kept",
        "Profile deliveries: the second message of a conversation is delivered.",
        [
            header(**talk),
            msg(1, "a", conversation="k"),
            msg(2, "b", conversation="k"),
            rec("delivery", 3, of="messageId=b", conversation="k"),
        ],
    )
    case(
        "profile-deliveries-unmet",
        "Profile deliveries: it is not.",
        [header(**talk), msg(1, "a", conversation="k"), msg(2, "b", conversation="k")],
        "3 W profile-unmet",
    )


def build() -> list[Case]:
    """All cases, in their order."""
    if not CASES:
        for group in (lines_and_bytes, envelope, record_types, values, headers, structure, profiles):
            group()
    return CASES


def manifest() -> str:
    """The text of `manifest.json`."""
    streams, packed = (
        ",\n".join(json.dumps(c.entry(), ensure_ascii=True) for c in cases) for cases in (build(), bundles.build())
    )
    return f'{{"format": "sessionrecord-corpus", "version": 1, "cases": [\n{streams}\n], "bundles": [\n{packed}\n]}}\n'


def main() -> None:
    """Write the streams, the bundles and the manifest."""
    files = {STREAMS / f"{made.name}.jsonl": made.data for made in build()}
    files |= {BUNDLES / path: data for made in bundles.build() for path, data in made.files().items()}
    for folder in (STREAMS, BUNDLES):
        shutil.rmtree(folder, ignore_errors=True)
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (HERE / "manifest.json").write_text(manifest(), encoding="utf-8")


if __name__ == "__main__":
    main()
