"""Short replies: to presses, to input that is not valid, to errors of the service; and the messages of alerts."""

from __future__ import annotations

import pytest

from bot import messages
from bot.languages import LANGUAGES, spoken, translate
from bot.messages import notices
from service import client
from service.market.assets import ASSETS
from tests.bot import documents
from tests.bot.documents import HOSTILE
from tests.bot.messages.reading import text_of

NO_HISTORY = {"code": "history_arriving", "detail": "The price history is arriving: about 40 s left."}
QUOTA = {"code": "quota_exhausted", "detail": "The daily quota is used up.", "limit": 10}
QUOTA |= {"reset_at": "2026-11-25T00:00:00Z"}
KEY_QUOTA = QUOTA | {"detail": "The daily quota over all end users of this key is used up.", "limit": 2000}
NAMES = ", ".join(asset.name for asset in ASSETS.values())
CHATTER = f"🙂 I only know about prices: {NAMES}. For example:\n<i>Will bitcoin rise by December 31?</i>"
NOT_COUNTED, LATER = "This was not counted.", "You can ask again after 00:00 UTC."
REWORD = f"{NOT_COUNTED} Send it again in other words."


def test_an_unknown_asset_is_answered_with_a_command_for_each():
    """At most twenty, so that the reply stays short."""
    page = text_of(notices.unknown_asset("price", [f"coin{number}" for number in range(30)]))
    assert page.split("\n")[1:] == [f"/price coin{number}" for number in range(20)]


@pytest.mark.parametrize("vote", ["yes", "no"])
def test_a_vote_is_confirmed_with_the_count(vote):
    receipt = {"vote": vote, "user_votes": {"yes": 1200, "no": 3}}
    assert notices.voted(receipt) == f"You voted {vote}. Votes so far: 1,200 yes, 3 no. You can change yours."


def test_deleted_rows_are_counted():
    assert "drafts: 2" in text_of(notices.deleted({"drafts": 2, "sent": 0}))
    assert "no data of yours" in text_of(notices.deleted({"drafts": 0}))


def test_what_a_person_wrote_is_quoted_without_its_markup():
    """A date out of range is answered with both ends."""
    assert HOSTILE in text_of(notices.unknown_zone(HOSTILE))
    assert "between 2026-11-21 and 2027-11-20" in notices.date_out_of_range("2026-11-21", "2027-11-20")
    assert "SIMULATED" in translate(notices.START)


FAILURES = {
    "down": client.ConnectionFailed("No connection to http://127.0.0.1:8000: refused."),
    "slow": client.TimedOut("No answer from http://127.0.0.1:8000 within 30 s."),
    "not json": client.ServerFault(200, {"detail": "The answer is not JSON: is this address the service's?"}),
    "fault": client.ServerFault(500, {"code": "internal_error", "detail": "Traceback", "request_id": "5f0c2a9b"}),
    "no key": client.Unauthorized(401, {"code": "invalid_api_key", "detail": "Unknown key."}),
    "no such": client.NotFound(
        404, {"code": "not_found", "detail": "No such strategy; /api/v1/leaderboard lists them."}
    ),
    "no voters": client.Unavailable(503, {"detail": "1 of 9 voters answered; 5 are needed.", "retry_after_s": 30}),
    "arriving": client.HistoryPending(503, NO_HISTORY | {"retry_after_s": 40}),
    "closed": client.Conflict(409, {"code": "voting_closed", "detail": "Voting closed at 2026-11-21T08:00:00Z."}),
    "too fast": client.RateLimited(429, {"code": "rate_limited", "detail": "Too many votes.", "retry_after_s": 125}),
    "any": client.ClientError("Something."),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_a_short_sentence_for_people(name):
    """No traceback, no address, no HTTP status."""
    page = text_of(messages.failures.failure(FAILURES[name]))
    assert len(page) < 160
    assert page.endswith((".", "5f0c2a9b"))
    assert not any(word in page for word in ("http", "/api/", "Traceback", "500", "429", "T08:00"))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (client.RateLimited(429, QUOTA), f"You have used today's 10 questions. {LATER}"),
        (client.RateLimited(429, KEY_QUOTA), f"This bot has used all its questions for today. {LATER}"),
        (client.BadRequest(422, {"code": "invalid_question", "detail": "Name a level."}), f"Name a level.\n{REWORD}"),
        (client.BadRequest(422, {"code": "not_a_market_question", "detail": "No market."}), f"{CHATTER}\n{REWORD}"),
        (client.BadRequest(400, {"detail": "The body is not valid."}), f"The service refused this.\n{REWORD}"),
        (FAILURES["no voters"], f"1 of 9 voters answered; 5 are needed.\n{NOT_COUNTED} Try again in 30 seconds."),
        # A proxy may have cut the answer; no number is made up.
        (client.HistoryPending(503, NO_HISTORY), f"{NO_HISTORY['detail']}\n{NOT_COUNTED} Try again in a minute."),
    ],
)
def test_a_failure_says_whose_it_is_and_what_to_do(error, words):
    """A refused question comes with advice, in the bot's words where the sentence of the service is for programs."""
    assert messages.failures.failure(error) == words


