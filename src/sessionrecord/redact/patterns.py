"""The secrets that are known by their form. Each form is its issuer's own; none is a guess from entropy.

A quantifier is bounded, or possessive: it takes all that it can and gives nothing back. What may begin a match cannot also be in the
middle of a long one. So no text makes a search slow, and of a secret longer than usual no end is left.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from typing import Final

from sessionrecord.errors import RedactionError

__all__ = ["KNOWN_PATTERNS", "LITERALS", "Pattern"]

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


def is_name(name: str) -> bool:
    """Whether a rule can be called so: it can stand in a placeholder, unchanged in every encoding."""
    return _NAME.fullmatch(name) is not None


def check_name(name: str) -> None:
    """Raise `RedactionError` for a name that could not stand in a placeholder, or not unchanged in every encoding."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a rule is a text, not {type(name).__name__}")
    if not is_name(name):
        raise RedactionError(
            "the name of a rule has 1 to 40 letters, digits, '.', '_' and '-', a letter or digit first"
        )


@dataclass(frozen=True, slots=True)
class Pattern:
    """A form of secrets. What matches is removed; where the expression has a group `secret`, only what that group matches.

    Raises `RedactionError` for a name or expression that cannot be used.
    """

    name: str
    """What the placeholder and the report call it: 1 to 40 letters, digits, `.`, `_` and `-`."""
    regex: str
    """The expression, of Python's `re`; it sees the text decoded, and matches at least one character. One that only looks, as `(?=abc)` does,
    removes nothing."""
    source: str = ""
    """Where the form is defined."""
    compiled: re.Pattern[str] = field(init=False, repr=False, compare=False)
    """The expression, compiled."""

    def __post_init__(self) -> None:
        check_name(self.name)
        if not isinstance(self.regex, str):
            raise TypeError(f"the expression of the pattern {self.name} is a text, not {type(self.regex).__name__}")
        try:
            with warnings.catch_warnings():
                # of sets that may once be nested; what they mean now is meant
                warnings.simplefilter("ignore", FutureWarning)
                compiled = re.compile(self.regex)
        except (re.error, RecursionError, OverflowError) as e:
            raise RedactionError(f"the pattern {self.name} is no regular expression: {e}") from e
        if compiled.search("") is not None:
            raise RedactionError(
                f"the pattern {self.name} matches nothing at all: it has to match a character at least"
            )
        object.__setattr__(self, "compiled", compiled)


KNOWN_PATTERNS: Final[tuple[Pattern, ...]] = (
    Pattern(
        "aws-access-key-id",
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])",
        "AWS IAM, unique identifiers: four letters that say the kind, then 16 characters of base 32",
    ),
    Pattern(
        "github-token",
        r"(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9_]{36,251}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})(?![A-Za-z0-9_])",
        "GitHub, authentication token formats: prefix and at least 36 characters, at most 255 in all; fine-grained tokens 22 and 59",
    ),
    Pattern(
        "gitlab-token",
        r"(?<![A-Za-z0-9_-])gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|agent)-[A-Za-z0-9_.-]{20,}+",
        "GitLab, token prefixes: prefix and at least 20 characters",
    ),
    Pattern(
        "slack-token",
        r"(?<![A-Za-z0-9-])(?:xox[abeprs]|xapp)-[0-9A-Za-z]{1,20}-[0-9A-Za-z-]{10,}+",
        "Slack, token types: xoxb, xoxp and others, then parts separated by hyphens",
    ),
    Pattern(
        "npm-token",
        r"(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])",
        "npm, access token format: prefix, 30 characters and a checksum of 6",
    ),
    Pattern(
        "pypi-token",
        r"(?<![A-Za-z0-9_-])pypi-AgE[A-Za-z0-9_-]{50,}+",
        "PyPI, API tokens: prefix and a macaroon of version 2 in URL-safe base64",
    ),
    Pattern(
        "anthropic-key",
        r"(?<![A-Za-z0-9_-])sk-ant-[a-z]{2,12}[0-9]{2}-[A-Za-z0-9_-]{24,}+",
        "Anthropic, API and admin keys: sk-ant-, kind and version, then URL-safe base64",
    ),
    Pattern(
        "openai-key",
        r"(?<![A-Za-z0-9_-])sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}+|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}(?![A-Za-z0-9_-]))",
        "OpenAI, API keys: project, service account and admin keys by prefix; the older user keys by the mark in their middle",
    ),
    Pattern(
        "google-api-key",
        r"(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
        "Google Cloud, API keys: 39 characters that begin with AIza",
    ),
    Pattern(
        "jwt",
        r"(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{10,}+\.eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{16,}+",
        "RFC 7519 and RFC 7515: three parts of URL-safe base64, the first two of JSON objects, the last a signature",
    ),
    Pattern(
        "private-key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]|-(?!----))*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:\s{1,4}[A-Za-z0-9+/=]{16,}+)++(?:\s{1,4}[A-Za-z0-9+/=]{1,15})?)",
        "RFC 7468 and RFC 4880, section 6.2: from BEGIN to END, or as far as the lines go where the end was cut off",
    ),
    Pattern(
        "bearer-token",
        r"(?<![A-Za-z0-9_])(?:[Bb]earer|BEARER)\s{1,4}(?P<secret>(?=[A-Za-z._~+/-]*+[0-9])[A-Za-z0-9._~+/-]{16,}+={0,2})",
        "RFC 6750, section 2.1, the Authorization header: of at least 16 characters with a digit among them; the word before it stays",
    ),
    Pattern(
        "url-password",
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/?#\"'<>:@\\]*+:"
        r"(?P<secret>[^\s/?#\"'<>@\\]++)@(?=[A-Za-z0-9\[])",
        "RFC 3986, section 3.2.1: the password between user and host; the rest of the address stays",
    ),
)
"""The forms that are looked for unless told otherwise."""
LITERALS: Final[dict[str, tuple[str, ...]]] = {
    "aws-access-key-id": ("AKIA", "ASIA", "ABIA", "ACCA"),
    "github-token": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    "gitlab-token": ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "gloas-", "glsoat-", "glagent-"),
    "slack-token": ("xox", "xapp-"),
    "npm-token": ("npm_",),
    "pypi-token": ("pypi-AgE",),
    "anthropic-key": ("sk-ant-",),
    "openai-key": ("sk-",),
    "google-api-key": ("AIza",),
    "jwt": ("eyJ",),
    "private-key": ("-----BEGIN ",),
    "bearer-token": ("earer", "EARER"),
    "url-password": ("://",),
}
"""Known pattern to texts of which each match holds at least one: where there is none, the expression need not be tried."""
