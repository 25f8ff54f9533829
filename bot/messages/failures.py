"""An error of the service as one or two sentences that a person can act on; never a traceback, address or status."""

from __future__ import annotations

import re

from bot.languages import SOURCE, english, enumerated, language, translate, translate_plural
from bot.messages.formats import sentence
from bot.messages.markup import escaped
from bot.messages.oracle import numbered, quota_used_up
from service.client import (
    ASSETS,
    BadRequest,
    ClientError,
    Conflict,
    ConnectionFailed,
    HistoryPending,
    NotFound,
    RateLimited,
    Refused,
    TimedOut,
    Unauthorized,
    Unavailable,
)

NO_CONNECTION = english("The service cannot be reached right now. Try again in a minute.")
TIMEOUT = english("The answer took too long. Try again. /quota shows whether the question was counted.")
NO_KEY = english("The service does not accept this bot's key. Its operator must renew it. Your quota is unchanged.")
NOT_FOUND = english("Nothing has that name. See /challenges for open challenges, /markets for open markets.")
NO_HISTORY = english("The price history is still arriving: about {seconds} s left. Please ask again then.")
REFUSAL = english("The service refused this.")
FAULT = english("Something went wrong at the service. The error was logged. Try again in a minute.")
NO_MARKET = english("This names no market that I follow. I answer about {assets}: what will the price do, and by when?")
NOT_READ = english("I could not read this. Name one of {assets}, what its price will do, and by when.")
TEXTS = {Unauthorized: NO_KEY, NotFound: NOT_FOUND, ConnectionFailed: NO_CONNECTION, TimedOut: TIMEOUT}
EXAMPLE = re.compile(r" ?For example: .*$")  # the suggestions are examples enough
VALIDATION_END = " is not valid."  # the end of a sentence for programs about a body or a parameter
ABOUT_THE_WORDS = ("not_a_market_question", "invalid_question")
# A clause for programs or for the operator, of no use in a chat: it names an address or an option of the service.
TECHNICAL = re.compile(r"[,;:]?[^.,;:]*(/api/|https?://|[A-Z]+_[A-Z<])[^.]*(?=\.|$)")


def failure(error: ClientError) -> str:
    """Why there is no answer, and what to do next."""
    match error:
        case RateLimited():
            return _limit(error)
        case BadRequest():
            return "\n".join([detail_of(error), _advice(error), *suggestions(error)])
        case HistoryPending(retry_after_s=int(seconds)) if seconds:
            return translate(NO_HISTORY, seconds=seconds)
        case Unavailable():
            return f"{detail_of(error)}\n{translate('This was not counted.')} {_wait(error.retry_after_s)}"
        case Conflict():
            return detail_of(error)
        case Refused(request_id=str(id)) if id and not isinstance(error, Unauthorized | NotFound):
            return f"{translate(FAULT)} {translate('Reference: <code>{id}</code>', id=escaped(id, 60))}"
    return translate(next((text for kind, text in TEXTS.items() if isinstance(error, kind)), FAULT))


def _limit(error: Refused) -> str:
    """A used-up limit: the person's own, or that of the whole bot."""
    if error.code != "quota_exhausted":
        detail = detail_of(error)
        return detail if "try again" in detail.lower() else f"{detail} {_wait(error.retry_after_s)}"
    if "all end users" in error.detail:
        return translate("This bot has used all its questions for today. You can ask again after 00:00 UTC.")
    return quota_used_up(error.limit, error.reset_at)


def refused_question(error: Refused) -> str:
    """Why a question cannot be asked, above questions that can; the English reason of the service unfolds at a tap."""
    if error.code == "not_a_market_question" or language() != SOURCE:
        names = enumerated(translate(name) for name in ASSETS.values())
        is_elsewhere = error.code == "not_a_market_question"
        reason = translate(NO_MARKET if is_elsewhere else NOT_READ, assets=names)
        if not is_elsewhere:
            reason += f"\n<blockquote expandable>{detail_of(error)}</blockquote>"
    else:
        reason = detail_of(error)
    return f"{reason}\n{translate('This was not counted.')} {translate('You can ask:')}"


def suggestions(error: Refused) -> list[str]:
    """The questions that the service suggests instead, numbered."""
    lines = numbered(error.suggestions)
    return [translate("You can ask:"), *lines] if lines else []


def _advice(error: Refused) -> str:
    if error.code in ABOUT_THE_WORDS or error.detail.endswith(VALIDATION_END):
        return translate("This was not counted. Send it again in other words.")
    return translate("This was not counted.")


def detail_of(error: Refused) -> str:
    """The reason that the service states, without clauses for programs; other languages say that it is English."""
    detail = TECHNICAL.sub("", EXAMPLE.sub("", error.detail) if error.suggestions else error.detail).strip()
    if not detail.strip(".") or detail.endswith(VALIDATION_END):
        return translate(REFUSAL)
    return translate("{detail}", detail=sentence(detail, 1500))


def _wait(seconds: int | None) -> str:
    """When to try again."""
    if seconds is None:
        return translate("Try again in a minute.")
    if seconds > 5400:
        return translate("Try again in a few hours.")
    if seconds < 90:
        return translate_plural("Try again in {n} second.", "Try again in {n} seconds.", seconds)
    return translate_plural("Try again in {n} minute.", "Try again in {n} minutes.", round(seconds / 60))
