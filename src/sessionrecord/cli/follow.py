"""`sessionrecord follow`: the records of a stream as they are written."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sessionrecord.cli.output import Out
from sessionrecord.cli.program import DONE
from sessionrecord.display.summary import kind, summary

__all__ = ["follow"]


def follow(
    stream: Annotated[str, typer.Argument(metavar="STREAM", help="The stream to follow; it need not be there yet.")],
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout", metavar="SECONDS", min=0, help="End when nothing came for so long; 0: after what is there."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the lines of the records.")] = False,
) -> int:
    """Print each record of a stream when it is complete, until interrupted: through truncation, rotation and half lines."""
    from sessionrecord.stream import follow

    out, told = Out(sys.stdout), 0
    with follow(stream, timeout=timeout) as records:
        for record in records:
            if json:
                out.json_line(record.to_line())
            else:
                out.line(f"{'' if record.seq is None else record.seq:>6}  {kind(record):<11} {summary(record)}")
            for found in records.diagnostics[told:]:
                Out(sys.stderr).line(str(found))
            told = len(records.diagnostics)
            sys.stdout.flush()
    return DONE
