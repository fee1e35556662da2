"""The bundles of the conformance corpus: directories and archives, and what a reader has to find in each.

As with the streams, what is expected is written here by hand, from the rules of `docs/bundles.md`. `make.py` writes the files.
"""

from __future__ import annotations

import hashlib
import json
import stat
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.corpus.archives import (
    Member,
    Raw,
    deflated_zeros,
    members,
    one_block,
    pax,
    raw_members,
    raw_zip,
    ustar,
)

Files = dict[str, bytes]

MANIFEST: Final = "bundle.json"
STREAM: Final = "streams/s1.asr.jsonl"
LOG: Final = "native/log.jsonl"
PICTURE: Final = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
BLOB: Final = f"blobs/{hashlib.sha256(PICTURE).hexdigest()}"


@dataclass
class BundleCase:
    """One bundle and what is expected of it."""

    name: str
    about: str
    content: Files | bytes
    suffix: str
    findings: list[dict[str, Any]]
    readable: list[str] | None
    manifest: bool | None
    links: dict[str, str] = field(default_factory=dict)

    def entry(self) -> dict[str, Any]:
        """The case in the manifest."""
        broken = any(f["severity"] == "error" for f in self.findings)
        kind = "valid" if not broken else "invalid" if self.readable is None else "recoverable"
        entry: dict[str, Any] = {
            "name": self.name,
            "file": f"bundles/{self.name}{self.suffix}",
            "about": self.about,
            "kind": kind,
            "findings": self.findings,
            "readable": self.readable,
            "manifest": self.manifest,
        }
        if self.links:
            entry["links"] = self.links
        return entry

    def files(self) -> Files:
        """What is kept of it, by paths below `bundles/`."""
        if isinstance(self.content, bytes):
            return {f"{self.name}{self.suffix}": self.content}
        return {f"{self.name}/{path}": data for path, data in self.content.items()}


CASES: Final[list[BundleCase]] = []


def _finding(
    severity: str, code: str, path: str | None, pointer: str | None = None, line: int | None = None
) -> dict[str, Any]:
    return {"path": path, "line": line, "severity": severity, "code": code, "pointer": pointer}


def error(code: str, path: str | None = None, pointer: str | None = None, line: int | None = None) -> dict[str, Any]:
    """An error."""
    return _finding("error", code, path, pointer, line)


def warning(code: str, path: str | None = None, pointer: str | None = None, line: int | None = None) -> dict[str, Any]:
    """A warning."""
    return _finding("warning", code, path, pointer, line)


def info(code: str, path: str | None = None, pointer: str | None = None, line: int | None = None) -> dict[str, Any]:
    """Something worth knowing."""
    return _finding("info", code, path, pointer, line)


def opens(
    name: str,
    about: str,
    content: Files | bytes,
    *findings: dict[str, Any],
    readable: list[str] | None = None,
    links: dict[str, str] | None = None,
) -> None:
    """A bundle that opens. `readable`: the files of the manifest that can be read whole, those of `whole()` unless told."""
    _add(name, about, content, findings, [STREAM, BLOB, LOG] if readable is None else readable, True, links)


def refused(
    name: str,
    about: str,
    content: Files | bytes,
    *findings: dict[str, Any],
    manifest: bool | None = None,
    links: dict[str, str] | None = None,
) -> None:
    """A bundle that is refused. `manifest`: whether a JSON Schema takes `bundle.json`; None where that is not asked."""
    _add(name, about, content, findings, None, manifest, links)


def _add(
    name: str,
    about: str,
    content: Files | bytes,
    findings: tuple[dict[str, Any], ...],
    readable: list[str] | None,
    manifest: bool | None,
    links: dict[str, str] | None,
) -> None:
    suffix = "" if isinstance(content, dict) else ".tar" if content[257:262] == b"ustar" else ".zip"
    assert all(c.name != name for c in CASES), name
    CASES.append(BundleCase(name, about, content, suffix, list(findings), readable, manifest, links or {}))


def stream(*records: dict[str, Any], **members_of_header: Any) -> bytes:
    """A stream: a header, and records that get `seq` and `id`."""
    header = {
        "type": "session",
        "seq": 0,
        "id": "r0",
        "agent": "toy",
        "sessionId": "s1",
        "namespace": None,
        "producer": {"method": "native"},
        **members_of_header,
    }
    lines = [header, *({"seq": n, "id": f"r{n}", **record} for n, record in enumerate(records, 1))]
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


def message(*content: dict[str, Any]) -> dict[str, Any]:
    """A message of a user."""
    return {"type": "message", "messageId": "m1", "role": "user", "content": list(content)}


