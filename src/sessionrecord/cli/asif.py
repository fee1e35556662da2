"""`sessionrecord asif`: check captures and look at their streams."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from sessionrecord.cli.output import Cell, Out, fail
from sessionrecord.cli.program import DONE, FOUND_ERRORS, UNREADABLE
from sessionrecord.cli.render import COLOURS, number
from sessionrecord.cli.source import STDIO, stdin_bytes

if TYPE_CHECKING:
    from sessionrecord.asif import Document, Report, StreamReport

__all__ = ["asif_app"]

_WIDTH: Final = 40

asif_app = typer.Typer(rich_markup_mode=None)

Doc = Annotated[str, typer.Argument(metavar="DOC", help="The ASIF document; - reads standard input.")]


@asif_app.callback(invoke_without_command=True)
def start(context: typer.Context) -> int:
    """Check ASIF documents and look at their streams."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        return UNREADABLE
    return DONE


def _read(path: str) -> Document:
    from sessionrecord.asif import Document

    return Document.parse(stdin_bytes()) if path == STDIO else Document.read(path)


@asif_app.command()
def check(
    document: Doc,
    full_support: Annotated[
        bool, typer.Option("--full-support", help="Fail too if a required feature is not checked here.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Check a document: exit code 0 without errors, 1 with, 2 if it cannot be read."""
    report = _read(document).check(full_support=full_support)
    out = Out(sys.stdout)
    if json:
        out.json(report.to_dict())
    else:
        _print_report(out, document, report)
    return DONE if report.ok else FOUND_ERRORS


@asif_app.command()
def assemble(
    document: Doc, stream: Annotated[str, typer.Argument(metavar="STREAM", help="The ID of a stream.")]
) -> int:
    """Write the known bytes of a stream to standard output: exit code 0 if they are the whole stream, 1 if not."""
    assembled = _read(document).assemble(stream)
    sys.stdout.buffer.write(assembled.data)
    sys.stdout.buffer.flush()
    if assembled.complete:
        return DONE
    missing = ", ".join(
        f"{r.start}" if len(r) == 1 else f"{r.start} to {r.stop - 1}" for r in assembled.missing_indexes[:5]
    )
    why = f"missing indexes: {missing}" if missing else "its end is not there"
    fail(f"stream {stream} is partial: {assembled.contiguous_bytes} bytes written; {why}")
    return FOUND_ERRORS


@asif_app.command()
def streams(document: Doc, json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> int:
    """List the streams of a document, with a picture of which segments are there."""
    doc = _read(document)
    report = doc.check()
    out = Out(sys.stdout)
    if json:
        out.json({"streams": [_facts(s) | {"segments": _picture(doc, s.id)} for s in report.streams.values()]})
        return DONE
    if not report.streams:
        out.line("no streams")
        return DONE
    rows = [
        (s.id, s.kind, s.event_id, Cell(s.status, "green" if s.status == "complete" else "yellow"),
         f"{s.contiguous_bytes:,}", _picture(doc, s.id), "" if s.ok else Cell("has errors", "red"))
        for s in report.streams.values()
    ]  # fmt: skip
    out.table(("stream", "kind", "event", "status", "bytes", "segments", ""), rows, right="    r")
    out.line()
    out.line("█ there  ▒ partly there  · missing  ■ the last one  … what follows is not known")
    return DONE


def _facts(stream: StreamReport) -> dict[str, Any]:
    return {
        "id": stream.id,
        "kind": stream.kind,
        "event_id": stream.event_id,
        "status": stream.status,
        "contiguous_bytes": stream.contiguous_bytes,
        "missing_indexes": [[r.start, r.stop - 1] for r in stream.missing_indexes],
        "ok": stream.ok,
    }


def _picture(document: Document, stream_id: str) -> str:
    """The indexes from zero as blocks, several to a block where there are many."""
    stream = document.streams.find(stream_id)
    segments = stream.segments if stream is not None else []
    there = {s.index for s in segments}
    last = next((s.index for s in segments if s.terminal), None)
    count = max(there, default=-1) + 1
    per = max(1, -(-count // _WIDTH))
    held = [0] * -(-count // per)
    for index in there:
        held[index // per] += 1
    blocks = ["█" if n == min(per, count - i * per) else "▒" if n else "·" for i, n in enumerate(held)]
    if last is not None and per == 1:
        blocks[last] = "■"
    return "".join(blocks) + ("" if last is not None else "…")


def _print_report(out: Out, name: str, report: Report) -> None:
    for d in report.findings:
        where = f" (at {d.pointer})" if d.pointer else ""
        out.line(f"{name}: ", Cell(d.severity, COLOURS[d.severity]), f" {d.code}: {d.message}{where}")
    for feature in report.unsupported_features:
        out.line(f"{name}: ", Cell("note", "cyan"), f" the rules of {feature} are not checked here")
    if report.calls:
        out.title("Calls")
        rows = [
            (c.call_id, c.tool_id, f"arguments {c.arguments_status}", "open" if c.open else f"closed: {c.outcome}",
             "executable" if c.executable else "", "external" if c.external else "")
            for c in report.calls.values()
        ]  # fmt: skip
        out.table(("", "", "", "", "", ""), rows)
        out.line()
    errors = sum(d.severity == "error" for d in report.findings)
    verdict = Cell("valid", "bold green") if report.ok else Cell("not valid", "bold red")
    out.line(f"{name}: ", verdict, f": {number(errors, 'error')}, {number(len(report.streams), 'stream')}")
