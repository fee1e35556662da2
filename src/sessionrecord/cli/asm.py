"""`sessionrecord asm`: what the events of a run come to."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sessionrecord.cli.output import Cell, Out, fail
from sessionrecord.cli.program import DONE, FOUND_ERRORS, UNREADABLE
from sessionrecord.cli.render import number
from sessionrecord.cli.source import STDIO, stdin_bytes
from sessionrecord.diagnostics import excerpt

if TYPE_CHECKING:
    from sessionrecord.asm import RunResult
    from sessionrecord.diagnostics import Diagnostic

__all__ = ["asm_app"]

asm_app = typer.Typer(rich_markup_mode=None)

Events = Annotated[
    str, typer.Argument(metavar="EVENTS", help="The events of a run as JSON Lines; - reads standard input.")
]


@asm_app.callback(invoke_without_command=True)
def start(context: typer.Context) -> int:
    """Fold the events of a run (ASM) into what it came to."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        return UNREADABLE
    return DONE


def _reduced(path: str) -> tuple[RunResult, list[Diagnostic]]:
    from sessionrecord.asm import EmptyRunError, EventReader, final_result

    reader = EventReader(io.BytesIO(stdin_bytes()) if path == STDIO else path)
    try:
        return final_result(reader.events()), reader.diagnostics
    except EmptyRunError as e:
        errors = [d for d in reader.diagnostics if d.severity == "error" and d.line is not None]
        raise EmptyRunError(f"{path}: {f'no line is a valid event; the first: {errors[0]}' if errors else e}") from None


def _verdict(path: str, found: list[Diagnostic]) -> int:
    errors = [d for d in found if d.severity == "error"]
    if not errors:
        return DONE
    fail(
        f"{path}: {number(len(errors), 'finding')} in lines that are no valid events and were left out; the first: {errors[0]}"
    )
    return FOUND_ERRORS


@asm_app.command()
def result(events: Events, json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> int:
    """Say what a run came to: exit code 0, 1 if lines had to be left out, 2 if there is no valid event."""
    run, found = _reduced(events)
    out = Out(sys.stdout)
    if json:
        out.json(run.to_wire())
    else:
        _print(out, run)
    return _verdict(events, found)


@asm_app.command()
def text(events: Events) -> int:
    """Print what the agent said, with control characters escaped: exit codes as of `result`."""
    run, found = _reduced(events)
    Out(sys.stdout).body(run.text, indent="")
    return _verdict(events, found)


def _print(out: Out, run: RunResult) -> None:
    colour = {"completed": "green", "failed": "red"}.get(run.status, "yellow")
    facts: list[tuple[str, Any]] = [
        ("run", run.run_id),
        ("session", run.session_id),
        ("status", Cell(run.status + (", interrupted" if run.interrupted else ""), colour)),
        ("ended", "yes" if run.terminal else "no: the events stop before the end"),
        ("stop reason", run.stop_reason),
        ("duration", None if run.duration_ms is None else f"{run.duration_ms:,} ms"),
        ("provider's session", run.session_id_from_cli),
        ("tokens", f"{run.cost.input_tokens:,} in, {run.cost.output_tokens:,} out"),
        ("cost", f"{run.cost.cost_usd} USD"),
        ("error", None if run.error is None else str(run.error)),
        ("object", None if run.object is None else excerpt(run.object)),
        ("messages", number(len(run.messages), "message")),
    ]
    rows = [(name, value if isinstance(value, Cell) else str(value)) for name, value in facts if value is not None]
    out.table(("", ""), rows, indent="")
    out.line()
    out.body(run.text)
