"""How a model is made to answer in JSON is learnt from what it refuses."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.sources.llm.modes import LADDER, Modes, below, instructions, names_the_mode, response_format

SCHEMA = {"type": "object", "required": ["probability_yes"]}
ENGINE, OTHER = "openai:gpt-4o", "groq:llama-3.1-8b-instant"


def test_the_strictest_mode_is_tried_first_and_the_last_asks_in_words_alone():
    assert Modes().of(ENGINE) == LADDER[0] == "json_schema"
    assert [below(mode) for mode in LADDER] == ["json_object_schema", "json_object", "text", "text"]
    assert response_format("text", SCHEMA) is None


@pytest.mark.parametrize("mode", LADDER[1:])
def test_a_model_that_is_not_held_to_the_schema_is_told_it(mode):
    assert instructions("Be brief.", mode, SCHEMA).endswith(json.dumps(SCHEMA))


def test_a_model_that_is_held_to_the_schema_is_not_told_it_twice():
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


def test_twenty_threads_that_fail_together_step_down_once_for_every_two():
    modes = Modes()
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda _: modes.unusable(ENGINE, "json_schema"), range(20)))
    assert modes.of(ENGINE) == "json_object_schema"


@pytest.mark.parametrize(
    "told",
    [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "This model does not support JSON mode",
        "Structured outputs are not available",
        "{'param': 'response_format'}",
    ],
)
def test_a_refusal_of_the_mode_is_known_by_what_it_names(told):
    assert names_the_mode(told)


@pytest.mark.parametrize("told", ["context length exceeded", "max_tokens is too large", ""])
def test_any_other_refusal_is_none_of_the_mode(told):
    assert not names_the_mode(told)
