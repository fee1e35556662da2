"""The metadata of a run: a shallow union of the events' metadata, in which some keys keep their first value."""

from __future__ import annotations

from typing import Final

__all__ = ["PROTECTED_KEYS"]

PROTECTED_KEYS: Final = frozenset(
    """available_lanes backend capabilities connector_binding connector_binding_ref connector_instance connector_instance_ref
    connector_invocation_evidence core_profile_id default_lane execution_mode execution_context execution_context_ref
    governed_authority lane lane_fallback_reason lane_reason preferred_lane provider provider_account_identity provider_account_ref
    provider_auth_backend provider_display_name requested_lane runtime_auth runtime_auth_mode sdk_available? sdk_runtime""".split()
)
"""Keys whose first value stays, null included: the run resolved them before its first event. Of any other key the last value stays."""