def picture(sha256: str) -> dict[str, Any]:
    """A block that names a blob."""
    return {"type": "image", "mimeType": "image/png", "blob": {"sha256": sha256, "bytes": len(PICTURE)}}


def listed(path: str, data: bytes, **more: Any) -> dict[str, Any]:
    """An entry of a manifest."""
    return {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), **more}


def session_key(**members_of_key: Any) -> dict[str, Any]:
    """The session key of the streams here."""
    return {"agent": "toy", "namespace": None, "sessionId": "s1", **members_of_key}


def manifest_of(files: Mapping[str, bytes]) -> dict[str, Any]:
    """The manifest of files: those under streams/ and blobs/ as such, others as native ones."""
    made: dict[str, Any] = {"format": "asr-bundle", "streams": [], "blobs": [], "native": []}
    for path, data in files.items():
        if path.startswith("streams/"):
            made["streams"].append(listed(path, data, sessionKey=session_key(), records=data.count(b"\n")))
        else:
            made["blobs" if path.startswith("blobs/") else "native"].append(listed(path, data))
    return made


def plain() -> Files:
    """A stream, a blob that it names, and a native file."""
    names_it = stream(message(picture(hashlib.sha256(PICTURE).hexdigest())))
    return {STREAM: names_it, BLOB: PICTURE, LOG: b'{"native":true}\n' * 3}


def whole(changes: Mapping[str, bytes] | None = None) -> Files:
    """A valid bundle, with other or more files if told, and their manifest."""
    files = plain() | dict(changes or {})
    return with_manifest(files, manifest_of(files))


def with_manifest(files: Mapping[str, bytes], manifest: Any) -> Files:
    """Files and a manifest, whatever it says; bytes are the file as it is."""
    text = manifest if isinstance(manifest, bytes) else json.dumps(manifest, ensure_ascii=False, indent=1).encode()
    return {MANIFEST: text, **files}


def changed(place: str, value: Any) -> Files:
    """A valid bundle but for one member of its manifest; `...` takes it out."""
    files = plain()
    made = manifest_of(files)
    *parents, last = place.split("/")
    holder: Any = made
    for part in parents:
        holder = holder[int(part)] if isinstance(holder, list) else holder[part]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return with_manifest(files, made)


def zipped(files: Mapping[str, bytes], *more: Raw) -> bytes:
    """A zip archive of files, and members that may lie."""
    return raw_zip([*raw_members(files), *more])


def tarred(files: Mapping[str, bytes], *more: Member) -> bytes:
    """A tar archive of files, and members that may lie."""
    return ustar([*members(files), *more])


