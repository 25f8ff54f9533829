"""Every button: in place, page by page, and harmless when it is old or forged."""

from __future__ import annotations

import re

import pytest

from bot import keyboards
from bot.drawings import DRAWINGS
from bot.store import is_timezone
from bot.views import VIEWS


@pytest.fixture
def store(stage):
    return stage.application.bot_data["rooms"].store


@pytest.mark.parametrize(
    "command", ["/lanes", "/lane trend", "/top", "/accuracy", "/hospital", "/news", "/streaks", "/fund", "/brain"]
)
def test_reload_is_in_place_and_silent_where_nothing_is_new(ann, command, caplog):
    shown = ann.says(command)
    ann.presses("Reload")
    assert len(ann.messages) == 1
    assert shown.buttons
    assert "editMessageText" in ann.stage.telegram.methods()
    assert "refused" not in caplog.text


def test_reload_shows_what_is_new(ann, ben):
    """A vote of another person's is there after a reload."""
    ann.says("/challenge Will Bitcoin be above $70k?")
    ann.says("2026-12-31")
    number = ann.presses("Create").plain.split()[1]
    shown = ben.says(f"/start challenge_{number}")
    ann.presses("Yes")
    assert "no user votes" in shown.plain
    ben.presses("Reload", on=shown)
    assert "users 100% (n = 1)" in shown.plain


def test_quota_is_told_anew_after_a_reload(ann):
    shown = ann.says("/quota")
    ann.says("Will Bitcoin be above $60k by the end of the month?")
    ann.presses("Reload", on=shown)
    assert "9 of 10" in shown.plain


def test_filters_of_venues_assets_categories_and_lanes(ann):
    shown = ann.says("/lanes")
    ann.presses("DEX")
    assert "2 lanes" in shown.plain
    assert "· DEX ·" in shown.buttons
    shown = ann.says("/top")
    ann.presses("gold")
    assert "Gold" in shown.plain
    shown = ann.says("/hospital")
    ann.presses("Volume")
    assert "volume" in shown.plain
    shown = ann.says("/lane trend")
    ann.presses("lp_wide")
    assert "lp_wide" in shown.plain
    ann.presses("· lp_wide ·")
    assert "lp_wide" in shown.plain


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("/lanes", "lanes"),
        ("/lanes dex", "lanes"),
        ("/lane trend", "lane"),
        ("/strategy macd_slow", "strategy"),
        ("/accuracy", "accuracy"),
        ("/fund", "fund"),
    ],
)
def test_a_chart_is_a_photo_with_a_caption(ann, command, kind):
    ann.says(command)
    ann.presses("Chart")
    assert ann.newest.is_photo
    assert "UTC" in ann.newest.text
    assert "SIMULATED" in ann.newest.text
    assert ("PAPER" in ann.newest.text) == (kind != "accuracy")


def test_markets_are_turned_page_by_page(ann):
    shown = ann.says("/markets")
    assert "1." in shown.plain
    ann.presses("▶")
    assert "2 of " in shown.plain
    assert "5. Yes" in shown.buttons
    ann.presses("◀")
    assert "1. Yes" in shown.buttons
    assert "◀" not in shown.buttons
    assert len(ann.messages) == 1


def test_a_vote_on_a_market_is_counted_for_the_market_of_that_number(ann, furnished):
    ann.says("/markets")
    ann.presses("▶")
    ann.presses("6. No")
    assert re.fullmatch(
        r"Your vote is no\. So far 0 yes, [1-9] no; you may change yours\.", ann.stage.telegram.popups[-1]
    )
    ann.presses("6. Yes")
    assert ann.stage.telegram.popups[-1].startswith("Your vote is yes. So far 1 yes, 0 no")


def test_alerts_are_switched_in_place(ann, store):
    shown = ann.says("/alerts")
    for before, after in (("off", "on"), ("on", "silent"), ("silent", "off")):
        ann.presses(f"Consensus: {before}")
        assert store.switches(ann.id)["flip"] == after
        assert f"Consensus: {after}" in shown.buttons
    assert len(ann.messages) == 1


def test_every_event_can_be_switched(ann, store):
    shown = ann.says("/alerts")
    for event in store.switches(ann.id):
        ann.sends_data(f"silent:alert:{event}", shown)
    assert set(store.switches(ann.id).values()) == {"silent"}


def test_the_digest_has_an_hour_and_a_time_zone_of_ones_own(ann, store):
    shown = ann.says("/alerts")
    ann.presses("Digest hour")
    ann.presses("07")
    assert "at 07:00 UTC" in shown.plain
    ann.presses("Time zone")
    ann.presses("Asia/Tokyo")
    assert "at 07:00 Asia/Tokyo" in shown.plain
    assert store.digest(ann.id) == {"hour": 7, "timezone": "Asia/Tokyo"}
    assert store.switches(ann.id)["digest"] == "on"


