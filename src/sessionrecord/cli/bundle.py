"""`bundle create | verify | list | extract`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from sessionrecord.bundle import (
    BlobFile,
    Bundle,
    BundleBlob,
    BundleDiagnostic,
    BundleStream,
    Limits,
    Manifest,
    NativeFile,
    externalize,
    verify,
    write_bundle,
)
from sessionrecord.bundle.manifest import Entry
from sessionrecord.cli.output import Cell, Out, working
from sessionrecord.cli.program import DONE, FOUND_ERRORS, UNREADABLE
from sessionrecord.cli.render import number
from sessionrecord.cli.source import STDIO, size_of, source_of
from sessionrecord.cli.target import require_directory
from sessionrecord.errors import WriterError
from sessionrecord.lines.whole import WholeFile
from sessionrecord.refs import SessionReference
from sessionrecord.session import Session

__all__ = ["bundle_app"]

_COLOURS: Final = {"error": "red", "warning": "yellow", "info": "cyan"}

bundle_app = typer.Typer(rich_markup_mode=None)

_Bundle = Annotated[
    str, typer.Argument(metavar="BUNDLE", help="A directory, zip or tar; - reads an archive from standard input.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_MaxBytes = Annotated[
    int,
    typer.Option("--max-bytes", metavar="N", min=1, help="Most bytes that the files of an archive may have in all."),
]
_LIMIT: Final = Limits().total_bytes


@bundle_app.callback(invoke_without_command=True)
def bundle_start(context: typer.Context) -> int:
    """Put streams, their blobs and native files together, and look into what others put together."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        return UNREADABLE
    return DONE


@bundle_app.command()
def create(
    streams: Annotated[list[str], typer.Argument(metavar="STREAM...", help="The streams, the main one first.")],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="OUT", help="A name in .zip or .tar, else a directory; - writes a tar."),
    ],
    native: Annotated[
        list[Path] | None, typer.Option("--native", metavar="FILE", help="A file of the source, as it is; repeatable.")
    ] = None,
    harness: Annotated[
        str | None, typer.Option("--harness", metavar="NAME", help="The harness that wrote the native files.")
    ] = None,
    blob: Annotated[
        list[Path] | None, typer.Option("--blob", metavar="FILE", help="Bytes that records name by hash; repeatable.")
    ] = None,
    min_bytes: Annotated[
        int | None,
        typer.Option("--externalize", metavar="N", min=0, help="Move inline base64 of N bytes or more into blobs."),
    ] = None,
    created_at: Annotated[
        str | None, typer.Option("--created-at", metavar="TIME", help="Written as createdAt; else there is none.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it is a file.")] = False,
    json: _Json = False,
) -> int:
    """Write a bundle. Equal input gives equal bytes."""
    if output != STDIO:
        require_directory(Path(output))
    with tempfile.TemporaryDirectory() as store:
        blobs = [BlobFile(path) for path in blob or ()]
        sessions: list[Session] = []
        for path in streams:
            session = Session.read(source_of(path))
            if min_bytes is not None:
                moved = externalize(session, min_bytes, directory=store)
                session = moved.session
                blobs += moved.blobs.values()
            sessions.append(session)
        files = [NativeFile(f"native/{path.name}", path, harness) for path in native or ()]
        with _target(output) as target:
            manifest = write_bundle(target, sessions, blobs=blobs, native=files, created_at=created_at, replace=force)
    out = Out(sys.stderr if output == STDIO else sys.stdout)
    if json:
        out.json(manifest.to_wire())
    else:
        out.line(f"{output}: {_contents(manifest)}")
    return DONE


@contextmanager
def _target(output: str) -> Iterator[str]:
    """Where to write; for standard output a file that is then copied there."""
    if output != STDIO:
        yield output
        return
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "bundle.tar")
        yield str(path)
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