def valid() -> None:
    """Bundles without an error."""
    opens("folder", "A folder with a stream, a blob that it names, and a native file.", whole())
    opens("zip", "The same as a zip archive, each file stored.", zipped(whole()))
    deflated = [Raw(path.encode(), data, packed=one_block(data)) for path, data in whole().items()]
    opens("zip-deflated", "A zip archive whose files are deflated.", raw_zip(deflated))
    opens("tar", "The same as a tar archive.", tarred(whole()))
    only = {STREAM: stream()}
    opens(
        "stream-alone",
        "A stream is all that a bundle needs; lists may be absent.",
        with_manifest(
            only, {"streams": [listed(STREAM, only[STREAM], sessionKey={"agent": "toy", "sessionId": "s1"})]}
        ),
        readable=[STREAM],
    )
    two = "streams/s2.asr.jsonl"
    files = plain() | {two: stream(sessionId="s2", namespace="p")}
    made = manifest_of(files)
    made["streams"][1]["sessionKey"] = session_key(sessionId="s2", namespace="p")
    opens("two-streams", "Two streams.", with_manifest(files, made), readable=[STREAM, two, BLOB, LOG])
    opens(
        "file-empty",
        "A native file without a byte.",
        whole({"native/empty": b""}),
        readable=[STREAM, BLOB, LOG, "native/empty"],
    )
    opens(
        "manifest-rich",
        "All members that are defined, and one that is not: it is kept.",
        with_manifest(
            plain(),
            {
                **manifest_of(plain()),
                "formatVersion": "0",
                "createdAt": "2026-01-02T03:04:05.678Z",
                "producer": {"method": "native", "name": "toy", "version": "1"},
                "x-of-another": {"a": [1, None]},
                "blobs": [listed(BLOB, PICTURE, mimeType="image/png")],
                "native": [listed(LOG, plain()[LOG], harness="toy")],
            },
        ),
    )
    opens(
        "manifest-null-optional",
        "A null where it means nothing reads as absent.",
        changed("createdAt", None),
        warning("null-not-allowed", MANIFEST, "/createdAt"),
    )
    nulls = {
        **manifest_of(plain()),
        "format": None,
        "formatVersion": None,
        "producer": {"method": "native", "name": None},
        "blobs": [listed(BLOB, PICTURE, mimeType=None)],
        "native": [listed(LOG, plain()[LOG], harness=None)],
    }
    nulls["streams"][0]["records"] = None
    opens(
        "manifest-nulls-optional",
        "The same in every object of the manifest.",
        with_manifest(plain(), nulls),
        *(
            warning("null-not-allowed", MANIFEST, place)
            for place in (
                "/format",
                "/formatVersion",
                "/producer/name",
                "/streams/0/records",
                "/blobs/0/mimeType",
                "/native/0/harness",
            )
        ),
    )
    opens(
        "manifest-misspelled",
        "An unknown member that is a defined one but for its case.",
        changed("created_at", "2026-01-02T03:04:05Z"),
        warning("member-misspelled", MANIFEST, "/created_at"),
    )
    opens(
        "manifest-noncharacter",
        "A text of the manifest holds a noncharacter.",
        changed("note", "\ufffe"),
        warning("noncharacter", MANIFEST, "/note"),
    )
    missing = stream(message(picture("0" * 64)))
    opens(
        "blob-missing",
        "A record names a blob that is not in the bundle; it may have been left out on purpose.",
        whole({STREAM: missing}),
        warning("bundle-blob-missing", STREAM, "/content/0/blob", 2),
    )
    state = {
        "type": "state",
        "state": "idle",
        "capture": {"text": {"state": "omitted", "blob": {"sha256": "0" * 64, "bytes": 1}}},
    }
    opens(
        "blob-missing-in-capture",
        "A capture state names a blob that is not in the bundle.",
        whole({STREAM: stream(state)}),
        warning("bundle-blob-missing", STREAM, "/capture/text/blob", 2),
    )
    twin = "blobs/again"
    opens("blob-twice", "One blob at two paths.", whole({twin: PICTURE}), readable=[STREAM, BLOB, twin, LOG])
    opens(
        "stream-warning",
        "What is found in a stream that is no error names the stream.",
        whole({STREAM: plain()[STREAM] + b'{"type":"state","seq":2,"id":"r2","state":"idle","participant":"p"}\n'}),
        warning("participant-undeclared", STREAM, "/participant", 3),
    )
    unended = plain()[STREAM].removesuffix(b"\n")
    files = plain() | {STREAM: unended}
    made = manifest_of(files)
    made["streams"][0]["records"] = 2
    opens(
        "stream-newline-missing",
        "A record counts without its newline.",
        with_manifest(files, made),
        info("newline-missing", STREAM, None, 2),
    )
    accented = "native/pr\u00fcfung \u4e2d.txt"
    for form, pack in (("zip", _zip_utf8), ("tar", tarred)):
        opens(
            f"{form}-path-unicode",
            "A path beyond ASCII, in UTF-8.",
            pack(whole({accented: b"x"})),
            readable=[STREAM, BLOB, LOG, accented],
        )
    opens(
        "zip-directories",
        "Directories as members of their own.",
        raw_zip([Raw(b"streams/"), Raw(b"blobs/"), Raw(b"native/"), *raw_members(whole())]),
    )
    opens(
        "tar-directories",
        "Directories as members of their own.",
        ustar([Member(b"streams/", kind=b"5"), Member(b"./", kind=b"5"), *members(whole())]),
    )
    opens(
        "tar-dot",
        "Paths that begin with a dot and a slash.",
        ustar([Member(b"./" + m.name, m.data) for m in members(whole())]),
    )
    opens("zip-comment", "A comment of the archive.", _with_comment(zipped(whole()), b"made by hand"))
    opens(
        "zip-descriptor",
        "Sizes and checksum behind the data, as programs write them that cannot seek.",
        raw_zip(_descriptor(path, data) for path, data in whole().items()),
    )
    opens("zip64", "Sizes in 64 bits.", raw_zip(_wide(path, data) for path, data in whole().items()))
    zeros = bytes(1 + 258 * 400)
    opens(
        "zip-zeros",
        "A file of zeros packs a thousandfold; up to 1 MiB that is no bomb.",
        raw_zip(
            Raw(p.encode(), d, packed=deflated_zeros(400) if d == zeros else None)
            for p, d in whole({"native/zeros": zeros}).items()
        ),
        readable=[STREAM, BLOB, LOG, "native/zeros"],
    )
    long = "native/" + "/".join(["a" * 40] * 4) + ".jsonl"
    files = whole({long: b"x"})
    short = [m for m in members(files) if m.data != b"x"]
    opens(
        "tar-pax-path",
        "A path that only a pax header can hold.",
        ustar([*short, Member(b"pax", pax(path=long), kind=b"x"), Member(long.encode()[:100], b"x")]),
        readable=[STREAM, BLOB, LOG, long],
    )
    opens(
        "tar-gnu-path",
        "A path in the form of GNU tar.",
        ustar([*short, Member(b"././@LongLink", long.encode() + b"\0", kind=b"L"), Member(long.encode()[:100], b"x")]),
        readable=[STREAM, BLOB, LOG, long],
    )
    prefix, _, name = long.rpartition("/")
    opens(
        "tar-prefix",
        "A path that the header holds in two parts.",
        ustar([*short, Member(name.encode(), b"x", prefix=prefix.encode())]),
        readable=[STREAM, BLOB, LOG, long],
    )


