"""The service's errors as sentences."""

from __future__ import annotations

import pytest

from bot import messages
from bot.languages import LANGUAGES, spoken
from service.client import (
    BadRequest,
    ClientError,
    Conflict,
    ConnectionFailed,
    HistoryPending,
    NotFound,
    RateLimited,
    ServerFault,
    TimedOut,
    Unauthorized,
    Unavailable,
)
from tests.bot.messages.reading import text_of

NO_HISTORY = {"code": "history_arriving", "detail": "The price history is arriving: about 40 s left."}
FAILURES: dict[str, ClientError] = {
    "down": ConnectionFailed("No connection to http://127.0.0.1:8000: refused."),
    "slow": TimedOut("No answer from http://127.0.0.1:8000 within 30 s."),
    "not json": ServerFault(200, {"detail": "The answer is not JSON: is this address the service's?"}),
    "fault": ServerFault(500, {"code": "internal_error", "detail": "Traceback", "request_id": "5f0c2a9b"}),
    "no key": Unauthorized(401, {"code": "invalid_api_key", "detail": "Unknown key."}),
    "no such": NotFound(404, {"code": "not_found", "detail": "No such strategy; /api/v1/leaderboard lists the keys."}),
    "no voters": Unavailable(503, {"detail": "1 of 9 voters answered; 5 are needed.", "retry_after_s": 30}),
    "arriving": HistoryPending(503, NO_HISTORY | {"retry_after_s": 40}),
    "closed": Conflict(409, {"code": "voting_closed", "detail": "Voting closed at 2026-11-21T08:00:00Z."}),
    "too fast": RateLimited(429, {"code": "rate_limited", "detail": "Too many votes.", "retry_after_s": 125}),
    "any": ClientError("Something."),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_a_short_sentence_for_people(name):
    """No traceback, no address, no HTTP status."""
    page = text_of(messages.failures.failure(FAILURES[name]))
    assert len(page) < 160
    assert page.endswith((".", "5f0c2a9b"))
    assert not any(word in page for word in ("http", "/api/", "Traceback", "500", "429", "T08:00"))


def test_a_used_up_quota_is_the_persons_or_the_bots():
    person_quota = {"code": "quota_exhausted", "detail": "The daily quota is used up.", "limit": 10}
    person_quota |= {"reset_at": "2026-11-25T00:00:00Z"}
    page = messages.failures.failure(RateLimited(429, person_quota))
    assert page == "You have used today's 10 questions. You can ask again after 00:00 UTC."
    key_quota = person_quota | {"detail": "The daily quota over all end users of this key is used up.", "limit": 2000}
    assert "This bot has used all its questions for today" in messages.failures.failure(RateLimited(429, key_quota))


def test_a_refused_question_comes_with_advice():
    """In its own words where the sentence of the service is for programs."""
    advice = "Name the level in USD."
    page = messages.failures.failure(BadRequest(422, {"code": "invalid_question", "detail": advice}))
    assert page == f"{advice}\nThis was not counted. Send it again in other words."
    page = messages.failures.failure(BadRequest(422, {"code": "not_a_market_question", "detail": "No market."}))
    assert page.startswith("🙂 I only know about prices: Bitcoin, ")


def test_another_503_gives_the_reason_of_the_service():
    page = messages.failures.failure(FAILURES["no voters"])
    assert page == "1 of 9 voters answered; 5 are needed.\nThis was not counted. Try again in 30 seconds."


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_arriving_history_is_explained_in_each_language(language):
    """In words of the person's language instead of the service's English sentence, with the seconds."""
    page = spoken(language, lambda: messages.failures.failure(FAILURES["arriving"]))
    assert "40" in page
    assert "The price history is arriving" not in page
    assert ("The price history" in page) == (language == "en")


def test_an_arriving_history_without_seconds_is_a_503():
    """A proxy may have cut the answer; no number is made up."""
    page = messages.failures.failure(HistoryPending(503, NO_HISTORY))
    assert page == f"{NO_HISTORY['detail']}\nThis was not counted. Try again in a minute."


def test_a_timeout_is_not_called_free():
    """The client cannot know whether it was counted, so the message refers to /quota."""
    assert "/quota" in messages.failures.failure(TimedOut("No answer."))
    assert "not counted" not in messages.failures.failure(TimedOut("No answer."))


def test_what_the_service_says_to_programs_is_not_shown():
    page = messages.failures.failure(BadRequest(400, {"code": "invalid_request", "detail": "The body is not valid."}))
    assert page == "The service refused this.\nThis was not counted. Send it again in other words."
