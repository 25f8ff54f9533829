"""What every message keeps to, whatever comes: its length, its tags, its escapes; and what each one says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot import messages
from bot.messages.writing import WIDTH
from service.api import examples
from service.client import (
    BadRequest,
    ClientError,
    Conflict,
    ConnectionFailed,
    NotFound,
    RateLimited,
    ServerFault,
    TimedOut,
    Unauthorized,
    Unavailable,
)
from tests.bot import documents
from tests.bot.documents import USAGE, every_string, longer, told

NOW = datetime(2026, 11, 21, 8, 2, tzinfo=UTC)
ALLOWED = {"b", "i", "u", "s", "code", "pre", "a", "blockquote"}
SWITCHES = {"my_challenge": "on", "flip": "silent", "lane": "off", "hospital": "off", "digest": "on"}
DIGEST = {"hour": 8, "timezone": "Europe/Zurich"}
HOSTILE = '<b>&"'

Written = str | list[str]

BATTLE, BOARD, HOSPITAL = told(examples.BATTLE), told(examples.LEADERBOARD), told(examples.HOSPITAL)
APEX, NEWS, WIDGET = told(examples.APEX), told(examples.NEWS_PULSE), told(examples.WIDGET)
MARKETS, CHALLENGES, STREAKS = told(examples.PREDICTIONS), told(examples.CHALLENGES), told(examples.STREAKS)
LANE, CATEGORY = BATTLE["lanes"][0]["name"], HOSPITAL["strategies"][0]["category"]

# Every message that is made of a document: what it is made of, and how.
MADE: dict[str, tuple[Any, Callable[[Any], Written]]] = {
    "answer": (documents.answer(), lambda it: messages.answer(it, USAGE)),
    "votes": (documents.answer(), messages.votes),
    "quota": (USAGE, messages.quota),
    "lanes": (BATTLE, messages.lanes),
    "lanes of a venue": (BATTLE, lambda it: messages.lanes(it, it["lanes"][0]["venue"], now=NOW)),
    "lane": (BATTLE, lambda it: messages.lane(it, LANE)),
    "any lane": (BATTLE, lambda it: messages.lane(it, it["lanes"][0]["name"].strip().lower())),
    "lane event": (documents.event(), messages.lane_event),
    "top": (BOARD, messages.top),
    "strategy": (documents.strategy(), messages.strategy),
    "markets": (MARKETS, messages.markets),
    "accuracy": (documents.versus(), messages.accuracy),
    "challenge": (documents.challenge(), lambda it: messages.challenge(it, mine=True)),
    "challenges": (CHALLENGES, messages.challenges),
    "created": (documents.challenge(), messages.created),
    "resolved": (documents.challenge(), messages.resolved),
    "hospital": (HOSPITAL, messages.hospital),
    "hospital of a category": (HOSPITAL, lambda it: messages.hospital(it, CATEGORY)),
    "snapshot": (HOSPITAL, messages.snapshot),
    "streaks": (STREAKS, messages.streaks),
    "news": (NEWS, messages.news),
    "brain": (APEX, messages.brain),
    "fund": (documents.fund(), messages.fund),
    "flipped": (WIDGET, lambda it: messages.flipped(it, it)),
    "digest": (
        {"widget": WIDGET, "battle": BATTLE, "versus": documents.versus()},
        lambda it: messages.digest(**it, now=NOW),
    ),
    "alerts": (
        {"switches": SWITCHES, "digest": DIGEST},
        lambda it: messages.alerts({**it["switches"], it["digest"]["timezone"]: "on"}, it["digest"]),
    ),
    "question asked for a deadline": ("Will it?", messages.ask_deadline),
    "confirm": ("Will it?", lambda it: messages.confirm(it, it)),
    "bad deadline": ("No such day.", messages.bad_deadline),
    "deleted": ({"what": "drafts"}, lambda it: messages.deleted({it["what"]: 2})),
    "refusal": ({"code": "c", "detail": "No."}, lambda it: messages.failure(BadRequest(400, it))),
    "fault": ({"detail": "No.", "request_id": "5f0c"}, lambda it: messages.failure(ServerFault(500, it))),
}
FIXED = {
    "start": messages.start,
    "help": messages.help_text,
    "privacy": messages.privacy,
    "delete asked": messages.delete_asked,
    "busy": messages.busy,
    "expired": messages.expired,
    "nothing open": messages.nothing_open,
    "unknown command": messages.unknown_command,
    "group": messages.group_only_link,
    "ask question": messages.ask_question,
}
FAILURES: dict[str, ClientError] = {
    "down": ConnectionFailed("No connection to http://127.0.0.1:8000: refused."),
    "slow": TimedOut("No answer from http://127.0.0.1:8000 within 30 s."),
    "not json": ServerFault(200, {"detail": "The answer is not JSON: is this address the service's?"}),
    "fault": ServerFault(500, {"code": "internal_error", "detail": "Traceback", "request_id": "5f0c2a9b"}),
    "no key": Unauthorized(401, {"code": "invalid_api_key", "detail": "Unknown key."}),
    "no such": NotFound(404, {"code": "not_found", "detail": "No such strategy; /api/v1/leaderboard lists the keys."}),
    "no voters": Unavailable(503, {"detail": "1 of 9 voters answered; 5 are needed.", "retry_after_s": 30}),
    "closed": Conflict(409, {"code": "voting_closed", "detail": "Voting closed at 2026-11-21T08:00:00Z."}),
    "too fast": RateLimited(429, {"code": "rate_limited", "detail": "Too many votes.", "retry_after_s": 125}),
    "any": ClientError("Something."),
}


class Tags(HTMLParser):
    """Reads what Telegram would read: which tags, whether they close, which text is left."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, f"{self.open} is never closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def pages(written: Written) -> list[str]:
    return [written] if isinstance(written, str) else written


