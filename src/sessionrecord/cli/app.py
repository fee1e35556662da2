"""The commands: each parses its arguments, calls the library and prints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from sessionrecord.cli import render, views
from sessionrecord.cli.asif import asif_app
from sessionrecord.cli.asm import asm_app
from sessionrecord.cli.bundle import bundle_app
from sessionrecord.cli.export import export_app
from sessionrecord.cli.follow import follow
from sessionrecord.cli.output import Out, working
from sessionrecord.cli.program import DIFFERENT, DONE, FOUND_ERRORS, UNREADABLE, Program
from sessionrecord.cli.redact import redact
from sessionrecord.cli.source import STDIO, note_the_end, open_known, size_of, source_of
from sessionrecord.cli.target import is_device, place_of, require_directory
from sessionrecord.convert import Conversion
from sessionrecord.errors import WriterError
from sessionrecord.refs import Ref
from sessionrecord.session import Session
from sessionrecord.session import diff as session_diff
from sessionrecord.session.said import SHOWN

__all__ = ["app"]

app = typer.Typer(cls=Program, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
convert_app = typer.Typer(rich_markup_mode=None)
app.add_typer(convert_app, name="convert")
app.add_typer(asif_app, name="asif")
app.add_typer(asm_app, name="asm")
app.add_typer(bundle_app, name="bundle")
app.add_typer(export_app, name="export")
app.command()(follow)
app.command()(redact)

Stream = Annotated[str, typer.Argument(metavar="STREAM", help="The stream to read; - reads standard input.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
All = Annotated[bool, typer.Option("--all", help="Name all of each kind, not the first 20.")]


def _version(wanted: bool) -> None:
    if wanted:
        from sessionrecord import __version__

        typer.echo(f"sessionrecord {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> int:
    """Convert, check and look at the sessions of AI agents.

    \b
    Exit codes:
      0    done; for validate: the stream has no error
      1    the stream has errors, or a REF names nothing in it; for diff: the streams differ
      2    something cannot be read, written or converted, or wrong usage
      130  interrupted
      141  whoever read the output closed it

    \b
    Results go to standard output, errors to standard error as one line.
    Colours are for terminals only, and never with NO_COLOR set.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        return UNREADABLE
    return DONE


@convert_app.callback(invoke_without_command=True)
def convert_start(context: typer.Context) -> int:
    """Turn a native log into a stream."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        return UNREADABLE
    return DONE


@app.command()
def validate(
    stream: Stream,
    json: Json = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print SARIF 2.1.0, for code hosts.")] = False,
    level: Annotated[
        Literal["record", "stream", "bundle"],
        typer.Option("--level", help="Check each record alone, the stream as a whole, or a bundle and its streams."),
    ] = "stream",
) -> int:
    """Check a stream and list what is found: exit code 0 without errors, 1 with, 2 if it cannot be read."""
    from sessionrecord.validate import validate

    if json and sarif:
        raise typer.BadParameter("--json and --sarif exclude each other")
    source = source_of(stream)
    with working(f"checking {stream}", size_of(stream)):
        report = validate(source, level=level)
    out = Out(sys.stdout)
    if sarif:
        out.json(report.to_sarif())
    elif json:
        out.json(report.to_dict())
    else:
        render.findings(out, stream, report)
    return DONE if report.ok else FOUND_ERRORS


@app.command()
def inspect(stream: Stream, json: Json = False) -> int:
    """Say what a session is: header, records, turns, tools, usage, cost, losses, heads, findings."""
    session = open_known(stream)
    with working(f"reading {stream}", size_of(stream)):
        overview = views.overview(session)
    out = Out(sys.stdout)
    if json:
        out.json(overview)
    else:
        render.overview(out, overview)
    return DONE


@app.command()
def context(
    stream: Stream,
    at: Annotated[
        int | None, typer.Option("--at", metavar="SEQ", min=0, help="As it was after the record with this seq.")
    ] = None,
    head: Annotated[
        str | None, typer.Option("--head", metavar="REF", help="The branch that ends there, not the current one.")
    ] = None,
    json: Json = False,
) -> int:
    """Show what the model's context contained: the items in order, what is not there and why."""
    session = open_known(stream)
    note_the_end(session, at, "context")
    view = views.context(session.context_view(head=head, at=at))
    out = Out(sys.stdout)
    if json:
        out.json(view)
    else:
        render.context(out, view)
    return DONE


