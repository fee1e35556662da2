"""How records, entities and sessions are named (spec section 3)."""

from __future__ import annotations

from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sessionrecord.errors import RefError, SessionRecordError
from sessionrecord.refs import (
    ENTITY_KEY_OF_TYPE,
    ENTITY_KEYS,
    Ref,
    SessionKey,
    SessionReference,
    SessionReferenceStr,
    is_ambiguous_id,
)
from tests.strategies import refs, session_keys, session_references, texts


@given(refs())
def test_parsing_a_formatted_ref_gives_the_ref(ref: Ref) -> None:
    assert Ref.parse(str(ref)) == ref


@given(st.one_of(texts(1), st.builds("{}={}".format, st.sampled_from(sorted(ENTITY_KEYS)), texts())))
def test_formatting_a_parsed_ref_gives_the_text(text: str) -> None:
    assert str(Ref.parse(text)) == text


@given(texts(), texts())
def test_only_a_known_entity_key_before_the_first_equals_sign_splits(before: str, after: str) -> None:
    text = f"{before}={after}"
    assert Ref.parse(text) == Ref.record(text)
    assert Ref.parse(f"callId={text}") == Ref.entity("callId", text)


def test_the_keys_are_those_of_the_specification_and_name_the_first_type() -> None:
    """Spec section 3 and our rule on entity keys."""
    assert ENTITY_KEYS == {
        "messageId": "message", "callId": "tool_call", "compactionId": "compaction", "modelCallId": "model_call", "terminalId": "terminal",
        "planId": "plan", "permissionId": "permission_request", "questionId": "question", "deliveryId": "delivery", "memoryId": "memory_write",
    }  # fmt: skip
    assert set(ENTITY_KEY_OF_TYPE.values()) == set(ENTITY_KEYS)
    assert ENTITY_KEY_OF_TYPE["tool_result"] == "callId"
    assert ENTITY_KEY_OF_TYPE["usage"] == "modelCallId"


@pytest.mark.parametrize("record_id", ["messageId=x", "callId=", "planId==", ""])
def test_a_record_id_that_reads_as_an_entity_or_is_empty_is_refused(record_id: str) -> None:
    assert is_ambiguous_id(record_id) == bool(record_id)
    with pytest.raises(RefError):
        Ref.record(record_id)


@pytest.mark.parametrize("record_id", ["messageid=x", "messageId", "=messageId=", " messageId=x", "turnId=1"])
def test_other_record_ids_are_not_ambiguous(record_id: str) -> None:
    assert not is_ambiguous_id(record_id)
    assert str(Ref.record(record_id)) == record_id


def test_an_unknown_entity_key_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(RefError, match="messageId, callId"):
        Ref.entity("turnId", "1")


@given(session_references())
def test_parsing_a_formatted_session_reference_gives_the_reference(reference: SessionReference) -> None:
    text = str(reference)
    assert SessionReference.parse(text) == reference
    assert text.isascii()
    assert text.isprintable()


@given(session_keys(), session_keys())
def test_two_session_keys_never_have_the_same_reference(one: SessionKey, two: SessionKey) -> None:
    assert (str(SessionReference(one)) == str(SessionReference(two))) == (one == two)


def test_a_reference_reads_as_the_specification_says() -> None:
    key = SessionKey("claude code", None, "a/b#c=d%")
    assert str(SessionReference(key)) == "asr:claude%20code//a%2Fb%23c%3Dd%25"
    assert str(SessionReference(SessionKey("a", "n", "s"), Ref.entity("callId", "1~"))) == "asr:a/n/s#callId%3D1~"
    assert str(SessionReference(SessionKey("a", "é", "s"))) == "asr:a/%C3%A9/s"
    assert SessionReference.parse("asr:a/%c3%a9/s").key == SessionKey("a", "é", "s")


@pytest.mark.parametrize(
    "text",
    ["", "a/b/c", "asr:", "asr:a/b", "asr:a/b/c/d", "asr:a/b/c#", "asr:a/b/c#d#e", "asr:a b/c/d", "asr:a/b/%", "asr:a/b/%f", "asr:a/b/%ff",
     "asr:é/b/c", "ASR:a/b/c", "asr:a/b/c\n", "asr:a/b/%ed%a0%80"],
)  # fmt: skip
def test_what_is_no_session_reference_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(RefError) as error:
        SessionReference.parse(text)
    assert str(error.value).isprintable()
    assert isinstance(error.value, SessionRecordError)
    with pytest.raises(ValidationError, match="session-reference-invalid"):
        TypeAdapter(Annotated[str, SessionReferenceStr()]).validate_python(text)


@given(texts(max_size=20))
def test_any_text_is_a_reference_or_refused(text: str) -> None:
    for given_text in (text, f"asr:{text}"):
        refusal = ""
        try:
            reference = SessionReference.parse(given_text)
        except RefError as e:
            refusal = str(e)
        else:
            assert SessionReference.parse(str(reference)) == reference
        assert refusal.isprintable()


def test_an_empty_namespace_is_not_a_namespace() -> None:
    """A namespace is null or not empty, so that an empty part means null."""
    with pytest.raises(RefError):
        SessionKey("a", "", "s")


def test_a_key_with_an_unpaired_surrogate_has_no_reference() -> None:
    with pytest.raises(RefError, match="surrogate"):
        str(SessionReference(SessionKey("a", None, "\ud800")))
