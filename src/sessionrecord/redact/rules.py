"""What is to be removed, and what becomes of it where it cannot simply be replaced."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

from sessionrecord.errors import RedactionError
from sessionrecord.redact.patterns import KNOWN_PATTERNS, Pattern, check_name

__all__ = ["IdPolicy", "RedactionRules", "SignaturePolicy", "Value"]

IdPolicy: TypeAlias = Literal["raise", "rename"]
"""What is done about a secret in an ID or a ref: raise, or give the ID another name wherever it stands."""
SignaturePolicy: TypeAlias = Literal["raise", "drop"]
"""What is done about a secret in a signature or in encrypted reasoning: raise, or leave the member out."""

MIN_VALUE: Final = 4
"""Bytes that a value has at least: shorter ones are in every text, and in what base64 of anything decodes to."""
VOCABULARY: Final = (
    '"contentLevel":"redacted","losses":[{"kind":"secret","stage":"redaction","count":1,"explanation":""}],'
    '"capture":{"":{"state":"redacted","bytes":,"count":1,"reason":"removed: , ; it was "}}'
)
"""All that redaction writes into a record beside placeholders."""


@dataclass(frozen=True, slots=True)
class Value:
    """A secret that is given as itself. Neither `repr` nor any message shows it."""

    name: str
    """What the placeholder and the report call it."""
    text: str = field(repr=False)
    """The secret."""

    def __post_init__(self) -> None:
        check_name(self.name)
        if not isinstance(self.text, str):
            raise RedactionError(f"the value {self.name} is no text")
        try:
            size = len(self.text.encode())
        except UnicodeEncodeError:
            raise RedactionError(f"the value {self.name} holds an unpaired surrogate") from None
        if size < MIN_VALUE:
            raise RedactionError(
                f"the value {self.name} is shorter than {MIN_VALUE} bytes: it would be found everywhere"
            )


def _values(given: Iterable[str | Value] | Mapping[str, str]) -> tuple[Value, ...]:
    if isinstance(given, str | bytes):
        raise RedactionError("values are a list of texts, not one text")
    if isinstance(given, Mapping):
        named = cast("Mapping[str, str]", given)
        return tuple(Value(name, text) for name, text in named.items())
    if isinstance(given, Value) or not isinstance(given, Iterable):
        raise TypeError(f"values are a list of texts, or a mapping of names to texts, not {_called(given)}")
    return tuple(v if isinstance(v, Value) else Value(f"value-{n}", v) for n, v in enumerate(given, 1))


def _patterns(given: Iterable[Pattern] | None) -> tuple[Pattern, ...]:
    if given is None:
        return KNOWN_PATTERNS
    if isinstance(given, Pattern | str | bytes) or not isinstance(given, Iterable):
        raise TypeError(f"patterns are a list of Pattern, not {_called(given)}")
    patterns = tuple(given)
    for pattern in patterns:
        if not isinstance(pattern, Pattern):
            raise TypeError(
                f"patterns are a list of Pattern, not of {_called(pattern)}: Pattern(NAME, REGEX) makes one"
            )
    return patterns


def _called(value: object) -> str:
    return type(value).__name__


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RedactionRules:
    """What to remove from a session. Immutable."""

    values: tuple[Value, ...]
    """The secrets known as themselves."""
    patterns: tuple[Pattern, ...]
    """The forms that secrets have."""
    ids: IdPolicy
    """What is done about a secret in an ID or a ref."""
    signatures: SignaturePolicy
    """What is done about a secret in a signature or in encrypted reasoning."""

    def __init__(
        self,
        values: Iterable[str | Value] | Mapping[str, str] = (),
        patterns: Iterable[Pattern] | None = None,
        *,
        ids: IdPolicy = "raise",
        signatures: SignaturePolicy = "raise",
    ) -> None:
        """Rules from texts, which are called `value-1`, `value-2` …, or from a mapping of names to texts, and from patterns: without
        any given `KNOWN_PATTERNS`, and none where the list is empty.

        Raises `RedactionError` for rules that cannot be kept: a value that is too short, or is part of a placeholder. Raises
        `TypeError` for values and patterns that are none.
        """
        object.__setattr__(self, "values", _values(values))
        object.__setattr__(self, "patterns", _patterns(patterns))
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "signatures", signatures)
        self._check()

    def __repr__(self) -> str:
        names = (", ".join(rule.name for rule in rules) or "none" for rules in (self.values, self.patterns))
        return "<RedactionRules: values {}; patterns {}; ids={!r}, signatures={!r}>".format(
            *names, self.ids, self.signatures
        )

    def _check(self) -> None:
        if self.ids not in ("raise", "rename"):
            raise RedactionError("ids is raise or rename")
        if self.signatures not in ("raise", "drop"):
            raise RedactionError("signatures is raise or drop")
        names = Counter([*(v.name for v in self.values), *(p.name for p in self.patterns)])
        for name, times in names.items():
            if times > 1:
                raise RedactionError(f"two rules are called {name}")
        written = "\n".join((*(placeholder(name) for name in names), VOCABULARY))
        for value in self.values:
            if value.text in written:
                raise RedactionError(
                    f"the value {value.name} is part of what stands in its place: it cannot be removed"
                )
        for pattern in self.patterns:
            if pattern.compiled.search(written):
                raise RedactionError(
                    f"the pattern {pattern.name} matches what stands in place of a secret: redaction would not end"
                )


def placeholder(name: str) -> str:
    """What stands in place of a secret. Plain ASCII without quotes and backslashes, so that every encoding of text leaves it as it is."""
    return f"[redacted:{name}]"


PLACEHOLDERS: Final = re.compile(r"(?:\[redacted:[A-Za-z0-9._-]{1,40} {0,2}\]|%5Bredacted%3A[A-Za-z0-9._-]{1,40}%5D)+")
"""Nothing but what stands in place of secrets."""
