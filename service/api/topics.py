"""Whether a question that no price decides can be answered here, and what to ask instead."""

from __future__ import annotations

from service.errors import FieldError, InvalidQuestion
from service.forecasting.voters.panel import TOPIC_QUORUM, Panel
from service.market.assets import ASSETS
from service.market.clock import World
from service.questions.parse import NOT_NAMED
from service.questions.question import Question

NO_PRICE = "No price decides this question, so only language models can answer it"
NEEDED = (
    f"at least {TOPIC_QUORUM} of the six seats need one: the operator sets ORACLE_MODEL, or ORACLE_<SEAT>_MODEL and "
    "ORACLE_<SEAT>_BASE_URL"
)
REPLAYED = "in a replay they may see neither names nor dates, because they may remember what came after"


def require_answerable(question: Question, panel: Panel, world: World) -> None:
    """Raise InvalidQuestion for a topic without enough language models, or without a deadline of its own."""
    if question.comparator != "topic":
        return
    if not panel.answers_topics:
        reason = REPLAYED if world == "replay" and panel.has_models else NEEDED
        raise _refusal(f"{NO_PRICE}, and {reason}.", question)
    if NOT_NAMED in question.notes:
        raise _refusal("No price decides this question, so it needs a date: for example, by December 31.", question)


def _refusal(detail: str, question: Question) -> InvalidQuestion:
    suggestion = nearest(question)
    detail = f"{detail} The nearest question about a price: {suggestion}"
    return InvalidQuestion(detail, [FieldError("question", detail)], [suggestion])


def nearest(question: Question) -> str:
    """A question that prices decide, about the asset and the deadline of a topic."""
    return f"Will {ASSETS[question.asset].name} rise by {question.deadline:%Y-%m-%d}?"
