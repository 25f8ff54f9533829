"""An error of the service as one or two sentences that a person can act on; never a traceback, address or status."""

from __future__ import annotations

import re

from bot.languages import SOURCE, TEXTS, english, enumerated, language, sentences, translate, translate_plural
from bot.messages.formats import sentence
from bot.messages.markup import escaped
from bot.messages.oracle import quota_used_up
from service import client
from service.client import ASSETS, ClientError, Refused

NO_HISTORY = english("The price history is still arriving: about {seconds} s left. Please ask again then.")
FAULT = english("Something went wrong at the service. The error was logged. Try again in a minute.")
BY_KIND = {
    client.Unauthorized: english(
        "The service does not accept this bot's key. Its operator must renew it. Your quota is unchanged."
    ),
    client.NotFound: english("Nothing has that name. See /challenges for open challenges, /markets for open markets."),
    client.ConnectionFailed: english("The service cannot be reached right now. Try again in a minute."),
    client.TimedOut: english("The answer took too long. Try again. /quota shows whether the question was counted."),
}
EXAMPLE = re.compile(r" ?For example: .*$")  # the suggestions are examples enough
VALIDATION_END = " is not valid."  # the end of a sentence for programs about a body or a parameter
# A clause for programs or for the operator, of no use in a chat: it names an address or an option of the service.
TECHNICAL = re.compile(r"[,;:]?[^.,;:]*(/api/|https?://|[A-Z]+_[A-Z<])[^.]*(?=\.|$)")


def failure(error: ClientError) -> str:
    """Why there is no answer, and what to do next."""
    match error:
        case client.RateLimited():
            return _limit(error)
        case client.BadRequest():
            return f"{detail_of(error)}\n{translate('This was not counted. Send it again in other words.')}"
        case client.HistoryPending(retry_after_s=int(seconds)) if seconds:
            return translate(NO_HISTORY, seconds=seconds)
        case client.Unavailable():
            return f"{detail_of(error)}\n{sentences(translate('This was not counted.'), _wait(error.retry_after_s))}"
        case client.Conflict():
            return detail_of(error)
        case Refused(request_id=str(id)) if id and not isinstance(error, client.Unauthorized | client.NotFound):
            return f"{translate(FAULT)} {translate('Reference: <code>{id}</code>', id=escaped(id, 60))}"
    return translate(next((text for kind, text in BY_KIND.items() if isinstance(error, kind)), FAULT))


def _limit(error: Refused) -> str:
    """A used-up limit: the person's own, or that of the whole bot."""
    if error.code != "quota_exhausted":
        detail = detail_of(error)
        return detail if "try again" in detail.lower() else sentences(detail, _wait(error.retry_after_s))
    if "all end users" in error.detail:
        return translate("This bot has used all its questions for today. You can ask again after 00:00 UTC.")
    return quota_used_up(error.limit, error.reset_at)


def refused_question(error: Refused) -> str:
    """Why a question cannot be asked, above questions that can."""
    return f"{detail_of(error)}\n{sentences(translate('This was not counted.'), translate('You can ask:'))}"


def detail_of(error: Refused) -> str:
    """The reason of the service, in English in its own words without clauses for programs."""
    codes = [*(str(fault.get("code")) for fault in error.errors[:1]), error.code]
    reasons = TEXTS["always"] if language() == SOURCE else TEXTS["always"] | TEXTS["refusals"]
    reason = next((reasons[code] for code in codes if code in reasons), None)
    if reason:
        return translate(reason, assets=enumerated(translate(name) for name in ASSETS.values()))
    detail = TECHNICAL.sub("", EXAMPLE.sub("", error.detail) if error.suggestions else error.detail).strip()
    if not detail.strip(".") or detail.endswith(VALIDATION_END) or language() != SOURCE:
        return translate("The service refused this.")
    return sentence(detail, 1500)


def _wait(seconds: int | None) -> str:
    """When to try again."""
    if seconds is None:
        return translate("Try again in a minute.")
    if seconds > 5400:
        return translate("Try again in a few hours.")
    if seconds < 90:
        return translate_plural("Try again in {n} second.", "Try again in {n} seconds.", seconds)
    return translate_plural("Try again in {n} minute.", "Try again in {n} minutes.", round(seconds / 60))