def _zip_utf8(files: Files) -> bytes:
    flag: dict[str, int | bytes] = {"flags": 0x0800}
    return raw_zip(Raw(path.encode(), data, central=flag, local=flag) for path, data in files.items())


def _with_comment(archive: bytes, comment: bytes) -> bytes:
    return archive[:-2] + struct.pack("<H", len(comment)) + comment


def _descriptor(path: str, data: bytes) -> Raw:
    member = Raw(path.encode(), data, packed=one_block(data), central={"flags": 8})
    member.local = {"flags": 8, "crc": 0, "packed": 0, "size": 0}
    [truth] = raw_members({path: data})
    crc = struct.unpack_from("<L", raw_zip([truth]), 14)[0]
    member.behind = struct.pack("<4s3L", b"PK\7\x08", crc, len(data) + 5, len(data))
    return member


def _wide(path: str, data: bytes) -> Raw:
    extra = struct.pack("<2H2Q", 1, 16, len(data), len(data))
    full = 0xFFFFFFFF
    fields: dict[str, int | bytes] = {"packed": full, "size": full, "extra": extra}
    return Raw(path.encode(), data, central=fields, local=fields)


def recoverable() -> None:
    """Bundles that open, and of which not everything is what the manifest says."""
    rest = {"stream": (STREAM, [BLOB, LOG]), "blob": (BLOB, [STREAM, LOG]), "native": (LOG, [STREAM, BLOB])}
    for kind, (path, others) in rest.items():
        files = whole()
        del files[path]
        opens(
            f"{kind}-file-missing",
            "A file of the manifest is not there.",
            files,
            error("bundle-file-missing", path),
            readable=others,
        )
        opens(
            f"{kind}-file-shorter",
            "A file has another size than the manifest says.",
            whole() | {path: whole()[path][:-1]},
            error("bundle-file-different", path),
            readable=others,
        )
        other = whole()[path]
        opens(
            f"{kind}-file-different",
            "A file has the right size and another hash.",
            whole() | {path: other[:-2] + bytes([other[-2] ^ 1]) + other[-1:]},
            error("bundle-file-different", path),
            readable=others,
        )
    for form, pack in (("zip", zipped), ("tar", tarred)):
        files = whole()
        del files[LOG]
        opens(
            f"{form}-file-missing",
            "A file of the manifest is not in the archive.",
            pack(files),
            error("bundle-file-missing", LOG),
            readable=[STREAM, BLOB],
        )
        opens(
            f"{form}-file-different",
            "A file of the archive has another hash.",
            pack(whole() | {LOG: b"[" + whole()[LOG][1:]}),
            error("bundle-file-different", LOG),
            readable=[STREAM, BLOB],
        )
        opens(
            f"{form}-file-unlisted",
            "A file that the manifest does not name.",
            pack(whole() | {"native/more": b"x"}),
            error("bundle-file-unlisted", "native/more"),
        )
    opens(
        "file-unlisted",
        "A file that the manifest does not name.",
        whole() | {"notes.txt": b"x"},
        error("bundle-file-unlisted", "notes.txt"),
    )
    opens(
        "all-unlisted-and-missing",
        "A file that was moved is missing at one place and unlisted at the other.",
        {("native/moved" if path == LOG else path): data for path, data in whole().items()},
        error("bundle-file-missing", LOG),
        error("bundle-file-unlisted", "native/moved"),
        readable=[STREAM, BLOB],
    )
    for member, value in (("agent", "other"), ("namespace", "n"), ("sessionId", "s2")):
        opens(
            f"stream-{member.lower()}-differs",
            f"The manifest gives a stream another {member} than its header.",
            changed("streams/0/sessionKey", session_key(**{member: value})),
            error("bundle-stream-different", STREAM, None, 1),
        )
    opens(
        "stream-records-differ",
        "The manifest gives a stream another number of records.",
        changed("streams/0/records", 3),
        error("bundle-stream-different", STREAM),
    )
    opens(
        "stream-without-header",
        "A stream that does not begin with a header.",
        whole({STREAM: b'{"type":"state","seq":1,"id":"r1","state":"idle"}\n'}),
        error("bundle-stream-different", STREAM, None, 1),
        error("header-missing", STREAM, "/type", 1),
    )
    opens(
        "stream-empty",
        "A stream without a record.",
        whole({STREAM: b""}),
        error("stream-empty", STREAM),
    )
    opens(
        "stream-broken",
        "A record of a stream that lacks a member.",
        whole({STREAM: plain()[STREAM] + b'{"type":"state","seq":2,"id":"r2"}\n'}),
        error("member-missing", STREAM, "/state", 3),
    )
    torn = plain() | {STREAM: plain()[STREAM] + b'{"type":"sta'}
    made = manifest_of(torn)
    made["streams"][0]["records"] = 3
    opens(
        "stream-torn",
        "A torn line counts as a record: it is a line that is not blank.",
        with_manifest(torn, made),
        error("line-torn", STREAM, None, 3),
    )
    files = whole()
    opens(
        "zip-checksum",
        "The archive's checksum of a file is wrong; the others can be read.",
        raw_zip(_lying(files, LOG, both={"crc": 1})),
        error("bundle-archive-invalid", LOG),
        readable=[STREAM, BLOB],
    )
    log = files[LOG]
    opens(
        "zip-deflate-damaged",
        "A file that cannot be unpacked.",
        raw_zip(_lying(files, LOG, packed=b"\7" + one_block(log)[1:])),
        error("bundle-archive-invalid", LOG),
        readable=[STREAM, BLOB],
    )
    opens(
        "zip-deflate-cut",
        "The packed bytes of a file end early.",
        raw_zip(_lying(files, LOG, packed=one_block(log)[:-1])),
        error("bundle-archive-invalid", LOG),
        readable=[STREAM, BLOB],
    )
    opens(
        "zip-deflate-longer",
        "Bytes follow the packed ones of a file.",
        raw_zip(_lying(files, LOG, packed=one_block(log) + b"more")),
        error("bundle-size-false", LOG),
        readable=[STREAM, BLOB],
    )
    for name, data in (("more", log + b"x"), ("fewer", log[:-1])):
        opens(
            f"zip-unpacks-to-{name}",
            f"A file unpacks to {name} bytes than the archive says.",
            raw_zip(_lying(files, LOG, packed=one_block(data))),
            error("bundle-size-false", LOG),
            readable=[STREAM, BLOB],
        )


