"""Reading the answer of a language model: lenient about the text around it, strict about values.

The reason for refusing an answer quotes nothing of it, so it may be published.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_ANSWER = 20_000  # characters; two sentences need 500, the rest is for text around them
LONGEST_REASONING = 400
LEAST_P, MOST_P = 0.01, 0.99  # probabilities of language models are cut here

PROBABILITIES = ("probability_yes", "probability_higher")


def _schema(*probabilities: str) -> dict[str, Any]:
    percent = {"type": "integer", "enum": list(range(101))}
    reasoning = {"type": "string", "pattern": "^[A-Za-z0-9 .,;:%()+'/-]{1,400}$"}
    return {
        "type": "object",
        "properties": {"reasoning": reasoning} | dict.fromkeys(probabilities, percent),
        "required": ["reasoning", *probabilities],
        "additionalProperties": False,
    }


SCHEMA, TOPIC_SCHEMA = _schema(*PROBABILITIES), _schema(PROBABILITIES[0])

THOUGHT_END = "</think>"  # some servers leave the chain of thought before the answer
TAG = re.compile(r"<[^<>]*>|\]\([^()]*\)")  # of HTML, and the address of a link in Markdown
ADDRESS = re.compile(r"(?:\b\w+)?://\S*")
MARKUP = str.maketrans("", "", "<>[]{}|\\`*_~#@")
# A dot inside what looks like a host name becomes the end of a sentence.
INNER_DOT = re.compile(r"(?<=\w)\.(?=[^\W\d]{2})")


class UnusableAnswer(Exception):
    """The answer cannot be used; the reason is published."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class ModelAnswer:
    """The answer of a language model: P(YES) `p`, why, and P(higher) `p_up`, None where it gave none."""

    p: float
    reasoning: str
    p_up: float | None


def read(text: str) -> ModelAnswer:
    """The only JSON answer in `text`, whatever surrounds it; raises UnusableAnswer.

    `p` and `p_up` are within [0.01, 0.99]. The reasoning is one line of at most 400 characters without markup,
    addresses and control characters.
    """
    bare = text.rpartition(THOUGHT_END)[2]
    if len(bare) > LONGEST_ANSWER:
        raise UnusableAnswer("gave an answer that is too long")
    answers = [candidate for candidate in _objects(bare) if "probability_yes" in candidate]
    if not answers:
        raise UnusableAnswer("gave no probability_yes")
    if len(answers) > 1:
        raise UnusableAnswer("gave more than one answer")
    (answer,) = answers
    p, higher = (_probability(answer[name], name) if name in answer else None for name in PROBABILITIES)
    assert p is not None  # answers without it are left out above
    return ModelAnswer(p, _reasoning(answer.get("reasoning")), higher)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every outermost JSON object in `text`."""
    place = text.find("{")
    while place >= 0:
        try:
            candidate, end = DECODER.raw_decode(text, place)
        except ValueError:
            end = place + 1
        except RecursionError:
            raise UnusableAnswer("gave an answer that is nested too deeply") from None
        else:
            yield candidate
        place = text.find("{", end)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise UnusableAnswer("named a field twice")
    return dict(pairs)


DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _probability(value: object, name: str) -> float:
    if type(value) is not int or not 0 <= value <= 100:
        raise UnusableAnswer(f"gave a {name} that is not a whole number from 0 to 100")
    return min(MOST_P, max(LEAST_P, value / 100))


def _reasoning(value: object) -> str:
    reasoning = plain(value) if isinstance(value, str) else ""
    if not reasoning:
        raise UnusableAnswer("gave no reasoning")
    return reasoning if len(reasoning) <= LONGEST_REASONING else f"{reasoning[: LONGEST_REASONING - 1].rstrip()}…"


def plain(text: str) -> str:
    """`text` on one line in NFKC, without tags, markup, addresses and invisible characters."""
    letters = "".join(_visible(letter) for letter in text)
    bare = TAG.sub("", unicodedata.normalize("NFKC", letters)).translate(MARKUP)
    return " ".join(INNER_DOT.sub(". ", ADDRESS.sub("", bare)).split())


def _visible(letter: str) -> str:
    """The letter; a space for a control character, nothing for any other invisible one."""
    category = unicodedata.category(letter)
    if category == "Cc":
        return " "
    return "" if category in ("Cf", "Cs", "Co", "Cn") else letter
