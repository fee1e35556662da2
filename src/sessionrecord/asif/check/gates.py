"""Version, features and their members, coverage as a list: what the document says of itself."""

from __future__ import annotations

from typing import Final, get_args

from sessionrecord.asif.check.core import Core
from sessionrecord.asif.document import VERSIONS
from sessionrecord.asif.models import CoverageScope
from sessionrecord.diagnostics import excerpt

__all__ = ["EXTERNAL_BINDINGS", "STREAMS", "check_gates", "unsupported"]

STREAMS: Final = "asif.streams/0.1"
"""The feature of the member `streams`."""
EXTERNAL_BINDINGS: Final = "asif.external-bindings/0.1"
"""The feature of the member `external_bindings`."""

_GATES: Final = {
    "asif.portable-continuation/0.2": "continuation",
    STREAMS: "streams",
    EXTERNAL_BINDINGS: "external_bindings",
}
_UNTYPED_COLLECTIONS: Final = ("executions", "contexts", "configurations", "environments", "losses")


def check_gates(core: Core) -> None:
    """Feature gates both ways, the version, required collections."""
    document, root = core.document, core.document.to_wire()
    if document.asif_version is not None and document.asif_version not in VERSIONS:
        message = f"asif_version {excerpt(document.asif_version)} is not one of {', '.join(VERSIONS)}"
        core.report("version-unsupported", message, "asif_version")
    for name in _UNTYPED_COLLECTIONS:
        if name not in root:
            core.report("member-missing", f"{name}: the member is required", name)
        elif not isinstance(root[name], list):
            core.report("type-invalid", f"{name}: must be an array, not {excerpt(root[name])}", name)
    for name in ("branches", "checkpoints"):
        if root.get(name) == []:
            core.report("value-invalid", f"{name}: must hold at least one", name)
    for feature, name in _GATES.items():
        if name in root and feature not in document.required_features:
            core.report("feature-undeclared", f"{name} is there, but {feature} is no required feature", name)
        elif name not in root and feature in document.required_features:
            core.report(
                "feature-member-missing", f"{feature} is required, but {name} is not there", "required_features"
            )
    _check_scopes(core)


def _check_scopes(core: Core) -> None:
    seen: set[str] = set()
    for place, entry in core.document.coverage.placed():
        if entry.scope in seen:
            message = f"scope {entry.scope} is there twice"
            core.report("coverage-scope", message, "coverage", place, "scope", about=entry.scope)
        seen.add(entry.scope)
    if core.document.coverage.readable and not core.document.coverage.invalid:
        for scope in get_args(CoverageScope):
            if scope not in seen:
                core.report("coverage-scope", f"scope {scope} has no entry", "coverage", about=scope)


def unsupported(core: Core) -> list[str]:
    """Required features whose rules are not checked here, and a version that is not known."""
    features = [f for f in core.document.required_features if f not in (STREAMS, EXTERNAL_BINDINGS)]
    version = core.document.asif_version
    return features if version is None or version in VERSIONS else [f"asif_version {version}", *features]