def _lying(
    files: Files,
    path: str,
    *,
    packed: bytes | None = None,
    both: dict[str, int | bytes] | None = None,
    central: dict[str, int | bytes] | None = None,
    local: dict[str, int | bytes] | None = None,
) -> list[Raw]:
    """The members of a zip archive, one of which does not tell the truth."""
    made = raw_members(files)
    for member in made:
        if member.name == path.encode():
            member.packed = packed
            member.central = {**(both or {}), **(central or {})}
            member.local = {**(both or {}), **(local or {})}
    return made


def manifests() -> None:
    """Bundles that are refused for their manifest."""
    refused("manifest-missing", "No manifest.", plain(), error("bundle-manifest-missing"))
    refused(
        "manifest-in-folder",
        "The manifest lies in a folder, as when a folder is packed with its name.",
        zipped({f"run/{path}": data for path, data in whole().items()}),
        error("bundle-manifest-missing"),
    )
    refused("zip-empty", "A zip archive without a file.", raw_zip([]), error("bundle-manifest-missing"))
    for name, data, code in (
        ("not-json", b"{", "json-invalid"),
        ("empty", b"", "json-invalid"),
        ("not-utf8", b'{"note":"\xff"}', "utf8-invalid"),
        ("not-object", b"[]", "not-an-object"),
        ("member-twice", b'{"format":"asr-bundle","format":"asr-bundle"}', "duplicate-member"),
        ("surrogate", b'{"note":"\\ud800"}', "lone-surrogate"),
        ("deep", b'{"a":' * 300 + b"1" + b"}" * 300, "nesting-too-deep"),
    ):
        pointer = {"duplicate-member": "/format", "lone-surrogate": "/note"}.get(code)
        refused(
            f"manifest-{name}",
            "A manifest that is not one JSON object.",
            with_manifest(plain(), data),
            error(code, MANIFEST, pointer),
            manifest=False if code == "not-an-object" else None,
        )
    wrong: list[tuple[str, str, Any, str, str | None]] = [
        ("format-other", "format", "zip", "value-invalid", None),
        ("format-type", "format", 1, "type-invalid", None),
        ("created-at", "createdAt", "yesterday", "timestamp-invalid", None),
        ("streams-none", "streams", [], "bundle-stream-missing", None),
        ("streams-absent", "streams", ..., "bundle-stream-missing", None),
        ("streams-null", "streams", None, "null-not-allowed", None),
        ("streams-type", "streams", {}, "type-invalid", None),
        ("stream-type", "streams", ["a"], "type-invalid", "/streams/0"),
        ("path-absent", "native/0/path", ..., "member-missing", None),
        ("path-null", "native/0/path", None, "null-not-allowed", None),
        ("sha256-absent", "blobs/0/sha256", ..., "member-missing", None),
        ("sha256-short", "blobs/0/sha256", "0" * 63, "value-invalid", None),
        ("sha256-upper-case", "blobs/0/sha256", "A" * 64, "value-invalid", None),
        ("bytes-absent", "streams/0/bytes", ..., "member-missing", None),
        ("bytes-negative", "streams/0/bytes", -1, "integer-invalid", None),
        ("bytes-text", "streams/0/bytes", "3", "integer-invalid", None),
        ("session-key-absent", "streams/0/sessionKey", ..., "member-missing", None),
        ("session-key-text", "streams/0/sessionKey", "asr:toy//s1", "type-invalid", None),
        ("agent-absent", "streams/0/sessionKey", {"sessionId": "s1"}, "member-missing", "/streams/0/sessionKey/agent"),
        ("namespace-empty", "streams/0/sessionKey/namespace", "", "value-invalid", None),
        ("producer-method", "producer", {"name": "x"}, "member-missing", "/producer/method"),
    ]
    for name, place, value, code, pointer in wrong:
        refused(
            f"manifest-{name}",
            f"{place} of the manifest is not as it must be.",
            changed(place, value),
            error(code, MANIFEST, pointer or f"/{place}"),
            manifest=False,
        )
    for name, path in (
        ("parent", "../log.jsonl"),
        ("parent-inside", "native/../../log.jsonl"),
        ("absolute", "/etc/passwd"),
        ("drive", "C:/log.jsonl"),
        ("backslash", "native\\log.jsonl"),
        ("dot", "native/./log.jsonl"),
        ("empty-part", "native//log.jsonl"),
        ("empty", ""),
        ("control", "native/\x1b[31m"),
        ("device", "native/aux.jsonl"),
        ("trailing-dot", "native/log."),
    ):
        refused(
            f"manifest-path-{name}",
            "The manifest names a path that is refused.",
            changed("native/0/path", path),
            error("bundle-path-unsafe", MANIFEST, "/native/0/path"),
            manifest=True,
        )
    for name, path in (
        ("twice", BLOB),
        ("by-case", STREAM.upper()),
        ("of-manifest", MANIFEST),
        ("under-file", f"{STREAM}/x"),
    ):
        refused(
            f"manifest-path-{name}",
            "The manifest names a path that is one file with another.",
            changed("native/0/path", path),
            error("bundle-path-repeated", MANIFEST, "/native/0/path"),
            manifest=True,
        )


