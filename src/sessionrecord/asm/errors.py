"""The error that a run failed with: a value, not an exception."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias, cast, get_args

from sessionrecord.asm.payloads import ErrorPayload
from sessionrecord.asm.projected import Projected

__all__ = ["RunError", "RunErrorDomain", "RunErrorKind", "error_kind"]

RunErrorDomain: TypeAlias = Literal[
    "transport", "parser", "provider", "approval", "guardrail", "tool", "runtime", "config"
]
"""The part of the system an error comes from."""

RunErrorKind: TypeAlias = Literal[
    "cli_not_found", "connection_failed", "timeout", "parse_error", "json_decode_error", "auth_error", "rate_limit", "buffer_overflow",
    "transport_error", "transport_busy", "queue_full", "at_capacity", "user_cancelled", "approval_denied", "guardrail_blocked",
    "tool_failed", "config_invalid", "unknown",
]  # fmt: skip
"""What kind of error: the normal form of a payload's code, or `unknown`."""

_KINDS: Final = frozenset(get_args(RunErrorKind))
_DOMAINS: Final = frozenset(get_args(RunErrorDomain))
_YES: Final = ("true", "TRUE", "1")


class RunError(Projected):
    """Why a run failed."""

    kind: RunErrorKind
    """What kind of error."""
    domain: RunErrorDomain
    """The part of the system it comes from."""
    message: str
    """What happened, in words."""
    cause: Any = None
    """What caused it. Events do not say."""
    provider: str | None = None
    """The provider. Events do not say."""
    exit_code: int | None = None
    """Exit code of the provider's program. Events do not say."""
    retryable: bool | None = None
    """Whether trying again may help; None where nothing is said about recovery."""
    recovery: Any = None
    """The provider's advice for recovery, as it came."""

    @classmethod
    def of(cls, payload: ErrorPayload) -> RunError:
        """The error that an `error` event tells of."""
        recovery = _recovery(payload.metadata)
        return cls(
            kind=error_kind(payload.code),
            domain=_domain(payload.metadata.get("asm_error_domain")),
            message=payload.message,
            retryable=_is_yes(recovery.get("retryable?")) if isinstance(recovery, dict) else None,
            recovery=recovery,
        )

    def __str__(self) -> str:
        return f"[{self.domain}/{self.kind}] {self.message}"


def error_kind(code: str | None) -> RunErrorKind:
    """The kind that a code stands for: case and margins do not count, and `-` is `_`."""
    kind = _normal(code or "")
    return cast("RunErrorKind", kind if kind in _KINDS else "unknown")


def _domain(name: Any) -> RunErrorDomain:
    domain = _normal(name) if isinstance(name, str) else ""
    return cast("RunErrorDomain", domain if domain in _DOMAINS else "runtime")


def _normal(name: str) -> str:
    return name.strip().lower().replace("-", "_")


def _recovery(metadata: dict[str, Any]) -> Any:
    recovery = metadata.get("recovery")
    if recovery is None:
        failure = metadata.get("runtime_failure")
        recovery = failure.get("recovery") if isinstance(failure, dict) else None
    return recovery


def _is_yes(value: Any) -> bool:
    return value is True or (type(value) is int and value == 1) or (isinstance(value, str) and value in _YES)
