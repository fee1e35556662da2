"""`sessionrecord export`: a stream in other formats, and what they cannot hold."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sessionrecord import ijson
from sessionrecord.cli.output import Out, working
from sessionrecord.cli.program import DONE, UNREADABLE
from sessionrecord.cli.source import STDIO, note_the_end, open_known, size_of
from sessionrecord.cli.target import put_all, require_directory
from sessionrecord.errors import WriterError
from sessionrecord.session import Session

if TYPE_CHECKING:
    from sessionrecord.export import Exported

__all__ = ["export_app"]

export_app = typer.Typer(rich_markup_mode=None)

_Source = Annotated[str, typer.Argument(metavar="STREAM", help="The stream to export; - reads standard input.")]
_Output = Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="The file to write; - is standard output.")]
_At = Annotated[
    int | None, typer.Option("--at", metavar="SEQ", min=0, help="As it was after the record with this seq.")
]
_Report = Annotated[
    str | None, typer.Option("--loss-report", metavar="FILE", help="Write all that was lost to FILE, as JSON.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
_Force = Annotated[bool, typer.Option("--force", help="Replace OUT and FILE if they exist.")]


@export_app.callback(invoke_without_command=True)
def start(context: typer.Context) -> int:
    """Write a stream in another format, and report what that cannot hold.

    The report goes to standard output, or to standard error where the export goes to standard output.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        return UNREADABLE
    return DONE


@export_app.command()
def atif(
    stream: _Source,
    output: _Output,
    loss_report: _Report = None,
    at: _At = None,
    json: _Json = False,
    force: _Force = False,
) -> int:
    """Write a trajectory of ATIF 1.8: the active path as steps, with totals."""
    from sessionrecord.export import to_atif

    return _export(lambda session: to_atif(session, at=at), stream, output, loss_report, at, json, force)


@export_app.command()
def otlp(
    stream: _Source,
    output: _Output,
    content: Annotated[
        bool, typer.Option("--content", help="Include what was said, arguments and results: they may hold secrets.")
    ] = False,
    loss_report: _Report = None,
    at: _At = None,
    json: _Json = False,
    force: _Force = False,
) -> int:
    """Write OpenTelemetry spans as OTLP JSON, by the conventions for generative AI."""
    from sessionrecord.export import to_otlp

    return _export(
        lambda session: to_otlp(session, at=at, content=content), stream, output, loss_report, at, json, force
    )


@export_app.command()
def markdown(
    stream: _Source,
    output: _Output,
    loss_report: _Report = None,
    at: _At = None,
    json: _Json = False,
    force: _Force = False,
) -> int:
    """Write a page of Markdown: what happened, in order."""
    from sessionrecord.export import to_markdown

    return _export(lambda session: to_markdown(session, at=at), stream, output, loss_report, at, json, force)


@export_app.command()
def html(
    stream: _Source,
    output: _Output,
    loss_report: _Report = None,
    at: _At = None,
    json: _Json = False,
    force: _Force = False,
) -> int:
    """Write a page of HTML that needs nothing else: no script, nothing fetched."""
    from sessionrecord.export import to_html

    return _export(lambda session: to_html(session, at=at), stream, output, loss_report, at, json, force)


def _export(
    export: Callable[[Session], Exported],
    stream: str,
    output: str,
    loss_report: str | None,
    at: int | None,
    json: bool,
    force: bool,
) -> int:
    if loss_report == STDIO:
        raise typer.BadParameter("the loss report needs a file; --json prints it")
    if loss_report is not None and output != STDIO and _same(Path(loss_report), Path(output)):
        raise WriterError(f"{loss_report} is OUT; give the loss report another name")
    given = {"OUT": output, "FILE": loss_report}
    targets = {option: Path(name) for option, name in given.items() if name not in (None, STDIO)}
    for option, target in targets.items():
        _check(stream, target, option, force)
    session = open_known(stream)
    note_the_end(session, at, "session")
    with working(f"exporting {stream}", size_of(stream)):
        exported = export(session)
    text = exported.text.encode()
    report = exported.report.to_dict()
    data = {"OUT": text, "FILE": ijson.dumps(report, indent=True) + b"\n"}
    put_all({target: data[option] for option, target in targets.items()})
    if output == STDIO:
        sys.stdout.flush()
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    out = Out(sys.stderr if output == STDIO else sys.stdout)
    if json:
        out.json(report)
    else:
        for line in str(exported.report).split("\n"):
            out.line(line)
        for target in targets.values():
            out.line(f"wrote {target}")
    return DONE


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _check(stream: str, target: Path, option: str, force: bool) -> None:
    if target.is_dir():
        raise WriterError(f"{target} is a directory")
    if stream != STDIO and target.exists() and Path(stream).exists() and target.samefile(stream):
        raise WriterError(f"{target} is the stream itself; give {option} another name")
    require_directory(target)
    if target.is_file() and not force:
        raise WriterError(f"{target} exists; --force replaces it")