def hostile() -> None:
    """Containers that are refused, whatever their manifest says."""
    evil: list[tuple[str, str]] = [
        ("parent", "../evil"),
        ("parent-inside", "native/../../evil"),
        ("absolute", "/tmp/evil"),
        ("drive", "C:/evil"),
        ("backslash", "..\\evil"),
        ("control", "native/\x1b]0;evil"),
        ("device", "native/NUL.txt"),
        ("trailing-space", "native/evil "),
        ("long", "native/" + "a" * 1100),
        ("deep", "a/" * 40 + "evil"),
    ]
    for name, path in evil:
        refused(
            f"zip-path-{name}",
            "A path that leaves the bundle, or is no file's name everywhere.",
            zipped(whole(), Raw(path.encode(), b"x")),
            error("bundle-path-unsafe", path),
        )
        if len(path) <= 100:
            refused(
                f"tar-path-{name}",
                "A path that leaves the bundle, or is no file's name everywhere.",
                tarred(whole(), Member(path.encode(), b"x")),
                error("bundle-path-unsafe", path),
            )
    refused(
        "tar-pax-path-parent",
        "A path that leaves the bundle, in a pax header.",
        tarred(whole(), Member(b"pax", pax(path="../evil"), kind=b"x"), Member(b"evil", b"x")),
        error("bundle-path-unsafe", "../evil"),
    )
    repeated = [
        ("twice", LOG),
        ("by-case", LOG.replace("log", "LOG")),
        ("under-file", f"{LOG}/x"),
        ("manifest-twice", MANIFEST),
    ]
    for name, path in repeated:
        refused(
            f"zip-path-{name}",
            "A path that is one file with another, on some systems.",
            zipped(whole(), Raw(path.encode(), b"x")),
            error("bundle-path-repeated", path),
        )
        refused(
            f"tar-path-{name}",
            "A path that is one file with another, on some systems.",
            tarred(whole(), Member(path.encode(), b"x")),
            error("bundle-path-repeated", path),
        )
    composed, parted = "native/\u00fc", "native/u\u0308"
    refused(
        "zip-path-by-composition",
        "Two paths that differ only by the composition of a letter.",
        _zip_utf8(whole({composed: b"x"}) | {parted: b"y"}),
        error("bundle-path-repeated", parted),
    )
    unix: dict[str, int | bytes] = {"made_by": 3 << 8 | 20}
    for name, kind, target in (("link", stat.S_IFLNK, b"/etc/passwd"), ("pipe", stat.S_IFIFO, b"")):
        refused(
            f"zip-{name}",
            "A member that is no regular file.",
            zipped(whole(), Raw(b"native/evil", target, central={**unix, "attributes": (kind | 0o600) << 16})),
            error("bundle-not-a-file", "native/evil"),
        )
    for name, kind_of in (
        ("hard-link", b"1"),
        ("link", b"2"),
        ("character-device", b"3"),
        ("block-device", b"4"),
        ("pipe", b"6"),
        ("sparse", b"S"),
        ("unknown", b"Z"),
    ):
        link = b"../../etc/passwd" if kind_of in (b"1", b"2") else b""
        refused(
            f"tar-{name}",
            "A member that is no regular file.",
            tarred(whole(), Member(b"native/evil", kind=kind_of, link=link)),
            error("bundle-not-a-file", "native/evil"),
        )
    refused(
        "tar-pax-sparse",
        "A sparse file of a pax header.",
        tarred(whole(), Member(b"pax", pax(**{"GNU.sparse.major": "1"}), kind=b"x"), Member(b"native/evil", b"x")),
        error("bundle-not-a-file", "native/evil"),
    )
    refused(
        "folder-link",
        "A symbolic link stands where a file belongs.",
        {path: data for path, data in whole().items() if path != LOG},
        error("bundle-not-a-file", LOG),
        links={LOG: "../bundle.json"},
    )
    refused(
        "folder-link-to-folder",
        "A symbolic link to a folder outside.",
        whole(),
        error("bundle-not-a-file", "native/more"),
        links={"native/more": "../.."},
    )
    refused(
        "zip-directory-with-bytes",
        "A directory that has bytes.",
        zipped(whole(), Raw(b"more/", b"x")),
        error("bundle-not-a-file", "more/"),
    )
    refused(
        "tar-directory-with-bytes",
        "A directory that says it has bytes.",
        tarred(whole(), Member(b"more/", kind=b"5", size=4)),
        error("bundle-not-a-file", "more/"),
    )
    for name, flags in (("", 0x1), ("-strongly", 0x41), ("-headers", 0x2000)):
        both: dict[str, int | bytes] = {"flags": flags}
        refused(
            f"zip-encrypted{name}",
            "An encrypted file.",
            zipped(whole(), Raw(b"native/secret", b"?" * 12, central=both, local=both)),
            error("bundle-encrypted", "native/secret"),
        )
    sizes()
    damaged()