@app.command("context-diff")
def context_diff(
    stream: Stream,
    a: Annotated[str, typer.Argument(metavar="A", help="The first point: after the record with this seq or REF.")],
    b: Annotated[
        str | None,
        typer.Argument(metavar="B", help="The second point, also an earlier one; by default the end."),
    ] = None,
    all_: All = False,
    json: Json = False,
) -> int:
    """Show what the model's context gained and lost between two points, and what each compaction replaced.

    A point is a seq, or a REF such as compactionId=k1: after the latest record of that entity.
    """
    session = open_known(stream)
    at_a, at_b = _point(session, a), None if b is None else _point(session, b)
    for at in (at_a, at_b):
        note_the_end(session, at, "context")
    found = session.context_diff(at_a, at_b)
    out = Out(sys.stdout)
    if json:
        out.json(found.to_dict())
    else:
        render.difference(out, found.lines(None if all_ else SHOWN))
    return DONE


def _point(session: Session, given: str) -> int:
    """The `seq` that a point is: itself, or that of the latest record which a ref names. Raises `RefNotFoundError`."""
    if given.isascii() and given.isdigit() and len(given) < 20:
        return int(given)
    entity = session.resolve(given)
    record = session.record(given) if Ref.parse(given).key is None else entity.latest
    return entity.seq if record.seq is None else record.seq


@app.command()
def diff(
    stream_a: Annotated[str, typer.Argument(metavar="A", help="The first stream; - reads standard input.")],
    stream_b: Annotated[str, typer.Argument(metavar="B", help="The second stream; - reads standard input.")],
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore", metavar="NAME", help="A member of records that is not compared, such as timestamp; repeatable."
        ),
    ] = None,
    all_: All = False,
    json: Json = False,
) -> int:
    """Compare two streams: what B has added, removed, revised, moved and renamed.

    Exit code 0 where they are the same, 1 where they differ, 2 where one cannot be read. Another seq or record ID alone is no
    difference.
    """
    if stream_a == stream_b == STDIO:
        raise typer.BadParameter("only one of the two can be standard input")
    a, b = open_known(stream_a), open_known(stream_b)
    with working(f"comparing {stream_a} and {stream_b}", size_of(stream_a) + size_of(stream_b)):
        found = session_diff(a, b, ignore=ignore or ())
    out = Out(sys.stdout)
    if json:
        out.json(found.to_dict())
    else:
        render.difference(out, found.lines(None if all_ else SHOWN))
    return DONE if found.same else DIFFERENT


@app.command()
def show(
    stream: Stream,
    ref: Annotated[str, typer.Argument(metavar="REF", help="A record ID, or an entity such as callId=toolu_01.")],
    json: Annotated[bool, typer.Option("--json", help="Print the lines of the records.")] = False,
) -> int:
    """Show a record, or all revisions of an entity; of a tool call its results too."""
    session = open_known(stream)
    found = views.named(session, ref)
    out = Out(sys.stdout)
    if json:
        for shown in found:
            out.json_line(shown.record.to_line())
    else:
        render.records(out, found)
    return DONE


NativeLog = Annotated[
    str, typer.Argument(metavar="LOG", help="The .jsonl log of a session, also packed; - reads standard input.")
]
Output = Annotated[
    str, typer.Option("--output", "-o", metavar="OUT", help="The stream to write; - is standard output.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")]
ReportJson = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]


@convert_app.command("claude-code")
def claude_code(log: NativeLog, output: Output, force: Force = False, json: ReportJson = False) -> int:
    """Convert a log of Claude Code and report what became of every line.

    Child sessions (sub-agents) are written to OUT.children/. The report goes to standard output, or to standard error
    where the stream goes to standard output.
    """
    from sessionrecord.convert.claude_code import convert

    return _convert(convert, log, output, force, json)


