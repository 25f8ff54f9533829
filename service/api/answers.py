"""The answers that a caller got from the oracle, with their outcomes."""

from __future__ import annotations

from typing import Literal

from flask import Blueprint
from pydantic import Field

from service.api.auth import Caller
from service.api.operations import operation
from service.api.pages import PageQuery, link
from service.api.services import services
from service.errors import ResourceNotFound
from service.forecasting.predictions.callers import AnswersDocument, KeptAnswer
from service.store import answers as stored
from service.store.cursors import ID

answers = Blueprint("answers", __name__, url_prefix="/api/v1/answers")


class AnswersQuery(PageQuery):
    """Which answers."""

    votes: Literal["full", "none"] = Field("full", description="`none`: `votes` are empty")


@answers.get("")
@operation(tag="Oracle", key="required", limit="telemetry")
def mine(query: AnswersQuery, caller: Caller) -> AnswersDocument:
    """Your answers of the oracle, the newest first, with the outcome and the score once the question is resolved.

    Answers belong to a key, or to an end user of a delegating key, and stay after a rotation. Reading them does not
    count against the daily quota. `next` is the `cursor` of the next page, also as a `Link` header.
    """
    with services().database.reading() as db:
        page = stored.page(db, caller.id, query.limit, cursor=query.cursor, with_votes=query.votes == "full")
    link(page.following)
    return AnswersDocument("answers/1", len(page.answers), page.following, tuple(page.answers))


@answers.get("/<answer_id>", endpoint="one")
@operation(tag="Oracle", key="required", limit="telemetry", raises=(ResourceNotFound,))
def show(answer_id: str, caller: Caller) -> KeptAnswer:
    """One of your answers as it was given, with the outcome and the score once the question is resolved."""
    with services().database.reading() as db:
        answer = stored.find(db, answer_id, caller.id) if ID.fullmatch(answer_id) else None
    if answer is None:
        raise ResourceNotFound("You have no such answer; /api/v1/answers lists yours.")
    return answer