def check(written: Written, limit: int = messages.LIMIT) -> list[str]:
    """Telegram takes each page; gives what is then read."""
    shown = []
    for page in pages(written):
        assert 0 < len(page.encode("utf-16-le")) // 2 <= limit  # halves of characters cannot be encoded
        read = Tags(page)
        for tag, attributes in read.seen:
            assert tag in ALLOWED
            assert not attributes or (tag == "a" and list(attributes) == ["href"])
            assert tag != "a" or str(attributes["href"]).startswith(("http://", "https://"))
        assert read.text.strip()
        shown.append(read.text)
    return shown


def text_of(written: Written) -> str:
    """What is read on all pages together."""
    return "\n".join(check(written))


@pytest.mark.parametrize("name", MADE)
def test_a_message_fits_and_its_tags_close(name):
    document, write = MADE[name]
    check(write(document))


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("times", [1, 20])
def test_the_worst_case_fits(name, times):
    """Every string 3,000 characters of markup, every list twenty times as long."""
    document, write = MADE[name]
    check(write(every_string(longer(document, times), lambda _: HOSTILE * 600)))


@pytest.mark.parametrize("name", MADE)
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(text=st.text(st.characters(exclude_categories=[]), max_size=400), times=st.integers(1, 6))
def test_whatever_a_document_says_the_message_is_sound(name, text, times):
    """Whatever any string of it holds, also halves of characters, line breaks and marks that turn the direction."""
    document, write = MADE[name]
    check(write(every_string(longer(document, times), lambda _: text)))


@pytest.mark.parametrize("kind", ["lanes", "lane", "strategy", "accuracy", "fund", HOSTILE * 600])
def test_a_caption_fits_whatever_comes(kind):
    """Photos take 1,024 characters."""
    kinds = {"lanes": BATTLE, "lane": documents.history(), "strategy": documents.strategy(), "fund": documents.fund()}
    document = kinds.get(kind, documents.versus())
    assert "as of 2026" in check(messages.caption(kind, document), messages.CAPTION)[0]
    check(messages.caption(kind, every_string(longer(document, 9), lambda _: HOSTILE * 600)), messages.CAPTION)