def sizes() -> None:
    """Archives that say false sizes, or unpack to too much."""
    files = whole()
    size = len(files[LOG])
    refused(
        "zip-sizes-disagree",
        "A file has one size in its own header and another in the directory of the archive.",
        raw_zip(_lying(files, LOG, local={"size": size - 1, "packed": size - 1})),
        error("bundle-size-false", LOG),
    )
    refused(
        "zip-stored-size",
        "A stored file whose two sizes differ.",
        raw_zip(_lying(files, LOG, both={"size": size + 1})),
        error("bundle-size-false", LOG),
    )
    refused(
        "zip-beyond-end",
        "A file has more bytes than are there.",
        raw_zip(_lying(files, LOG, both={"size": 100_000, "packed": 100_000})),
        error("bundle-size-false", LOG),
    )
    refused(
        "tar-beyond-end",
        "A file has more bytes than are there.",
        ustar([*members(files), Member(b"native/more", b"x", size=100_000)]),
        error("bundle-size-false", "native/more"),
    )
    runs = 4400
    bomb = bytes(1 + 258 * runs)
    refused(
        "zip-bomb",
        "A file that unpacks to a thousand times its bytes, more than 1 MiB.",
        zipped(files, Raw(b"native/bomb", bomb, packed=deflated_zeros(runs))),
        error("bundle-too-large", "native/bomb"),
        error("bundle-too-large"),
    )
    part = bytes(1 + 258 * 1200)
    refused(
        "zip-bomb-in-parts",
        "Files that only together unpack to too much.",
        zipped(files, *(Raw(b"native/part%d" % n, part, packed=deflated_zeros(1200)) for n in range(9))),
        error("bundle-too-large"),
    )
    huge: dict[str, int | bytes] = {"size": 0xFFFFFFFE}
    refused(
        "zip-says-huge",
        "A file that says it unpacks to 4 GiB.",
        zipped(files, Raw(b"native/huge", b"x", packed=one_block(b"x"), central=huge, local=huge)),
        error("bundle-too-large", "native/huge"),
        error("bundle-too-large"),
    )
    first, second = Raw(LOG.encode(), files[LOG]), Raw(b"native/more", b"x")
    [alone] = raw_members({"native/more": b"x"})
    swallowed = files[LOG] + raw_zip([alone])[: 30 + len(alone.name) + len(alone.data)]
    [truth] = raw_members({LOG: swallowed})
    both: dict[str, int | bytes] = {
        "size": len(swallowed),
        "packed": len(swallowed),
        "crc": struct.unpack_from("<L", raw_zip([truth]), 14)[0],
    }
    first.central, first.local = both, both
    others = [m for m in raw_members(files) if m.name != first.name]
    refused(
        "zip-overlap",
        "The bytes of a file hold another file of the archive.",
        raw_zip([*others, first, second]),
        error("bundle-archive-invalid", LOG),
    )


