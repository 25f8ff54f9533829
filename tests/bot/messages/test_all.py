"""All messages: they fit, their markup is valid, and they state the source of their numbers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot import messages
from bot.messages.markup import WIDTH
from bot.store import Follow, GroupSettings, OwnCall, Target
from service.client import BadRequest, ServerFault
from tests.bot import documents, examples
from tests.bot.documents import HOSTILE, USAGE, every_string, repeated
from tests.bot.messages.reading import Written, pages_of, text_of, texts_of

NOW = datetime(2026, 11, 21, 8, 2, tzinfo=UTC)
SWITCHES = {"followed": "on", "flip": "silent", "lane": "off", "hospital": "off", "digest": "on"}
DIGEST = {"hour": 8, "timezone": "Europe/Zurich"}


def follow(subject: str) -> Follow:
    """A follow of a market, whose id and question are this text."""
    return Follow(1, 1, 1, Target("chance", subject, 0.6, subject))


LANE, CATEGORY = examples.BATTLE["lanes"][0]["name"], examples.HOSPITAL["strategies"][0]["category"]

# Every message written from a document: the document, and the function that writes it.
MESSAGES: dict[str, tuple[Any, Callable[[Any], Written]]] = {
    "answer": (documents.answer(), lambda it: messages.answer(it, USAGE["quota"], "Ann")),
    "readings": (documents.answer(), lambda it: messages.readings(it, [it["question"]])),
    "votes": (documents.answer(), messages.votes),
    "quota": (USAGE, messages.quota),
    "lanes": (examples.BATTLE, messages.lanes),
    "lanes of a venue": (examples.BATTLE, lambda it: messages.lanes(it, it["lanes"][0]["venue"], now=NOW)),
    "lane": (examples.BATTLE, lambda it: messages.lane(it, LANE)),
    "any lane": (examples.BATTLE, lambda it: messages.lane(it, it["lanes"][0]["name"].strip().lower())),
    "lane event": (documents.event(), messages.lane_event),
    "top": (examples.LEADERBOARD, messages.top),
    "prices": (examples.PRICES, messages.prices),
    "price": (examples.PRICES, lambda it: messages.one_price(it, it["prices"][0]["asset"])),
    "forecast": (documents.forecast(), messages.forecast),
    "forecasts": ([documents.forecast()], messages.forecasts),
    "strategy": (documents.strategy(), messages.strategy),
    "markets": (examples.PREDICTIONS, messages.markets),
    "accuracy": (documents.versus(), messages.accuracy),
    "challenge": (documents.challenge(), lambda it: messages.challenge(it, is_author=True)),
    "challenges": (examples.CHALLENGES, messages.challenges),
    "created": (documents.challenge(), messages.created),
    "resolved": (documents.challenge(), messages.resolved),
    "hospital": (examples.HOSPITAL, messages.hospital),
    "hospital of a category": (examples.HOSPITAL, lambda it: messages.hospital(it, CATEGORY)),
    "snapshot": (examples.HOSPITAL, messages.snapshot),
    "streaks": (examples.STREAKS, messages.streaks),
    "news": (examples.NEWS_PULSE, messages.news),
    "brain": (examples.APEX, messages.brain),
    "fund": (documents.fund(), messages.fund),
    "flipped": (examples.WIDGET, lambda it: messages.flipped(it, it)),
    "digest": (
        {"widget": examples.WIDGET, "battle": examples.BATTLE, "versus": documents.versus()},
        lambda it: messages.digest(**it, now=NOW),
    ),
    "weekly": (
        {
            "resolved": documents.week(40),
            "versus": documents.versus(),
            "battle": examples.BATTLE,
            "challenges": examples.CHALLENGES,
        },
        lambda it: messages.weekly(**it, now=documents.AS_OF),
    ),
    "live challenge": (documents.challenge(), messages.live_challenge),
    "resolved live challenge": (documents.challenge(status="resolved"), messages.live_challenge),
    "alerts": (
        {"switches": SWITCHES, "digest": DIGEST},
        lambda it: messages.alerts({**it["switches"], it["digest"]["timezone"]: "on"}, it["digest"]),
    ),
    "market": (documents.market(), messages.one_market),
    "resolved market": (documents.resolved_market(), messages.market_resolved),
    "page of a resolved market": (documents.resolved_market(), messages.one_market),
    "changed sides": (documents.market(), messages.sides_changed),
    "reached probability": (documents.market(), lambda it: messages.chance_reached(it, 0.6)),
    "reached price": (examples.PRICES, lambda it: messages.price_reached(it, it["prices"][0], 55_000)),
    "decided question": (documents.decided_answer(), messages.answer_resolved),
    "following": ({"follows": ["btc"]}, lambda it: messages.following(list(map(follow, it["follows"])))),
    "own page": (
        {"called": [documents.market()], "answers": [documents.decided_answer()], "name": "sturdy-owl"},
        lambda it: messages.own_page(
            [(OwnCall("a", "yes", 0.65), market) for market in it["called"]],
            it["answers"],
            it["name"],
            examples.PREDICTIONS,
        ),
    ),
    "forecasters": (documents.forecasters(), lambda it: messages.forecasters(it, it["entries"][0], "sturdy-owl")),
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
    "delete asked": messages.confirm_deletion,
    "busy": messages.busy,
    "expired": messages.expired,
    "nothing open": messages.nothing_to_cancel,
    "unknown command": messages.unknown_command,
    "group": messages.challenge_in_private,
    "settings of a group": lambda: messages.group_settings(GroupSettings(weekly=True, commands_only=False)),
    "ask question": messages.ask_question,
}
# Messages with a time in their footer, named like the function that writes them.
TIMED = ["lanes", "top", "prices", "strategy", "accuracy", "streaks", "news", "brain", "fund", "hospital", "markets"]


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_fits_and_its_tags_close(name):
    document, write = MESSAGES[name]
    texts_of(write(document))


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("times", [1, 20])
def test_the_worst_case_fits(name, times):
    """Every string has 3,000 characters of markup, every list is twenty times as long."""
    document, write = MESSAGES[name]
    texts_of(write(every_string(repeated(document, times), lambda _: HOSTILE * 600)))


@pytest.mark.parametrize("name", MESSAGES)
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(text=st.text(st.characters(exclude_categories=[]), max_size=400), times=st.integers(1, 6))
def test_any_text_in_a_document_gives_a_valid_message(name, text, times):
    """Also unpaired surrogates, line breaks and direction marks."""
    document, write = MESSAGES[name]
    texts_of(write(every_string(repeated(document, times), lambda _: text)))


@pytest.mark.parametrize("name", MESSAGES)
def test_rows_of_a_table_fit_a_phone(name):
    """A phone breaks rows of more than 34 characters."""
    document, write = MESSAGES[name]
    for page in pages_of(write(document)):
        for part in page.split("<pre>")[1:]:
            assert all(len(row) <= WIDTH for row in unescape(part.split("</pre>")[0]).split("\n"))


@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_message_is_valid(name):
    shown = text_of(FIXED[name]())
    assert "!" not in shown


@pytest.mark.parametrize("name", ["lanes", "lane", "lane event", "top", "strategy", "hospital", "snapshot", "fund"])
def test_paper_trading_and_market_are_stated(name):
    document, write = MESSAGES[name]
    for page in texts_of(write(document | {"world": "simulated"})):
        assert "PAPER · SIMULATED market" in page


@pytest.mark.parametrize("name", TIMED)
def test_old_numbers_are_marked_stale(name):
    document, _ = MESSAGES[name]
    write = getattr(messages, name)
    late = datetime(2030, 1, 1, tzinfo=UTC)
    assert "STALE" in text_of(write(document, now=late))
    assert "STALE" not in text_of(write(document, now=datetime(2020, 1, 1, tzinfo=UTC)))
    assert "STALE" not in text_of(write(document | {"world": "replay"}, now=late))