@pytest.mark.parametrize("name", MADE)
def test_rows_of_a_table_fit_a_phone(name):
    """At most 34 characters, or the phone breaks them."""
    document, write = MADE[name]
    for page in pages(write(document)):
        for part in page.split("<pre>")[1:]:
            assert all(len(row) <= WIDTH for row in unescape(part.split("</pre>")[0]).split("\n"))


@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_message_is_sound(name):
    shown = text_of(FIXED[name]())
    assert "!" not in shown


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_said_in_words_for_people(name):
    """One or two sentences: no trace, no address, no status."""
    shown = text_of(messages.failure(FAILURES[name]))
    assert len(shown) < 160
    assert shown.endswith((".", "5f0c2a9b"))
    assert not any(word in shown for word in ("http", "/api/", "Traceback", "500", "429", "T08:00"))


def test_markup_in_a_question_is_shown_as_it_was_written():
    """HTML in a question, in a model's reasoning and in a headline is text."""
    evil = '<a href="tg://x">buy</a> & <i>sell</i>'
    answer = documents.answer() | {"question": evil}
    answer["votes"]["voter0"]["reasoning"] = evil
    assert evil in check(messages.answer(answer, USAGE))[0]
    assert text_of(messages.votes(answer)).count(evil) == 3  # the head of both pages, and the vote
    news = NEWS | {"headlines": [NEWS["headlines"][0] | {"title": evil}]}
    assert evil in text_of(messages.news(news))


def test_a_link_leads_only_to_the_web():
    headline = NEWS["headlines"][0]
    leading = {'https://example.com/?a=1&b="2': 1, "javascript:alert(1)": 0, "https://x/" + "y" * 900: 0}
    for url, links in leading.items():
        shown = messages.news(NEWS | {"headlines": [headline | {"url": url}]})
        assert shown.count("<a ") == links
        check(shown)


def test_an_answer_says_direction_odds_turnout_quota_and_market():
    """The words of the design."""
    answer = documents.answer()
    answer["consensus"] |= {"direction": "BULLISH", "strength": "MODERATE", "bull_probability": 62.0}
    answer["consensus"] |= {"bear_probability": 38.0, "effective_voters": 6.0}
    for name, direction in zip(answer["votes"], 5 * ["BULLISH"] + 2 * ["NEUTRAL"] + 2 * ["BEARISH"], strict=True):
        answer["votes"][name]["direction"] = direction
    shown = check(messages.answer(answer | {"cached": False}, USAGE))[0].split("\n")
    assert "▲ BULLISH · moderate" in shown
    assert "Bull 62% · Bear 38%" in shown
    assert "9 of 9 voted: 5 bull, 2 neutral, 2 bear" in shown
    assert "2 of 10 questions left today" in shown
    assert shown[-1] == "Paper research. Not investment advice."
    assert "SIMULATED market" in shown[-2]


def test_the_longest_question_leaves_room_for_its_answer():
    """500 characters that are each five when escaped, and notes as long: what was asked for is not pushed out."""
    answer = documents.answer() | {"question": "&" * 500}
    answer["understood"] |= {"canonical": "&" * 500, "notes": ["&" * 500] * 3}
    shown = text_of(messages.answer(answer, USAGE))
    assert answer["consensus"]["direction"] in shown
    assert "9 of 9 voted" in shown
    assert shown.endswith("Not investment advice.")


def test_an_answer_to_a_bearish_question_says_how_likely_yes_is():
    """Of "stays below" yes is the bear's side, so bull and bear alone would mislead."""
    answer = documents.answer() | {"p_yes": 0.3}
    answer["understood"]["polarity"] = "bull"
    assert "Yes 30%" not in text_of(messages.answer(answer))
    answer["understood"]["polarity"] = "bear"
    assert "Yes 30%" in text_of(messages.answer(answer))


def test_an_answer_of_few_independent_voters_says_so():
    answer = documents.answer()
    answer["consensus"]["effective_voters"] = 1.1
    assert "worth 1.1 independent voters" in text_of(messages.answer(answer))


def test_a_shared_answer_says_that_it_was_not_counted():
    assert "not counted" in text_of(messages.answer(documents.answer() | {"cached": True}, USAGE))


