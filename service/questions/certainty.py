"""Whether a reading is sure, or what it assumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from service.questions.alternatives import CODES, Alternative
from service.questions.criterion import Assumption, AssumptionCode
from service.questions.parse import Parse
from service.questions.topics import TopicQuestion

Certainty = Literal["sure", "assumed"]
# Kinds that ask for a price, so that no event needs to be named.
ASKS_PRICE = {"what", "how", "forecast", "price", "between"}


def assumptions(reading: Parse | TopicQuestion, choices: Sequence[Alternative]) -> tuple[AssumptionCode, ...]:
    """What a reading with these alternatives assumes, in the order of the codes; nothing where it is sure."""
    codes = {note.code for note in reading.question.notes if isinstance(note, Assumption)}
    codes |= {CODES[choice.reason] for choice in choices}
    if isinstance(reading, Parse) and reading.question.comparator == "open" and reading.event is None:
        kinds = {token.kind for token in reading.split.main}
        codes |= set() if kinds & ASKS_PRICE else {"event"}
    return tuple(code for code in get_args(AssumptionCode) if code in codes)