def test_any_time_zone_may_be_sent_by_name(ann, store):
    assert "Europe/Vienna" in ann.says("/alerts Europe/Vienna").plain
    assert "America/New_York" in ann.says("/alerts america/new york").plain
    assert "There is no time zone “<b>Mars”" in ann.says("/alerts <b>Mars").plain
    assert store.digest(ann.id) == {"hour": 8, "timezone": "America/New_York"}


def test_every_zone_of_the_list_is_one():
    assert all(is_timezone(zone) for zone in keyboards.ZONES)


def test_delete_deletes_and_keep_keeps(ann, store):
    ann.says("Will Bitcoin be above $60k by the end of the month?")
    token = ann.newest.buttons["Show votes"].split(":")[2]
    shown = ann.says("/deleteme")
    ann.presses("Keep")
    assert shown.plain == "Nothing was deleted."
    assert store.find(ann.chat, token)
    shown = ann.says("/deleteme")
    ann.presses("Delete")
    assert "Deleted." in shown.plain
    assert store.find(ann.chat, token) is None
    assert "nothing to delete" in ann.presses("Delete", on=_asked(ann)).plain


def _asked(ann):
    return ann.says("/deleteme")


def test_nobody_deletes_what_is_anothers(ann, ben, store):
    ann.says("Will Bitcoin be above $60k by the end of the month?")
    token = ann.newest.buttons["Show votes"].split(":")[2]
    ben.says("/deleteme")
    ben.presses("Delete")
    assert store.find(ann.chat, token)


@pytest.mark.parametrize("data", ["votes:0:gone", "again:question:gone", "answer:question:gone", "yes:market:gone.1"])
def test_a_button_whose_answer_is_no_longer_kept_says_so(ann, data):
    shown = ann.says("/help")
    ann.sends_data(data, shown)
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]


@pytest.mark.parametrize("data", ["nonsense", "show:secrets:.0", "chart:news:", "hour:digest:24", "zone:digest:15"])
def test_a_button_of_another_version_or_forged_says_so(ann, data):
    ann.sends_data(data, ann.says("/help"))
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]


@pytest.mark.parametrize("data", ["show:hospital:.99", "show:markets:.99", "show:challenges:.99", "show:lanes:nyse.0"])
def test_a_page_that_is_no_longer_there_is_the_last(ann, data):
    shown = ann.says("/help")
    ann.sends_data(data, shown)
    assert "/quota" not in shown.plain


def test_a_button_of_a_message_that_is_gone_is_answered_below(ann):
    shown = ann.says("/lanes")
    del ann.stage.telegram.chats[shown.chat, shown.id]
    ann.presses("DEX", on=shown)
    assert "2 lanes" in ann.newest.plain


def test_a_press_of_long_ago_is_answered_all_the_same(ann):
    shown = ann.says("/lanes")
    ann.stage.telegram.refuse("answerCallbackQuery", "Bad Request: query is too old and response timeout expired")
    ann.presses("DEX")
    assert "2 lanes" in shown.plain


def test_every_button_carries_what_one_handler_takes(ann):
    """Of every keyboard, whatever it is made from."""
    switches = dict.fromkeys(keyboards.EVENTS, "off")
    made = [
        keyboards.lanes("cex"),
        keyboards.lane("trend", ["trend", "lp_wide"]),
        keyboards.top("btc"),
        keyboards.hospital("trend", ["trend"], 1, 3),
        keyboards.markets("x" * 12, 61, 4, 15, 17),
        keyboards.challenges([123456789] * 5, 1, 3),
        keyboards.challenge(123456789),
        keyboards.charted("strategy", "x" * 40),
        keyboards.reload("news"),
        keyboards.answer("_-" * 6),
        keyboards.votes("_-" * 6, 1, 3),
        keyboards.draft(123456789),
        keyboards.alerts(switches),
        keyboards.hours(),
        keyboards.zones(),
        keyboards.forget(),
    ]
    carried = [key.callback_data for one in made for row in one.inline_keyboard for key in row]
    for data in carried:
        assert len(data.encode()) <= 64
        assert sum(bool(re.fullmatch(pattern, data)) for pattern in keyboards.PATTERNS.values()) == 1, data


def test_what_buttons_name_is_what_there_is():
    assert set(keyboards.VIEWS.split("|")) == set(VIEWS)
    assert set(keyboards.CHARTS.split("|")) == set(DRAWINGS)