@convert_app.command("codex")
def codex(log: NativeLog, output: Output, force: Force = False, json: ReportJson = False) -> int:
    """Convert a rollout of Codex and report what became of every line.

    The report goes to standard output, or to standard error where the stream goes to standard output.
    """
    from sessionrecord.convert.codex import convert

    return _convert(convert, log, output, force, json)


@convert_app.command("asm")
def asm(log: NativeLog, output: Output, force: Force = False, json: ReportJson = False) -> int:
    """Convert the events of runs (ASM) and report what became of every event.

    The report goes to standard output, or to standard error where the stream goes to standard output.
    """
    from sessionrecord.convert.asm import convert

    return _convert(convert, log, output, force, json)


@convert_app.command("acp")
def acp(log: NativeLog, output: Output, force: Force = False, json: ReportJson = False) -> int:
    """Convert a log of a connection (ACP) and report what became of every message.

    The first session is written to OUT, the others of the connection to OUT.children/. The report goes to standard output, or to
    standard error where the stream goes to standard output.
    """
    from sessionrecord.convert.acp import convert

    return _convert(convert, log, output, force, json)


@convert_app.command("auto")
def auto(log: NativeLog, output: Output, force: Force = False, json: ReportJson = False) -> int:
    """Convert a log by the converter that its content asks for, whatever its name.

    The report goes to standard output, or to standard error where the stream goes to standard output.
    """
    return _convert(_convert_detected, log, output, force, json)


def _convert_detected(log: str | bytes) -> Conversion:
    from sessionrecord.convert import acp, asm, claude_code, codex, detect

    converters = {"acp": acp.convert, "asm": asm.convert, "claude-code": claude_code.convert, "codex": codex.convert}
    convert: Callable[[str | bytes], Conversion] = converters[detect(log).format]
    return convert(log)


def _convert(convert: Callable[[str | bytes], Conversion], log: str, output: str, force: bool, json: bool) -> int:
    if output != STDIO:
        _check_target(log, Path(output), force)
    source = source_of(log)
    with working(f"converting {log}", size_of(log)):
        conversion = convert(source)
    out = Out(sys.stderr if output == STDIO else sys.stdout)
    written = [] if output == STDIO else _write(conversion, Path(output))
    if output == STDIO:
        Out(sys.stdout).lines(record.to_line() for record in conversion.main)
    if json:
        out.json(conversion.report.to_dict())
    else:
        render.conversion(out, conversion, written)
    return DONE


def _check_target(log: str, target: Path, force: bool) -> None:
    if target.is_dir():
        raise WriterError(f"{target} is a directory")
    if log != STDIO and target.exists() and Path(log).exists() and target.samefile(log):
        raise WriterError(f"{target} is the log itself; give OUT another name")
    require_directory(target)
    children = target.with_name(f"{target.name}.children")
    for path in (target, children):
        if (path.is_file() or path.is_dir()) and not force:
            raise WriterError(f"{path} exists; --force replaces it")


def _write(conversion: Conversion, target: Path) -> list[Path]:
    if not is_device(target):
        return conversion.write(place_of(target))
    with target.open("wb") as file:  # a device or pipe is written to, never replaced
        file.writelines(record.to_line() + b"\n" for record in conversion.main)
    return [target]


@app.command()
def repair(
    stream: Stream,
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="The stream to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace OUT and OUT.rest.jsonl if they exist.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> int:
    """Write a valid stream of all that can be saved, and list what was done.

    STREAM is only read. Every line that is not in OUT as it was is kept in OUT.rest.jsonl.
    """
    from sessionrecord.validate import repair

    if output == STDIO:
        raise WriterError("a repair writes two files: give OUT a name")
    require_directory(Path(output))
    source = source_of(stream)
    with working(f"repairing {stream}", size_of(stream)):
        report = repair(source, output, replace=force)
    out = Out(sys.stdout)
    if json:
        out.json(report.to_dict())
    else:
        for line in report.lines():
            out.line(line)
    return DONE


@app.command()
def schema(
    name: Annotated[
        Literal["record", "header", "manifest"], typer.Argument(help="What to print the schema of.")
    ] = "record",
) -> int:
    """Print the JSON Schema (draft 2020-12) of any record, or of the session header."""
    from sessionrecord.schema import json_schema

    Out(sys.stdout).json(json_schema(name))
    return DONE
