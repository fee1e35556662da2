"""The plugin of pytest: `pytest --sessionrecord-corpus` runs the conformance corpus, and nothing else.

Until the option is given, nothing but this small module is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sessionrecord_corpus.checks import Check


class Hooks:
    """What a `conftest.py` can say."""

    @pytest.hookspec(firstresult=True)
    def pytest_sessionrecord_validate(self, path: Path) -> Iterable[Any] | None:
        """The findings of another implementation in the stream at `path`: objects with `line`, `code`, `severity`, `pointer`."""

    @pytest.hookspec(firstresult=True)
    def pytest_sessionrecord_validate_bundle(self, path: Path) -> Iterable[Any] | None:
        """The same in the bundle at `path`, and in its streams; each finding also has the `path` of its file in the bundle."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hook."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("sessionrecord", "conformance corpus of sessionrecord")
    group.addoption(
        "--sessionrecord-corpus",
        action="store_true",
        help="run the conformance corpus of session streams and bundles, and nothing else",
    )
    group.addoption(
        "--sessionrecord-corpus-command",
        metavar="COMMAND",
        help="check this command: it gets the path of a stream and prints a JSON object with its findings",
    )
    group.addoption(
        "--sessionrecord-corpus-bundle-command",
        metavar="COMMAND",
        help="check this command: it gets the path of a bundle and prints a JSON object with its findings",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> bool | None:
    """Put the corpus in place of what would be collected."""
    config = session.config
    if not config.getoption("sessionrecord_corpus"):
        return None
    session.items = list(_items(session))
    config.hook.pytest_collection_modifyitems(session=session, config=config, items=session.items)
    config.hook.pytest_collection_finish(session=session)
    session.testscollected = len(session.items)
    return True


def _items(session: pytest.Session) -> Iterator[pytest.Item]:
    from sessionrecord_corpus import bundles, cases
    from sessionrecord_corpus.checks import checks_of_package

    option, hook = session.config.getoption, session.config.hook
    streams = _of_another(option("sessionrecord_corpus_command"), hook.pytest_sessionrecord_validate)
    packed = _of_another(option("sessionrecord_corpus_bundle_command"), hook.pytest_sessionrecord_validate_bundle)
    if streams is None and packed is None:
        streams = packed = checks_of_package
    for found, checks_of in ((cases(), streams), (bundles(), packed)):
        if checks_of is not None:  # an implementation of one is not asked for the other
            for case in found:
                for name, check in checks_of(case).items():
                    yield CorpusItem.from_parent(session, name=f"{case.name}[{name}]", check=check, about=case.about)


def _of_another(command: str | None, hook: Any) -> Callable[[Any], dict[str, Check]] | None:
    """What checks another implementation; None where none is given."""
    from sessionrecord_corpus.checks import checks_of_command, checks_of_validator

    if command:
        return lambda case: checks_of_command(case, command)
    if hook.get_hookimpls():
        return lambda case: checks_of_validator(case, lambda path: hook(path=path))
    return None


class CorpusItem(pytest.Item):
    """One check of one case."""

    def __init__(self, *, check: Check, about: str, **members: Any) -> None:
        super().__init__(**members)
        self._check = check
        self._about = about

    def runtest(self) -> None:
        """Run the check."""
        self._check()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was expected and what was found, without a traceback; anything else is shown in full."""
        from sessionrecord_corpus.checks import MismatchError

        if isinstance(excinfo.value, MismatchError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it stands: by its name."""
        return self.path, None, f"{self.name}: {self._about}"
