"""`sessionrecord redact`: a stream without its secrets, and what was removed."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sessionrecord.cli.output import Out, working
from sessionrecord.cli.program import DONE
from sessionrecord.cli.source import STDIO, open_known, size_of
from sessionrecord.errors import RedactionError, SourceError, WriterError
from sessionrecord.session import Session

if TYPE_CHECKING:  # not every command needs it
    from sessionrecord.redact import Pattern, Value

__all__ = ["redact"]

_ADVICE: Final = {"ids": "--rename-ids renames it", "signatures": "--drop-signatures leaves it out"}


def redact(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The stream to read; - reads standard input.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="TARGET", help="The stream to write; - is standard output.")
    ],
    secret_file: Annotated[
        list[Path] | None,
        typer.Option("--secret-file", metavar="FILE", help="Secrets to remove, one a line, in UTF-8; repeatable."),
    ] = None,
    secret_env: Annotated[
        list[str] | None,
        typer.Option(
            "--secret-env",
            metavar="NAME",
            help="An environment variable that holds a secret; repeatable. It is called by its name, or env-1 and so on where that is long or begins with _.",
        ),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern",
            metavar="NAME=REGEX",
            help="A form of secrets; of a group named secret, only that is removed. Repeatable.",
        ),
    ] = None,
    no_known: Annotated[bool, typer.Option("--no-known", help="Do not look for the known forms of secrets.")] = False,
    rename_ids: Annotated[
        bool, typer.Option("--rename-ids", help="Rename IDs and refs that hold a secret, all over the session.")
    ] = False,
    drop_signatures: Annotated[
        bool, typer.Option("--drop-signatures", help="Leave out signatures that hold a secret.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace TARGET if it exists.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> int:
    """Write a stream without its secrets and say what was removed; SOURCE is only read.

    Secrets are never given as arguments, which other users and the shell's history can see. A secret in an ID or a signature
    ends the command with an error, unless --rename-ids or --drop-signatures says what to do. The report goes to standard
    output, or to standard error where the stream goes to standard output.
    """
    from sessionrecord.redact import KNOWN_PATTERNS, RedactionRules, redact
    from sessionrecord.redact.record import Refused

    values = [*_from_files(secret_file or []), *_from_environment(secret_env or [])]
    patterns = [*(() if no_known else KNOWN_PATTERNS), *map(_pattern, pattern or ())]
    if not values and not patterns:
        raise typer.BadParameter("there is nothing to look for: give --secret-file, --secret-env or --pattern")
    rules = RedactionRules(
        values,
        patterns,
        ids="rename" if rename_ids else "raise",
        signatures="drop" if drop_signatures else "raise",
    )
    if output != STDIO:
        _check_target(source, Path(output), force)
    session = open_known(source)
    try:
        with working(f"redacting {source}", size_of(source)):
            made = redact(session, rules)
    except Refused as e:
        raise RedactionError(e.told(None if e.advice is None else _ADVICE[e.advice])) from None
    _write(made.session, output)
    out = Out(sys.stderr if output == STDIO else sys.stdout)
    if json:
        out.json(made.report.to_dict())
    else:
        for line in made.report.lines():
            out.line(line)
    return DONE


def _from_files(paths: list[Path]) -> Iterator[Value]:
    from sessionrecord.redact import Value

    number = 0
    for path in paths:
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except OSError as e:
            raise SourceError(f"cannot read {path}: {e.strerror or e}") from e
        except UnicodeDecodeError:
            raise SourceError(f"{path} is not UTF-8") from None
        before = number
        for at, line in enumerate(text.split("\n"), 1):
            secret = line.removesuffix("\r")
            if not secret:
                continue
            number += 1
            try:
                yield Value(f"value-{number}", secret)
            except RedactionError as e:
                raise RedactionError(f"{path}, line {at}: {e}") from None
        if number == before:
            raise RedactionError(f"{path} holds no secret; one is expected on each line")


def _from_environment(names: list[str]) -> Iterator[Value]:
    from sessionrecord.redact import Value
    from sessionrecord.redact.patterns import is_name

    for number, name in enumerate(names, 1):
        secret = os.environ.get(name)
        if not secret:
            raise RedactionError(f"the environment variable {name} is not set, or is empty")
        yield Value(name if is_name(name) else f"env-{number}", secret)


def _pattern(text: str) -> Pattern:
    from sessionrecord.redact import Pattern

    name, equals, regex = text.partition("=")
    if not equals:
        raise typer.BadParameter("--pattern is NAME=REGEX")
    return Pattern(name, regex)


def _check_target(source: str, target: Path, force: bool) -> None:
    if target.is_dir():
        raise WriterError(f"{target} is a directory")
    if not target.parent.is_dir():
        raise WriterError(f"cannot write {target}: {target.parent} is no directory")
    if source != STDIO and target.exists() and Path(source).exists() and target.samefile(source):
        raise WriterError(f"{target} is the source itself; give TARGET another name")
    if target.is_file() and not force:
        raise WriterError(f"{target} exists; --force replaces it")


def _write(session: Session, output: str) -> None:
    target = Path(os.path.realpath(output))
    if output != STDIO and (target.is_file() or not target.exists()):
        session.write(target)
        return
    # standard output, a device or a pipe is written to, never replaced
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "stream")
        session.write(path)
        with path.open("rb") as file:
            if output == STDIO:
                shutil.copyfileobj(file, sys.stdout.buffer)
                return
            with target.open("wb") as device:
                shutil.copyfileobj(file, device)
