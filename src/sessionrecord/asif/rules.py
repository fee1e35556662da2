"""Where each rule comes from: the part of the standard that states it, by the code of its finding."""

from __future__ import annotations

from typing import Final

__all__ = ["SOURCES"]

SOURCES: Final[dict[str, str]] = {
    code: source
    for source, codes in {
        "Semantics": """
            utf8-invalid json-invalid duplicate-member id-duplicate extension-undeclared
            resource-size-mismatch resource-digest-mismatch resource-path-unsafe resource-undeclared
            sequence-not-ascending actor-undeclared execution-undeclared provenance-incomplete
            event-reference-missing cause-repeated cause-not-earlier cause-order supersession-invalid
            result-outcome branch-event-undeclared branch-head-mismatch checkpoint-branch-undeclared
            checkpoint-position checkpoint-at-head result-after-terminal result-order decision-call-missing
            resolution-contradiction decision-option-unknown checkpoint-call-not-open
            checkpoint-decision-not-open open-call-unaccounted open-decision-unaccounted
            coverage-contradiction session-differs capture-changed
        """,
        "Schema": """
            not-an-object member-missing type-invalid value-invalid null-not-allowed integer-invalid
            kind-unknown version-unsupported feature-undeclared feature-member-missing resource-members
            event-reference-incomplete task-reference-incomplete task-dependency-repeated
            branch-event-repeated coverage-scope
        """,
        "ours": """
            nesting-too-deep integer-not-plain number-out-of-range number-not-finite noncharacter
            assembled-result-extra-members segment-conflict compression-broken
        """,
        "Reference checker": """
            limit-exceeded resource-base64-invalid lone-surrogate resource-path-nonportable
            resource-path-collision resource-file-unreadable
        """,
        "External bindings": """
            option-repeated tool-undeclared request-identity-duplicate result-orphan resolution-orphan
            binding-duplicate binding-source-local binding-history-undisclosed context-result-orphan
            binding-source-differs
        """,
        "Tool-call progression": """
            call-identity-duplicate amendment-predecessor-external amendment-changed-invocation
            amendment-changed-retry amendment-changed-actor amendment-of-complete amendment-regressed
            retry-of-itself call-versions-conflict evidence-changed evidence-missing call-not-amended
        """,
        "Stream assembly": """
            stream-event-undeclared stream-call-mismatch stream-result-mismatch segment-index-repeated
            segment-order segment-terminal-repeated segment-terminal-not-last segment-resource-missing
            segment-bytes-unavailable segment-span-outside stream-status-mismatch stream-final-call-mismatch
            stream-partial-call-mismatch stream-arguments-invalid stream-arguments-mismatch
            stream-text-invalid stream-text-mismatch stream-partial partial-relabeled call-stream-missing
        """,
    }.items()
    for code in codes.split()
}
"""Code to source. The first two are the parts of the page "ASIF streaming and external bindings"; "Tool-call progression" and
"Semantics" are of the session semantics, "Schema" is the session's JSON Schema. A rule that the standard's own checker alone
has is of the "Reference checker"; "ours" is in none of them.
"""
