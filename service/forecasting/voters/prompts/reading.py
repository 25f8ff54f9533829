"""Reading the answer of a language model: lenient about the text around it, strict about values.

The reason for refusing an answer quotes nothing of it, so it may be published.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

LONGEST_ANSWER = 20_000  # characters; two sentences need 500, the rest is for text around them
LONGEST_REASONING = 400
DEEPEST = 100  # brackets that are open at once
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

# Some servers leave thoughts beside the answer. Every mark of theirs counts as one of these tags.
THOUGHTS = "think|thinking|thoughts?|reason|reasoning|reflection|scratchpad|analysis"
THOUGHT_TAG = re.compile(rf"<(/?)\|?(?:\w+:)?({THOUGHTS})\|?>", re.IGNORECASE)
MARKS = (
    (re.compile(r"[\[◁](/?)(?:THINK|think)[\]▷]"), r"<\1think>"),  # Magistral, Kimi
    (re.compile(r"<\|begin_of_thought\|>"), "<think>"),
    (re.compile(r"<\|end_of_thought\|>"), "</think>"),
    # The channels of Harmony, also after a server has removed the marks, and of Gemma: all but the final are thoughts.
    (re.compile(r"<\|channel\|>\s*final|<channel\|>|assistantfinal(?=\s*\{)"), "</analysis>"),
    (re.compile(r"<\|channel\|?>\s*\w+"), "<analysis>"),
)
# Names under which a model wraps its answer.
WRAPPERS = ("answer", "final_answer", "result", "response", "output", "vote", "forecast", "prediction", "arguments")
PERCENT = re.compile(r"(?!1\.0+$)(\d{1,3})(?:\.0+)?\s*%?")  # 1.0 may be one percent, or certainty as a fraction
TAG = re.compile(r"<[^<>]*>|\]\([^()]*\)")  # of HTML, and the address of a link in Markdown
ADDRESS = re.compile(r"(?:\b\w+)?://\S*")
BRACKETS = {"{": 1, "[": 1, "}": -1, "]": -1}
MARKUP = str.maketrans("", "", "<>[]{}|\\`*_~#@")
# By category, what stands for an invisible character: a space for a control character.
INVISIBLE = {"Cc": " ", "Cf": "", "Cs": "", "Co": "", "Cn": ""}
# A dot inside what looks like a host name becomes the end of a sentence.
INNER_DOT = re.compile(r"(?<=\w)\.(?=[^\W\d]{2})")


class UnusableAnswer(Exception):
    """The answer cannot be used; the reason is published."""


@dataclass(frozen=True)
class ModelAnswer:
    """The answer of a language model: P(YES) `p`, why, and P(higher) `p_up`, None where it gave none."""

    p: float
    reasoning: str
    p_up: float | None


def read(text: str) -> ModelAnswer:
    """The JSON answer in `text` outside of thoughts, whatever surrounds it; raises UnusableAnswer.

    Where several have the same probabilities the last one counts.

    `p` and `p_up` are within [0.01, 0.99]. The reasoning is one line of at most 400 characters without markup,
    addresses and control characters.
    """
    bare = text if _is_one_object(text.strip()) else _without_thoughts(text)
    if len(bare) > LONGEST_ANSWER:
        raise UnusableAnswer("gave an answer that is too long")
    if _depth(bare) > DEEPEST:
        raise UnusableAnswer("gave an answer that is nested too deeply")
    answers = [answer for candidate in _objects(bare) if PROBABILITIES[0] in (answer := _unwrapped(candidate))]
    if not answers:
        raise UnusableAnswer("gave no probability_yes")
    votes = {tuple(_probability(answer[name], name) for name in PROBABILITIES if name in answer) for answer in answers}
    if len(votes) > 1:
        raise UnusableAnswer("gave more than one answer")
    p, *higher = votes.pop()
    return ModelAnswer(p, _reasoning(answers[-1].get("reasoning")), higher[0] if higher else None)


def _depth(text: str) -> int:
    return max(accumulate(BRACKETS.get(character, 0) for character in text), default=0)


def _is_one_object(text: str) -> bool:
    """Whether the text is one JSON object, so that a tag in it belongs to the reasoning and begins no thoughts."""
    if len(text) > LONGEST_ANSWER or _depth(text) > DEEPEST:
        return False
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _without_thoughts(text: str) -> str:
    """What stands outside of thoughts; one may lack its beginning or its end."""
    for mark, tag in MARKS:
        text = mark.sub(tag, text)
    parts: list[str] = []
    tag_name, place = "", 0
    for match in THOUGHT_TAG.finditer(text):
        is_end, name = bool(match[1]), match[2].lower()
        if not tag_name:
            parts = [] if is_end else [*parts, text[place : match.start()]]
        if not (tag_name and is_end and name != tag_name):
            tag_name, place = "" if is_end else tag_name or name, match.end()
    return " ".join(parts if tag_name else [*parts, text[place:]])


def _unwrapped(candidate: dict[str, Any]) -> dict[str, Any]:
    """The answer in an object, also below WRAPPERS and as a list of one; empty where there is none."""
    value: Any = candidate
    while not isinstance(value, dict) or PROBABILITIES[0] not in value:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        elif isinstance(value, dict):
            value = next((value[name] for name in WRAPPERS if name in value), None)
        else:
            return {}
    return value


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every outermost JSON object in `text`."""
    place = text.find("{")
    while place >= 0:
        try:
            candidate, end = DECODER.raw_decode(text, place)
        except ValueError:
            end = place + 1
        else:
            yield candidate
        place = text.find("{", end)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise UnusableAnswer("named a field twice")
    return dict(pairs)


DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _probability(value: object, name: str) -> float:
    text = str(value).strip() if type(value) in (int, float, str) else ""
    percent = PERCENT.fullmatch(text)
    if percent is None or int(percent[1]) > 100:
        raise UnusableAnswer(f"gave a {name} that is not a whole number from 0 to 100")
    return min(MOST_P, max(LEAST_P, int(percent[1]) / 100))


def _reasoning(value: object) -> str:
    reasoning = plain(_without_thoughts(value)) or plain(value) if isinstance(value, str) else ""
    if not reasoning:
        raise UnusableAnswer("gave no reasoning")
    return reasoning if len(reasoning) <= LONGEST_REASONING else f"{reasoning[: LONGEST_REASONING - 1].rstrip()}…"


def plain(text: str) -> str:
    """`text` on one line in NFKC, without tags, markup, addresses and invisible characters."""
    letters = "".join(INVISIBLE.get(unicodedata.category(letter), letter) for letter in text)
    bare = TAG.sub("", unicodedata.normalize("NFKC", letters)).translate(MARKUP)
    return " ".join(INNER_DOT.sub(". ", ADDRESS.sub("", bare)).split())