@bundle_app.command("verify")
def verify_command(bundle: _Bundle, max_bytes: _MaxBytes = _LIMIT, json: _Json = False) -> int:
    """Check every file against the manifest: exit code 0 if all is as it says, 1 if not, 2 if it cannot be read."""
    with working(f"checking {bundle}", size_of(bundle)):
        findings = verify(source_of(bundle), limits=Limits(total_bytes=max_bytes))
    counts = Counter(d.severity for d in findings)
    ok = not counts["error"]
    out = Out(sys.stdout)
    if json:
        out.json(
            {
                "ok": ok,
                "findings": [d.to_dict() for d in findings],
                "counts": {
                    "errors": counts["error"],
                    "warnings": counts["warning"],
                    "infos": counts["info"],
                    "codes": dict(Counter(d.code for d in findings).most_common()),
                },
            }
        )
    else:
        _print_findings(out, bundle, findings)
        verdict = Cell("valid", "bold green") if ok else Cell("not valid", "bold red")
        out.line(
            f"{bundle}: ", verdict, f": {number(counts['error'], 'error')}, {number(counts['warning'], 'warning')}"
        )
    return DONE if ok else FOUND_ERRORS


def _print_findings(out: Out, name: str, findings: list[BundleDiagnostic]) -> None:
    for d in findings:
        place = ":".join(str(p) for p in (name, d.path, d.line) if p is not None)
        where = f" (at {d.pointer})" if d.pointer else ""
        out.line(f"{place}: ", Cell(d.severity, _COLOURS[d.severity]), f" {d.code}: {d.message}{where}")


@bundle_app.command("list")
def list_command(bundle: _Bundle, max_bytes: _MaxBytes = _LIMIT, json: _Json = False) -> int:
    """List what the manifest names."""
    with _open(bundle, max_bytes) as opened:
        manifest = opened.manifest
    out = Out(sys.stdout)
    if json:
        out.json(manifest.to_wire())
        return DONE
    rows = [(f"{entry.bytes:,}", entry.path, _about(entry)) for _, entry in manifest.entries()]
    out.table(("bytes", "path", "about"), rows, right="r", indent="")
    out.line(f"{bundle}: {_contents(manifest)}")
    return DONE


def _about(entry: Entry) -> str:
    if isinstance(entry, BundleStream):
        records = "" if entry.records is None else f", {number(entry.records, 'record')}"
        return f"{SessionReference(entry.session_key.key)}{records}"
    return (entry.mime_type if isinstance(entry, BundleBlob) else entry.harness) or ""


def _contents(manifest: Manifest) -> str:
    counts: dict[str, int] = {
        "stream": len(manifest.streams or ()),
        "blob": len(manifest.blobs or ()),
        "native file": len(manifest.native or ()),
    }
    total = sum(entry.bytes for _, entry in manifest.entries())
    return f"{', '.join(number(n, noun) for noun, n in counts.items())}, {total:,} bytes"


def _open(bundle: str, max_bytes: int) -> Bundle:
    return Bundle.open(source_of(bundle), limits=Limits(total_bytes=max_bytes))


@bundle_app.command()
def extract(
    bundle: _Bundle,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="A new directory; for a PATH, a new file or - .")
    ],
    path: Annotated[str | None, typer.Argument(metavar="[PATH]", help="One file of the bundle only.")] = None,
    max_bytes: _MaxBytes = _LIMIT,
    json: _Json = False,
) -> int:
    """Unpack a bundle, each file checked against its hash: whole, or not at all."""
    if path is None and output == STDIO:
        raise WriterError("standard output takes one file; name its PATH")
    if output != STDIO:
        require_directory(Path(output))
    with _open(bundle, max_bytes) as opened, working(f"extracting {bundle}", size_of(bundle)):
        if path is None:
            written = [str(p) for p in opened.extract(output)]
        else:
            _extract_file(opened, path, output)
            written = [output]
    out = Out(sys.stderr if output == STDIO else sys.stdout)
    if json:
        out.json({"written": written})
    else:
        out.line(f"{output}: {number(len(written), 'file')}")
    return DONE


def _extract_file(bundle: Bundle, path: str, output: str) -> None:
    # beside its place first, so that nothing unchecked ever stands there
    if output == STDIO:
        with tempfile.TemporaryFile() as copy:
            bundle.copy(path, copy)
            copy.seek(0)
            shutil.copyfileobj(copy, sys.stdout.buffer)
        return
    target = Path(output)
    if target.is_symlink() or target.exists():
        raise WriterError(f"{output} exists; it is not replaced")
    with WholeFile(target) as whole:
        bundle.copy(path, whole.file)
        whole.close()
        whole.put()
