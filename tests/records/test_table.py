"""The models hold what the tables of the specification name, no more and no less (spec sections 2 to 6)."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

import sessionrecord
from sessionrecord import records
from sessionrecord.records import DECLARED_PROPERTIES, PARTICIPATING_TYPES, RECORD_TYPES, SessionHeader
from sessionrecord.records.content import KNOWN_BLOCK_TYPES
from sessionrecord.records.header import _DeclaringModel
from sessionrecord.records.unknown import KNOWN_TYPES
from sessionrecord.refs import ENTITY_KEY_OF_TYPE
from sessionrecord.scalars import ByteSpan
from tests.strategies import members_of

ENVELOPE = "type* seq* id* turnId timestamp participant conversation capture source"
DECLARED = "profiles extensions losses contentLevel roots participants conversations client environment"

# Record type to its members, copied by hand from spec section 4; * marks a required one.
TABLE = {
    "session": f"agent* sessionId* namespace producer* formatVersion agentVersion parent forkOf {DECLARED}",
    "declaration": DECLARED,
    "session_info": "title summary tags archived",
    "message": "messageId* role* content model stopReason modelCallId origin",
    "tool_call": "callId* callIdSource name title kind arguments argumentsStatus status locations server modelCallId parentCallId childSession",
    "tool_result": "callId* outcome content structured error exitCode signal durationMs terminalId",
    "compaction": "compactionId* status trigger summary keptFrom tokensBefore tokensAfter error",
    "rewind": "to* reason",
    "model_call": "modelCallId* model provider requestId status stopReason durationMs timeToFirstTokenMs error",
    "usage": "modelCallId scope counter inputTokens outputTokens cacheReadTokens cacheWriteTokens reasoningTokens totalTokens contextTokens "
    "contextWindow model cost includesChildren",
    "permission_request": "permissionId* callId title description options",
    "permission_decision": "permissionId* outcome optionId kind decidedBy reason updatedArguments",
    "question": "questionId* callId prompt options multiple allowOther",
    "answer": "questionId* outcome selected text",
    "memory_write": "memoryId operation store scope key content callId",
    "delivery": "deliveryId of* status recipients nativeId error",
    "file_change": "root path* operation oldPath patch before after linesAdded linesRemoved callId",
    "commit": "root revision* vcs branch parents message callId",
    "state": "state* reason",
    "terminal": "terminalId* callId command args cwd output exitStatus",
    "plan": "planId* entries",
    "error": "message* code severity retryable modelCallId callId",
}
MEDIA = "mimeType* data blob uri name"
BLOCKS = {
    "text": "text*",
    "reasoning": "text signature encrypted",
    "image": MEDIA,
    "audio": MEDIA,
    "file": MEDIA,
    "resource_link": "uri* name mimeType size",
    "diff": "path* oldText newText",
    "terminal": "terminalId*",
}
# The objects within records: class name to members, spec sections 2, 4, 5 and 6.
OBJECTS = {
    "Source": "path line span nativeType nativeId",
    "CaptureState": "state* bytes sha256 blob reason",
    "CaptureBlob": "sha256* bytes* path",
    "Producer": "method* name version",
    "ForkOf": "session* ref",
    "Extension": "name* version uri",
    "Loss": "kind* stage field count explanation",
    "Root": "id* path* vcs",
    "Vcs": "kind revision branch remote dirty",
    "Participant": "id* kind name",
    "Conversation": "id* kind name participants",
    "Client": "name* version",
    "Environment": "os arch shell hostname",
    "Location": "root path* line",
    "RecordedError": "message code",
    "Cost": "amount* currency*",
    "PermissionOption": "optionId* name kind",
    "QuestionOption": "optionId* label description",
    "FileState": "sha256 bytes",
    "Cwd": "root path",
    "ExitStatus": "exitCode signal",
    "PlanEntry": "content* id status priority",
    "Blob": "sha256* bytes* path",
}
# Members whose null has a meaning, spec section 1; free-form JSON may hold null too.
NULLS = {
    ("SessionHeader", "namespace"), ("Usage", "includesChildren"), ("Rewind", "to"), ("Root", "path"), ("SessionInfo", "title"),
    ("SessionInfo", "summary"), ("SessionInfo", "tags"), ("SessionInfo", "archived"),
}  # fmt: skip

MODELS: list[type[BaseModel]] = sorted(
    (v for v in vars(records).values() if inspect.isclass(v) and issubclass(v, records.WireModel)),
    key=lambda c: c.__name__,
)


def table_of(cls: type[BaseModel]) -> set[str]:
    """The members of a model as the table writes them."""
    return {w + "*" * (cls.model_fields[n].is_required() or n == "type") for w, n in members_of(cls).items()}


@pytest.mark.parametrize("record_type", sorted(TABLE))
def test_a_record_model_has_the_members_of_the_table(record_type: str) -> None:
    predecessor = {"predecessor"} if record_type in PARTICIPATING_TYPES else set()
    assert table_of(RECORD_TYPES[record_type]) == {*ENVELOPE.split(), *TABLE[record_type].split()} | predecessor


def test_the_record_types_are_those_of_the_table() -> None:
    assert set(RECORD_TYPES) == set(TABLE) == KNOWN_TYPES
    assert set(ENTITY_KEY_OF_TYPE) <= set(TABLE)
    assert all(key in members_of(RECORD_TYPES[t]) for t, key in ENTITY_KEY_OF_TYPE.items())


def test_the_types_that_take_part_in_the_context_are_a_closed_list() -> None:
    """[S] "Context-participating record"."""
    assert PARTICIPATING_TYPES == ("message", "tool_call", "tool_result", "compaction")


def test_a_content_block_has_the_members_of_the_table() -> None:
    models = {
        c.model_fields["type"].default: c
        for c in MODELS
        if c.__name__.endswith("Block") and c.__name__ != "UnknownBlock"
    }
    assert {t: table_of(c) for t, c in models.items()} == {t: {"type*", *m.split()} for t, m in BLOCKS.items()}
    assert set(BLOCKS) == KNOWN_BLOCK_TYPES


def test_an_object_within_a_record_has_the_members_of_the_table() -> None:
    assert {name: table_of(getattr(records, name)) for name in OBJECTS} == {
        name: set(m.split()) for name, m in OBJECTS.items()
    }
    covered = {*OBJECTS, *(c.__name__ for c in RECORD_TYPES.values())}
    others = {c.__name__ for c in MODELS if c.__name__ not in covered and not c.__name__.endswith("Block")}
    assert others == {"Envelope", "UnknownRecord", "WireModel"}


def test_the_declared_properties_are_the_members_that_header_and_declaration_share() -> None:
    envelope = members_of(records.Envelope).values()
    assert set(DECLARED_PROPERTIES) == set(_DeclaringModel.model_fields) - set(envelope)
    assert {records.Declaration.model_fields[n].alias for n in DECLARED_PROPERTIES} == set(DECLARED.split())


def test_null_has_a_meaning_only_where_the_specification_gives_one() -> None:
    """[S] ASR-043."""
    declared = {(c.__name__, c.model_fields[n].alias) for c in MODELS for n in getattr(c, "null_members", ())}
    assert declared == NULLS
    accepting = set()
    for cls in MODELS:
        for wire_name, name in members_of(cls).items():
            free = "Any" in str(cls.__annotations__.get(name, ""))
            if not free and _takes_null(cls, wire_name):
                accepting.add((cls.__name__, wire_name))
    assert accepting == NULLS


def _takes_null(cls: type[BaseModel], wire_name: str) -> bool:
    found: list[Any] = []
    try:
        cls.model_validate({wire_name: None}, by_alias=True, by_name=False)
    except ValidationError as e:
        found = [err["loc"] for err in e.errors() if err["type"] != "missing"]
    return (wire_name,) not in found


@pytest.mark.parametrize("cls", [*MODELS, ByteSpan], ids=lambda c: str(c.__name__))
def test_a_model_and_each_of_its_fields_says_what_it_means(cls: type[BaseModel]) -> None:
    for base in cls.__mro__:
        if base is BaseModel or not issubclass(base, BaseModel):
            continue
        tree = ast.parse(inspect.getsource(base)).body[0]
        assert isinstance(tree, ast.ClassDef)
        for statement, after in zip(tree.body, [*tree.body[1:], None], strict=True):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                if name.startswith("__") or name in {"null_members", "lenient_members"}:
                    continue
                documented = (
                    isinstance(after, ast.Expr)
                    and isinstance(after.value, ast.Constant)
                    and isinstance(after.value.value, str)
                )
                assert documented, f"{base.__name__}.{name}"
    doc = cls.__dict__["__doc__"]
    assert doc
    if cls.__name__ not in {"WireModel", "Envelope"}:
        assert re.search(r"\[S\]|our table|spec section", doc, re.IGNORECASE), cls.__name__


def test_every_public_name_of_the_records_is_exported() -> None:
    assert sorted(records.__all__) == sorted(set(records.__all__))
    assert all(hasattr(records, name) for name in records.__all__)
    assert {c.__name__ for c in RECORD_TYPES.values()} <= set(records.__all__)


def test_no_module_of_the_records_is_long() -> None:
    folder = Path(str(sessionrecord.__file__)).parent / "records"
    assert max(len(p.read_text().splitlines()) for p in folder.glob("*.py")) < 400


def test_the_header_names_the_session() -> None:
    header = SessionHeader(
        seq=1, id="r1", agent="a", session_id="s", producer=records.Producer(method="native")
    )  # fmt: skip
    assert (header.key.agent, header.key.namespace, header.key.session_id) == ("a", None, "s")