def test_the_waiting_message_counts_the_votes():
    assert messages.waiting(9) == "Asking 9 voters. This takes about 15 seconds."
    assert messages.progress(5, 9) == "5 of 9 have voted."


def test_every_vote_and_every_abstention_is_on_one_of_the_pages():
    answer = documents.answer() | {"abstained": {"news": "no headlines"}}
    shown = text_of(messages.votes(answer))
    assert all(name in shown for name in answer["votes"])
    assert "news abstained: no headlines" in shown


def test_a_vote_whose_model_failed_says_so():
    answer = documents.answer()
    answer["votes"]["voter0"] |= {"fallback": True, "outlier": True, "engine": "ollama:llama3.2"}
    shown = text_of(messages.votes(answer))
    assert "ollama:llama3.2 · its model failed, the embedded engine spoke · far from the others" in shown


def test_the_quota_tells_the_truth():
    assert "2 of 10 questions left today." in messages.quota(USAGE)
    used = USAGE | {"quota": USAGE["quota"] | {"remaining": 0}}
    assert messages.quota(used) == "You have used today's 10 questions. They come back at 00:00 UTC."


def test_a_used_up_quota_is_said_as_the_persons_own_or_the_bots():
    own = {"code": "quota_exhausted", "detail": "The daily quota is used up.", "limit": 10}
    own |= {"reset_at": "2026-11-25T00:00:00Z"}
    shown = messages.failure(RateLimited(429, own))
    assert shown == "You have used today's 10 questions. They come back at 00:00 UTC."
    whole = own | {"detail": "The daily quota over all end users of this key is used up.", "limit": 2000}
    assert "All questions that this bot may ask today" in messages.failure(RateLimited(429, whole))


def test_a_refused_question_comes_with_its_advice():
    advice = "This names no market. Ask about the price of Bitcoin."
    shown = messages.failure(BadRequest(400, {"code": "not_a_market_question", "detail": advice}))
    assert shown == f"{advice}\nThis was not counted; send it again in other words."


def test_a_slow_answer_is_not_said_to_be_free():
    """The client cannot know whether it was counted, so the message sends to /quota."""
    assert "/quota" in messages.failure(TimedOut("No answer."))
    assert "not counted" not in messages.failure(TimedOut("No answer."))


@pytest.mark.parametrize("name", ["lanes", "lane", "lane event", "top", "strategy", "hospital", "snapshot", "fund"])
def test_numbers_of_paper_trading_say_paper_and_the_market(name):
    document, write = MADE[name]
    for page in check(write(document | {"world": "simulated"})):
        assert "PAPER · SIMULATED market" in page


TIMED = ["lanes", "top", "strategy", "accuracy", "streaks", "news", "brain", "fund", "hospital", "markets"]


@pytest.mark.parametrize("name", TIMED)
def test_numbers_that_are_too_old_say_stale(name):
    document, _ = MADE[name]
    write = getattr(messages, name)
    late = datetime(2030, 1, 1, tzinfo=UTC)
    assert "STALE" in text_of(write(document, now=late))
    assert "STALE" not in text_of(write(document, now=datetime(2020, 1, 1, tzinfo=UTC)))
    assert "STALE" not in text_of(write(document | {"world": "replay"}, now=late))


def test_the_lanes_of_one_venue_are_shown_alone_and_of_none_the_choice():
    lanes = [BATTLE["lanes"][0] | {"name": name, "venue": venue} for name, venue in (("a1", "cex"), ("b2", "dex"))]
    battle = BATTLE | {"lanes": lanes}
    shown = text_of(messages.lanes(battle, "CEX"))
    assert "a1" in shown
    assert "b2" not in shown
    assert "/lanes cex or /lanes dex" in text_of(messages.lanes(battle, "moon"))


def test_the_best_lane_comes_first():
    lanes = [BATTLE["lanes"][0] | {"name": name, "pnl_pct": pnl} for name, pnl in (("low", -3.0), ("high", 9.0))]
    shown = text_of(messages.lanes(BATTLE | {"lanes": lanes}))
    assert shown.index("▲ high") < shown.index("▼ low")


