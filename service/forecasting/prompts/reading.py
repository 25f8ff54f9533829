"""What a language model answered, read with suspicion: lenient about what stands around it, strict about values.

Nothing of a refused answer is in the reason that is given for refusing it, so that the reason may be published.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_ANSWER = 20_000  # characters; two sentences need 500, and the rest is what stood around them
LONGEST_REASONING = 400
LEAST, MOST = 0.01, 0.99  # no language model is believed to be surer than this

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string", "pattern": "^[A-Za-z0-9 .,;:%()+'/-]{1,400}$"},
        "probability_yes": {"type": "integer", "enum": list(range(101))},
    },
    "required": ["reasoning", "probability_yes"],
    "additionalProperties": False,
}

THOUGHT = "</think>"  # some servers leave what a model thought before its answer
TAG = re.compile(r"<[^<>]*>|\]\([^()]*\)")  # of HTML, and the address of a link in Markdown
ADDRESS = re.compile(r"(?:\b\w+)?://\S*")
MARKUP = str.maketrans("", "", "<>[]{}|\\`*_~#@")
# What looks like a host name becomes the end of one sentence and the beginning of another.
INNER_DOT = re.compile(r"(?<=\w)\.(?=[^\W\d]{2})")


class Unusable(Exception):
    """An answer that is not sound; the reason is published."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Said:
    """What a language model is taken to have said: `p` is P(YES), and why."""

    p: float
    reasoning: str


def read(text: str) -> Said:
    """The one JSON object in `text`, whatever stands around it; raises Unusable.

    `p` is within [0.01, 0.99]. The reasoning is one line of at most 400 characters without markup, addresses and
    control characters.
    """
    answer = text.rpartition(THOUGHT)[2]
    if len(answer) > LONGEST_ANSWER:
        raise Unusable("gave too long an answer")
    answers = [found for found in _objects(answer) if "probability_yes" in found]
    if not answers:
        raise Unusable("gave no probability_yes")
    if len(answers) > 1:
        raise Unusable("gave more than one answer")
    return Said(_probability(answers[0]["probability_yes"]), _reasoning(answers[0].get("reasoning")))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object in `text` that lies in no other one."""
    place = text.find("{")
    while place >= 0:
        try:
            found, end = DECODER.raw_decode(text, place)
        except ValueError:
            end = place + 1
        except RecursionError:
            raise Unusable("gave an answer that is nested too deeply") from None
        else:
            yield found
        place = text.find("{", end)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Unusable("named a field twice")
    return dict(pairs)


DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _probability(value: object) -> float:
    if type(value) is not int or not 0 <= value <= 100:
        raise Unusable("gave a probability_yes that is no whole number from 0 to 100")
    return min(MOST, max(LEAST, value / 100))


def _reasoning(value: object) -> str:
    told = plain(value) if isinstance(value, str) else ""
    if not told:
        raise Unusable("gave no reasoning")
    return told if len(told) <= LONGEST_REASONING else f"{told[: LONGEST_REASONING - 1].rstrip()}…"


def plain(text: str) -> str:
    """`text` on one line in NFKC, without tags, markup, addresses and what cannot be seen."""
    visible = "".join(_visible(letter) for letter in text)
    bare = TAG.sub("", unicodedata.normalize("NFKC", visible)).translate(MARKUP)
    return " ".join(INNER_DOT.sub(". ", ADDRESS.sub("", bare)).split())


def _visible(letter: str) -> str:
    """The letter; a space for a control character, nothing for any other that is not seen."""
    category = unicodedata.category(letter)
    if category == "Cc":
        return " "
    return "" if category in ("Cf", "Cs", "Co", "Cn") else letter
