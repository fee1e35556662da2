"""How every command ends: one line for an error, never a traceback, and the exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any, Final, cast

import typer
from typer.core import TyperGroup

from sessionrecord.cli.output import escape, fail
from sessionrecord.errors import RefNotFoundError, SessionRecordError

__all__ = ["DIFFERENT", "DONE", "FOUND_ERRORS", "UNREADABLE", "Program"]

DONE: Final = 0
"""The command did what it was asked."""
FOUND_ERRORS: Final = 1
"""The stream has errors, or a ref names nothing in it."""
DIFFERENT: Final = 1
"""The two streams that were compared are not the same."""
UNREADABLE: Final = 2
"""Something cannot be read, written or converted, or the command was used wrongly."""
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141

# typer brings its own click or uses the installed one, by version; this is the root of its errors in both
_UsageError: Final[type[Exception]] = cast("type[Exception]", typer.BadParameter.__mro__[2])


class Program(TyperGroup):
    """The group of all commands."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and end the process with its exit code; outside of `standalone_mode` return it."""
        try:
            code = super().main(
                args=args,
                prog_name="sessionrecord",
                complete_var=complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
        except _UsageError as e:
            context = getattr(e, "ctx", None)
            path = context.command_path if context else "sessionrecord"
            option: str = getattr(e, "option_name", None) or ""
            words: str = getattr(e, "format_message", e.__str__)()
            if option[1:].isdigit():
                words = "no seq is below 0: a number with a minus is read as an option, and there is none of that name"
            fail(f"{words.rstrip('.')}; see {path} --help")
            code = UNREADABLE
        except (typer.Abort, KeyboardInterrupt):
            code = INTERRUPTED
        code = code if isinstance(code, int) else DONE
        if standalone_mode:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and turn what it raises into a line and an exit code."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort, _UsageError):
            raise
        except BrokenPipeError:
            _abandon_stdout()
            return PIPE_CLOSED
        except KeyboardInterrupt:
            fail("interrupted")
            return INTERRUPTED
        except RefNotFoundError as e:
            fail(str(e))
            return FOUND_ERRORS
        except SessionRecordError as e:
            fail(str(e))
            return UNREADABLE
        except OSError as e:
            named = f"{e.filename}: " if e.filename else ""
            fail(f"{named}{e.strerror or e}")
            return UNREADABLE
        except Exception as e:  # a bug of ours: said in one line that asks for a report, never a traceback
            fail(f"this is a bug in sessionrecord, please report it: {type(e).__name__}: {escape(str(e))[:300]}")
            return UNREADABLE
        return code


def _abandon_stdout() -> None:
    # else the interpreter would complain at exit, when it flushes what nobody reads
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
