"""How a model is made to answer in JSON is learnt from what it refuses."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.sources.llm.modes import LADDER, Modes, below, instructions, names_the_mode, response_format

SCHEMA = {"type": "object", "required": ["probability_yes"]}
ENGINE, OTHER = "openai:gpt-4o", "groq:llama-3.1-8b-instant"


def test_modes_go_from_the_strictest_to_plain_words():
    assert Modes().of(ENGINE) == LADDER[0] == "json_schema"
    assert [below(mode) for mode in LADDER] == ["json_object_schema", "json_object", "text", "text"]
    assert response_format("text", SCHEMA) is None


@pytest.mark.parametrize("mode", LADDER[1:])
def test_a_prompt_contains_a_schema_that_is_not_enforced(mode):
    assert instructions("Be brief.", mode, SCHEMA).endswith(json.dumps(SCHEMA))


def test_a_prompt_does_not_repeat_an_enforced_schema():
    assert instructions("Be brief.", "json_schema", SCHEMA) == "Be brief."


def test_the_mode_that_worked_is_remembered_for_its_model_alone():
    modes = Modes()
    modes.worked(ENGINE, "json_object")
    assert (modes.of(ENGINE), modes.of(OTHER)) == ("json_object", "json_schema")


def test_a_call_that_began_earlier_does_not_undo_what_was_learnt():
    modes = Modes()
    modes.worked(ENGINE, "text")
    modes.worked(ENGINE, "json_schema")
    modes.unusable(ENGINE, "json_schema")
    modes.unusable(ENGINE, "json_schema")
    assert modes.of(ENGINE) == "text"


def test_two_unusable_answers_in_a_row_step_down():
    modes = Modes()
    modes.unusable(ENGINE, "json_schema")
    assert modes.of(ENGINE) == "json_schema"
    modes.unusable(ENGINE, "json_schema")
    assert modes.of(ENGINE) == "json_object_schema"
    modes.unusable(ENGINE, "json_object_schema")
    assert modes.of(ENGINE) == "json_object_schema"


def test_a_usable_answer_between_two_that_are_not_forgives_the_first():
    modes = Modes()
    modes.unusable(ENGINE, "json_schema")
    modes.usable(ENGINE)
    modes.unusable(ENGINE, "json_schema")
    assert modes.of(ENGINE) == "json_schema"


def test_below_the_last_mode_there_is_none():
    modes = Modes()
    for mode in (*LADDER, *LADDER):
        modes.unusable(ENGINE, mode)
        modes.unusable(ENGINE, mode)
    assert modes.of(ENGINE) == "text"


def test_twenty_concurrent_failures_step_down_once():
    modes = Modes()
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda _: modes.unusable(ENGINE, "json_schema"), range(20)))
    assert modes.of(ENGINE) == "json_object_schema"


@pytest.mark.parametrize(
    "refusal",
    [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "This model does not support JSON mode",
        "Structured outputs are not available",
        "{'param': 'response_format'}",
    ],
)
def test_a_refusal_of_the_mode_names_it(refusal):
    assert names_the_mode(refusal)


@pytest.mark.parametrize("refusal", ["context length exceeded", "max_tokens is too large", ""])
def test_another_refusal_is_not_about_the_mode(refusal):
    assert not names_the_mode(refusal)