def test_an_unknown_lane_is_answered_with_the_names():
    assert f"/lane {LANE}" in text_of(messages.lane(BATTLE, "<b>moon"))


def test_a_lane_without_trades_has_no_rate():
    lane = BATTLE["lanes"][0] | {"trades": 0, "win_rate_pct": None, "pnl_pct": 0.0}
    shown = text_of(messages.lane(BATTLE | {"lanes": [lane]}, lane["name"]))
    assert "0 trades." in shown
    assert "■" in shown


def test_the_leaderboard_stands_beside_luck():
    """Buying and holding and a coin are shown, and that the best of many looks good by chance."""
    shown = text_of(messages.top(BOARD, now=NOW))
    assert all(ghost["key"].replace("_", " ") in shown for ghost in BOARD["ghosts"])
    assert "by chance" in shown


def test_the_longest_key_of_a_strategy_is_shown_whole():
    """/strategy KEY needs every letter."""
    key = "time_series_momentum_medium"
    assert key in text_of(messages.top(BOARD | {"entries": [BOARD["entries"][0] | {"key": key, "pnl_pct": -61.44}]}))
    row = HOSPITAL["strategies"][0] | {"key": key}
    assert key in text_of(messages.hospital(HOSPITAL | {"strategies": [row]}))


def test_a_page_of_markets_holds_the_markets_of_its_buttons():
    """Page i shows MARKETS_A_PAGE markets from i times that on, each under its number."""
    listed = [MARKETS["markets"][0] | {"question": f"Question {place}?"} for place in range(1, 11)]
    shown = check(messages.markets(MARKETS | {"markets": listed, "count": 10}))
    each = messages.MARKETS_A_PAGE
    assert len(shown) == -(-10 // each)
    for place in range(10):
        assert f"{place + 1}. Question {place + 1}?" in shown[place // each]


def test_a_simulated_outside_market_and_a_backfilled_vote_say_so():
    market = MARKETS["markets"][0]
    odds = (market["market_odds"] or {}) | {"p_yes": 0.38, "simulated": True}
    shown = text_of(messages.markets(MARKETS | {"markets": [market | {"market_odds": odds, "backfilled": True}]}))
    assert "market 38% (SIMULATED)" in shown
    assert "backfilled" in shown


def test_no_open_market_and_no_open_challenge_are_said():
    assert "No market is open" in text_of(messages.markets(MARKETS | {"markets": [], "count": 0}))
    assert "No challenge is open" in text_of(messages.challenges(CHALLENGES | {"challenges": [], "count": 0}))


def test_an_accuracy_comes_with_its_n_and_never_from_too_few():
    shown = text_of(messages.accuracy(documents.versus()))
    assert "Live: 0 resolved\nNot enough resolved markets" in shown
    assert "Backfilled: 400 resolved" in shown
    assert any("59.0%" in row and "400" in row for row in shown.split("\n"))
    assert "No clear difference yet" in shown


def test_a_rate_of_a_few_is_not_shown_among_the_streaks():
    row = STREAKS["streaks"][0] | {"resolved": 40, "accuracy_pct": 81.8, "backfilled": False}
    assert "82%" not in text_of(messages.streaks(STREAKS | {"streaks": [row | {"n": 11}]}))
    assert "82%" in text_of(messages.streaks(STREAKS | {"streaks": [row | {"n": 30}]}))


def test_the_steps_of_a_challenge_use_the_words_of_the_design():
    assert messages.ask_question() == "What should the AIs answer? Send one yes/no question, or /cancel."
    assert messages.ask_deadline("Will it?").endswith("Which deadline? Send a date as YYYY-MM-DD.")
    created = documents.challenge(number=17, deadline="2026-12-31T23:59:59Z")
    assert "Challenge 17 is open until 2026-12-31." in text_of(messages.created(created))


def test_a_challenge_that_nobody_voted_on_yet_says_so():
    pending = documents.challenge(ai_votes={}, apex=None, ai=None, votes_pending=True, status="open")
    assert "the AIs are voting" in text_of(messages.challenge(pending))


@pytest.mark.parametrize(("outcome", "right"), [("yes", "✓ voter0"), ("no", "✗ voter0")])
def test_the_author_is_told_the_outcome_and_how_each_ai_did(outcome, right):
    over = documents.challenge(status="resolved")
    over["ai_votes"]["voter0"]["p_yes"] = 0.9
    over["resolution"] |= {"outcome": outcome, "evidence": "btc close 52113.92 of the bar of 2026-11-22T23:55:00Z"}
    shown = text_of(messages.resolved(over))
    assert f"is over: {outcome.upper()}" in shown
    assert right in shown
    assert "2026-11-22 23:55 UTC" in shown


def test_a_void_challenge_counts_for_nobody():
    over = documents.challenge(status="void")
    over["resolution"] |= {"outcome": "void"}
    shown = text_of(messages.resolved(over))
    assert "VOID" in shown
    assert "✓" not in shown
    assert "✗" not in shown


def test_all_strategies_of_the_hospital_are_on_its_pages():
    rows = [HOSPITAL["strategies"][0] | {"key": f"key_{place}", "health_score": place} for place in range(54)]
    rows[0] |= {"health_score": None, "status": "observation"}
    found = messages.hospital(HOSPITAL | {"strategies": rows})
    assert len(found) == 4
    assert all(f"key_{place}" in text_of(found) for place in range(54))
    assert text_of(found).index("key_53") < text_of(found).index("key_1\n")


def test_an_unknown_category_is_answered_with_the_known_ones():
    assert f"/hospital {CATEGORY}" in text_of(messages.hospital(HOSPITAL, "moon"))


def test_what_is_not_known_yet_is_said_and_not_invented():
    """A service on its first day has no consensus, no news, no Sharpe ratio, no trade."""
    young = WIDGET | {"consensus": None, "news": None, "btc": WIDGET["btc"] | {"change_24h_pct": None}}
    shown = text_of(messages.digest(young, BATTLE, documents.versus(), NOW))
    assert "no consensus yet" in shown
    assert "No news yet" in shown
    assert "not traded yet" in text_of(messages.fund(documents.fund() | {"trades": [], "sharpe": None}))
    assert "not ranked" in text_of(
        messages.strategy(documents.strategy() | {"standing": documents.strategy()["standing"] | {"rank": None}})
    )
    silent = [APEX["layers"][0] | {"silent": "no headlines", "p_up": None, "direction": None}]
    assert "no headlines" in text_of(messages.brain(APEX | {"layers": silent}))


def test_a_direction_that_is_not_known_is_shown_as_it_came():
    shown = text_of(messages.news(NEWS | {"direction": "SIDEWAYS"}))
    assert "? News: SIDEWAYS" in shown


def test_the_digest_is_dated_in_utc():
    """Whatever zone its hour was chosen in."""
    late = datetime(2026, 11, 22, 7, 30, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert "Saturday 21 November" in messages.digest(WIDGET, BATTLE, documents.versus(), late)


def test_a_flip_says_both_sides():
    after = WIDGET | {"consensus": WIDGET["consensus"] | {"direction": "BEARISH"}}
    before = WIDGET | {"consensus": WIDGET["consensus"] | {"direction": "BULLISH"}}
    shown = text_of(messages.flipped(before, after))
    assert "▼ The consensus turned BEARISH" in shown
    assert "It was BULLISH" in shown


def test_the_alerts_say_how_each_is_switched_and_when_the_digest_comes():
    shown = text_of(messages.alerts(SWITCHES, DIGEST))
    assert "Morning digest at 08:00 Europe/Zurich: on" in shown
    assert "The consensus changes sides: silent" in shown


def test_what_was_deleted_is_counted():
    assert "drafts: 2" in text_of(messages.deleted({"drafts": 2, "sent": 0}))
    assert "Nothing of yours" in text_of(messages.deleted({"drafts": 0}))


def test_help_names_every_command():
    """All of the design."""
    names = "ask lanes lane top markets challenge challenges hospital strategy accuracy news streaks fund brain alerts"
    for name in (*names.split(), "quota", "cancel", "privacy", "deleteme"):
        assert f"/{name}" in messages.help_text()
