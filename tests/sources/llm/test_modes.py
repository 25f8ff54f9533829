"""How a model is made to answer in JSON is learnt from what it refuses."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from service.sources.llm.modes import (
    LADDER,
    LARGEST_COUNT,
    MOST_TEXT,
    Modes,
    StreamedCompletion,
    TooMuchText,
    below,
    instructions,
    names_the_mode,
    response_format,
)

SCHEMA = {"type": "object", "required": ["probability_yes"]}
ENGINE, OTHER = "openai:gpt-4o", "groq:llama-3.1-8b-instant"


def test_modes_go_from_the_strictest_to_plain_words():
    assert Modes().of(ENGINE) == LADDER[0] == "json_schema"
    assert [below(mode) for mode in LADDER] == ["json_object_schema", "json_object", "text", "text"]
    assert response_format("text", SCHEMA) is None


@pytest.mark.parametrize("mode", LADDER)
def test_a_prompt_contains_a_schema_that_is_not_enforced(mode):
    text = instructions("Be brief.", mode, SCHEMA)
    assert text == "Be brief." if mode == "json_schema" else text.endswith(json.dumps(SCHEMA))


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
    """A usable one between them forgives the first."""
    modes = Modes()
    modes.unusable(ENGINE, "json_schema")
    modes.usable(ENGINE)
    modes.unusable(ENGINE, "json_schema")
    assert modes.of(ENGINE) == "json_schema"
    modes.unusable(ENGINE, "json_schema")
    assert modes.of(ENGINE) == "json_object_schema"
    modes.unusable(ENGINE, "json_object_schema")
    assert modes.of(ENGINE) == "json_object_schema"


def test_twenty_concurrent_failures_step_down_once():
    modes = Modes()
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda _: modes.unusable(ENGINE, "json_schema"), range(20)))
    assert modes.of(ENGINE) == "json_object_schema"


@pytest.mark.parametrize(
    ("refusal", "is_of_the_mode"),
    [
        ("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", True),
        ("This model does not support JSON mode", True),
        ("Structured outputs are not available", True),
        ("{'param': 'response_format'}", True),
        ("GenerateContentRequest.generation_config.response_schema.properties: unknown field", True),
        ("context length exceeded", False),
        ("max_tokens is too large", False),
        ("", False),
    ],
)
def test_a_refusal_of_the_mode_names_it(refusal, is_of_the_mode):
    assert names_the_mode(refusal) == is_of_the_mode


def piece(text: Any = None, *, finish: str | None = None, usage: Any = None) -> SimpleNamespace:
    choice = SimpleNamespace(delta=SimpleNamespace(content=text), finish_reason=finish)
    return SimpleNamespace(choices=[choice], usage=usage)


def usage(prompt: Any, completion: Any) -> SimpleNamespace:
    return SimpleNamespace(prompt_tokens=prompt, completion_tokens=completion)


def read(*pieces: Any) -> StreamedCompletion:
    completion = StreamedCompletion()
    completion.read(pieces)
    return completion


def test_pieces_are_joined_until_the_model_finishes():
    """Only the first choice is read."""
    completion = read(piece("{"), piece("}"), piece(finish="stop", usage=usage(900, 40)))
    assert completion == StreamedCompletion(3, "{}", is_whole=True, input_tokens=900, output_tokens=40)
    double = piece("a")
    double.choices.append(SimpleNamespace(delta=SimpleNamespace(content="b"), finish_reason="stop"))
    assert read(double) == StreamedCompletion(1, "a")


@pytest.mark.parametrize("strange", [None, SimpleNamespace(), SimpleNamespace(choices=None), piece(5), piece(["x"])])
def test_a_strange_piece_adds_no_text(strange: Any):
    completion = read(piece("a"), strange, piece("b"))
    assert (completion.text, completion.pieces) == ("ab", 3)


@pytest.mark.parametrize("counts", [(-1, 5), (5, None), ("5", 5), (LARGEST_COUNT + 1, 5)])
def test_an_absurd_count_of_tokens_is_ignored(counts: tuple):
    completion = read(piece("a", usage=usage(*counts)))
    assert (completion.input_tokens, completion.output_tokens) == (None, None)


def test_too_much_text_is_not_read_to_its_end():
    """What was read before is kept, because it may have been charged."""
    completion = StreamedCompletion()
    with pytest.raises(TooMuchText):
        completion.read(iter([piece("x" * MOST_TEXT), piece("y"), piece("z")]))
    assert (completion.pieces, completion.text[-1]) == (2, "y")
