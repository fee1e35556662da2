"""What the agent asks the person: permissions, and questions (elicitations)."""

from __future__ import annotations

from typing import Any, Final

from sessionrecord.convert.accounting import Held, anything, is_string
from sessionrecord.convert.acp.source import others
from sessionrecord.convert.native import members, text

__all__ = ["answer_of", "decision_of", "options_of", "question_of"]

_DECISION: Final[dict[str, Held]] = {"outcome": {"outcome": text, "optionId": text}}
_QUESTION: Final[dict[str, Held]] = {"sessionId": text, "toolCallId": text, "elicitationId": text, "message": is_string}
_ANSWER: Final[dict[str, Held]] = {"action": text, "content": anything}
_ACTIONS: Final = {"accept": "answered", "decline": "declined", "cancel": "cancelled"}


def options_of(params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The options of a permission request; None where they are no options."""
    found = []
    options = params.get("options")
    for item in options if isinstance(options, list) else [None]:
        option = {name: value for name, value in members(item).items() if value is not None}
        if not isinstance(option.get("optionId"), str) or any(
            not isinstance(option.get(name, ""), str) for name in ("name", "kind")
        ):
            return None
        found.append(option)
    return found


def decision_of(result: dict[str, Any], params: dict[str, Any]) -> tuple[dict[str, Any], list[str]] | None:
    """The members of a decision, and those that no record holds; None where the result is no decision."""
    outcome = members(result.get("outcome"))
    name, option_id = text(outcome.get("outcome")), text(outcome.get("optionId"))
    if name is None or (name == "selected" and option_id is None):
        return None
    refused = others(result, _DECISION, "result.")
    decision: dict[str, Any] = {"outcome": name, "option_id": option_id}
    kinds = {option.get("kind") for option in options_of(params) or () if option["optionId"] == option_id}
    if len(kinds) == 1:  # of options that share an ID nobody knows which was meant
        decision["kind"] = kinds.pop()
    return decision, refused


def question_of(params: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The members of a question, and those that no record holds. A form of one field is a choice if the field is one."""
    said = params.get("message")
    question: dict[str, Any] = {"prompt": [{"type": "text", "text": said}] if isinstance(said, str) else None}
    refused = others(params, _QUESTION)
    field = _field(params)
    if field is not None:
        choice = members(field[1].get("items")) if field[1].get("type") == "array" else field[1]
        options = _choices(choice)
        if options:
            question |= {"options": options, "multiple": field[1].get("type") == "array"}
    return question, refused


def _field(params: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Name and schema of the only field of a form."""
    properties = members(members(params.get("requestedSchema")).get("properties"))
    if len(properties) != 1:
        return None
    ((name, schema),) = properties.items()
    return name, members(schema)


def _choices(schema: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    titled = schema.get("oneOf") if isinstance(schema.get("oneOf"), list) else schema.get("anyOf")
    for item in map(members, titled if isinstance(titled, list) else ()):
        if isinstance(item.get("const"), str):
            label = item.get("title")
            found.append(
                {"optionId": item["const"]} | ({"label": label} if isinstance(label, str) else {})
            )  # fmt: skip
    plain = schema.get("enum")
    return found or [{"optionId": v} for v in (plain if isinstance(plain, list) else ()) if isinstance(v, str)]


def answer_of(result: dict[str, Any], params: dict[str, Any]) -> tuple[dict[str, Any], list[str]] | None:
    """The members of an answer, and those that no record holds; None where the result is no answer."""
    action = text(result.get("action"))
    if action is None:
        return None
    answer: dict[str, Any] = {"outcome": _ACTIONS.get(action, action)}
    refused = others(result, _ANSWER, "result.")
    content, field = members(result.get("content")), _field(params)
    value = content.get(field[0]) if field is not None and content.keys() == {field[0]} else None
    if field is not None and _choices(members(field[1].get("items")) or field[1]):
        chosen = value if isinstance(value, list) else [value]
        if all(isinstance(v, str) for v in chosen):
            return {**answer, "selected": chosen}, refused
    elif isinstance(value, str):
        return {**answer, "text": value}, refused
    if result.get("content") is not None:
        refused.append("result.content")
    return answer, refused
