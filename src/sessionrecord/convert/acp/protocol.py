"""The names of the Agent Client Protocol that this version knows, of protocol versions 1 and 2."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = [
    "AGENT_METHODS",
    "AGENT_TO_CLIENT",
    "CLIENT_METHODS",
    "CLIENT_TO_AGENT",
    "HARNESS",
    "KNOWN_METHODS",
    "RESULT_MEMBERS",
    "SHARED_METHODS",
    "UPDATES",
    "VERSIONS",
    "Direction",
]

HARNESS: Final = "acp"
"""What native values are marked with."""

Direction: TypeAlias = Literal["client_to_agent", "agent_to_client"]
"""Who sent a message to whom."""
CLIENT_TO_AGENT: Final = "client_to_agent"
AGENT_TO_CLIENT: Final = "agent_to_client"

VERSIONS: Final = (1, 2)
"""Protocol versions that this version knows."""

AGENT_METHODS: Final = frozenset(
    """initialize authenticate logout auth/login auth/logout providers/list providers/set providers/disable
    session/new session/load session/resume session/fork session/list session/delete session/close session/prompt
    session/cancel session/inject session/set_mode session/set_model session/set_config_option session/setTitle
    nes/start nes/suggest nes/accept nes/reject nes/close document/didOpen document/didChange document/didClose
    document/didSave document/didFocus""".split()
)
"""What the client calls."""
CLIENT_METHODS: Final = frozenset(
    """session/update session/request_permission fs/read_text_file fs/write_text_file terminal/create terminal/output
    terminal/release terminal/wait_for_exit terminal/kill elicitation/create elicitation/complete session/elicitation
    mcp/connect mcp/disconnect""".split()
)
"""What the agent calls."""
SHARED_METHODS: Final = frozenset({"mcp/message", "$/cancel_request", "initialize", "authenticate", "logout"})
"""Those that both sides call, and those that other protocols have too."""
KNOWN_METHODS: Final = AGENT_METHODS | CLIENT_METHODS | SHARED_METHODS
"""All of them."""

UPDATES: Final = frozenset(
    """user_message_chunk agent_message_chunk agent_thought_chunk user_message agent_message agent_thought
    tool_call tool_call_update tool_call_content_chunk plan plan_update plan_removed available_commands_update
    current_mode_update config_option_update session_info_update usage_update state_update terminal_update
    terminal_output_chunk compaction_update compaction_summary_chunk notice""".split()
)
"""Kinds of `session/update`."""

RESULT_MEMBERS: Final = {
    "initialize": frozenset({"protocolVersion"}),
    "session/new": frozenset({"sessionId"}),
    "session/fork": frozenset({"sessionId"}),
    "session/prompt": frozenset({"stopReason"}),
    "session/request_permission": frozenset({"outcome"}),
    "fs/read_text_file": frozenset({"content"}),
    "terminal/create": frozenset({"terminalId"}),
    "terminal/output": frozenset({"output"}),
    "terminal/wait_for_exit": frozenset({"exitCode", "signal"}),
    "elicitation/create": frozenset({"action"}),
    "session/elicitation": frozenset({"action"}),
}
"""Method to members one of which its result has, and by which a result can be told from others."""