def damaged() -> None:
    """Archives that are cut off, damaged, or use what is not read."""
    files = whole()
    archive, tape = zipped(files), tarred(files)
    refused("zip-cut", "A zip archive without its end.", archive[:-10], error("bundle-archive-invalid"))
    refused(
        "zip-start-alone", "No more than the first bytes of a zip archive.", b"PK\3\4", error("bundle-archive-invalid")
    )
    refused("zip-bytes-after", "Bytes behind a zip archive.", archive + b"more", error("bundle-archive-invalid"))
    refused(
        "zip-two-archives",
        "A zip archive behind another.",
        raw_zip([Raw(b"a", b"x")]) + archive,
        error("bundle-archive-invalid"),
    )
    for name, count in (("more", len(files) + 1), ("fewer", len(files) - 1)):
        refused(
            f"zip-count-{name}",
            f"The archive's end says that it has {name} files than there are.",
            raw_zip(raw_members(files), count=count),
            error("bundle-archive-invalid"),
        )
    for name, method in (("bzip2", 12), ("lzma", 14), ("unknown", 99)):
        refused(
            f"zip-method-{name}",
            "A method of packing that is not read.",
            raw_zip(_lying(files, LOG, both={"method": method})),
            error("bundle-archive-invalid", LOG),
        )
    refused(
        "zip-names-disagree",
        "A file has one name in its own header and another in the directory of the archive.",
        raw_zip(_lying(files, LOG, local={"name": b"native/evil.jsonl"})),
        error("bundle-archive-invalid", LOG),
    )
    refused(
        "zip-no-local-header",
        "The directory of the archive points where no file begins.",
        raw_zip(_lying(files, LOG, central={"at": 7})),
        error("bundle-archive-invalid", LOG),
    )
    at = tape.index(LOG.encode() + b"\0")
    refused(
        "tar-checksum",
        "The checksum of a header is wrong.",
        tape[:at] + b"N" + tape[at + 1 :],
        error("bundle-archive-invalid"),
    )
    refused(
        "tar-cut",
        "A tar archive without its end mark.",
        ustar(members(files), after=b""),
        error("bundle-archive-invalid"),
    )
    refused("tar-bytes-after", "Bytes behind a tar archive.", tape + b"more", error("bundle-archive-invalid"))
    last = [*members(files), Member(b"pax", pax(path="native/x"), kind=b"x")]
    refused("tar-pax-last", "A pax header that no file follows.", ustar(last), error("bundle-archive-invalid"))
    refused(
        "tar-pax-damaged",
        "A pax header whose length is not its own.",
        tarred(files, Member(b"pax", b"99 path=native/x\n", kind=b"x"), Member(b"x", b"x")),
        error("bundle-archive-invalid"),
    )
    refused(
        "tar-pax-global-path",
        "A global pax header that gives all files one path.",
        ustar([Member(b"pax", pax(path="native/x"), kind=b"g"), *members(files)]),
        error("bundle-archive-invalid"),
    )
    many = [Member(b"pax", pax(comment="x"), kind=b"x")] * 5
    refused(
        "tar-pax-many",
        "More extended headers before a file than any program writes.",
        tarred(files, *many, Member(b"x", b"x")),
        error("bundle-too-large"),
    )


def build() -> list[BundleCase]:
    """All cases, in their order."""
    if not CASES:
        for group in (valid, recoverable, manifests, hostile):
            group()
    return CASES