def test_a_timeout_is_not_called_free():
    """The client cannot know whether it was counted, so the message refers to /quota."""
    page = messages.failures.failure(client.TimedOut("No answer."))
    assert "/quota" in page
    assert "not counted" not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_arriving_history_is_explained_in_each_language(language):
    """In words of the person's language instead of the service's English sentence, with the seconds."""
    page = spoken(language, lambda: messages.failures.failure(FAILURES["arriving"]))
    assert "40" in page
    assert "The price history is arriving" not in page
    assert ("The price history" in page) == (language == "en")


def test_a_digest_of_a_new_service_has_no_consensus():
    widget = documents.WIDGET | {"consensus": None, "btc": documents.WIDGET["btc"] | {"change_24h_pct": None}}
    digest = messages.alerts.digest(widget, documents.BATTLE, documents.versus(), documents.AS_OF)
    assert "no consensus yet" in text_of(digest)


def weekly(n: int, versus: dict | None = None, **parts) -> str:
    """The digest of a week that decided `n` markets with these parts."""
    resolutions, versus = documents.week(n), versus or documents.versus()
    resolutions["markets"] = [market | parts for market in resolutions["markets"]]
    parts_of_week = (resolutions, versus, documents.BATTLE, documents.CHALLENGES)
    return text_of(messages.alerts.weekly(*parts_of_week, documents.AS_OF))


def test_the_track_record_has_n_interval_and_benchmark():
    """The AI and the market with their intervals, which count markets of one week once; then the verdict."""
    page = weekly(40)
    assert "40 markets resolved: 40 yes, 0 no." in page
    assert "AI 66% right (n = 405, 95% interval 62% to 71%), market 67% right (n = 405" in page
    assert "(SIMULATED), backfilled. By the Brier score, which also counts how sure each was: no clear" in page
    assert all(words in page for words in ("PAPER", "SIMULATED market", "/challenge 17"))


def test_a_short_record_gives_no_share():
    """Of the empty live book alone."""
    page = weekly(3, documents.versus() | {"books": documents.versus()["books"][:1]})
    assert "AI against market: not enough resolved markets." in page
    assert "right (n" not in page


@pytest.mark.parametrize(
    "parts",
    [
        {"backfilled": True},
        {"resolution": documents.resolved_market()["resolution"] | {"outcome": "void"}},
        {"resolution": documents.resolved_market()["resolution"] | {"resolved_at": "2026-11-14T07:59:59Z"}},
    ],
)
def test_only_live_markets_of_the_week_count(parts):
    assert "\n0 markets resolved" in weekly(40, **parts)
