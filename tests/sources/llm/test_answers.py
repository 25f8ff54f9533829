"""An answer is assembled from the chunks of its stream, none of which is trusted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from service.sources.llm.answers import LARGEST_COUNT, MOST_TEXT, StreamedCompletion, TooMuchText


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
    completion = read(piece("{"), piece("}"), piece(finish="stop", usage=usage(900, 40)))
    assert completion == StreamedCompletion(3, "{}", is_whole=True, input_tokens=900, output_tokens=40)


def test_an_answer_without_a_finish_is_not_whole():
    assert not read(piece("{")).is_whole


@pytest.mark.parametrize("strange", [None, SimpleNamespace(), SimpleNamespace(choices=None), piece(5), piece(["x"])])
def test_a_strange_piece_adds_no_text(strange: Any):
    completion = read(piece("a"), strange, piece("b"))
    assert (completion.text, completion.pieces) == ("ab", 3)


def test_only_the_first_choice_is_read():
    double = piece("a")
    double.choices.append(SimpleNamespace(delta=SimpleNamespace(content="b"), finish_reason="stop"))
    assert read(double) == StreamedCompletion(1, "a")


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
