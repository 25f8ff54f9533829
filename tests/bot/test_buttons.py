"""Pages and their buttons: views, votes, deletion, the own page, and pages that are old or forged."""

from __future__ import annotations

import re

import pytest

from bot import views
from bot.messages.research import TOPICS
from tests.bot.conftest import QUESTION, TURNOUT, refusing

OLD_DATA = ("votes:0:gone", "again:question:gone", "answer:question:gone", "yes:market:gone.1", "chart:answer:gone.7d")
FORGED_DATA = ("nonsense", "show:secrets:.0", "chart:news:", "set:hour:24", "set:zone:Mars", "set:secret:1")


@pytest.mark.parametrize("command", [*TOPICS, "quota"])
def test_a_reload_without_news_changes_nothing(ann, command, caplog):
    """Names are those for people, no keys of the service such as lp_wide or macd_slow."""
    reply = ann.says(f"/{command}")
    assert "_" not in reply.plain
    ann.presses("Reload")
    assert ann.messages == [reply]
    assert reply.read == [reply.text]
    assert "editMessageText" in ann.stage.telegram.methods()
    assert "refused" not in caplog.text


def test_a_choice_changes_the_message_in_place(ann):
    """Also where Telegram takes no answer to the press; a message that was deleted is replaced by a new one."""
    reply = ann.says("/price")
    ann.presses("Gold")
    assert "Gold" in reply.plain
    assert "· Gold ·" in reply.buttons
    ann.presses("· Gold ·")
    assert "Gold" in reply.plain
    ann.stage.telegram.refuse("answerCallbackQuery", "Bad Request: query is too old and response timeout expired")
    ann.presses("Silver")
    assert "Silver" in reply.plain
    ann.stage.telegram.refuse("answerCallbackQuery", "Bad Gateway", 502)
    ann.presses("eth")
    assert "Ethereum" in reply.plain
    del ann.stage.telegram.chats[reply.chat, reply.id]
    ann.presses("Gold", on=reply)
    assert ann.newest.id != reply.id
    assert "Gold" in ann.newest.plain


def test_a_vote_counts_for_the_market_of_its_number(ann, ben):
    """It is shown at once in the list of the person who voted, and to others without whose it is."""
    other, reply = ben.says("/markets"), ann.says("/markets")
    assert "no user votes" in reply.plain.split("2. ")[0]
    ann.presses("1. Yes")
    assert "users 100% (n = 1), your vote: yes" in reply.plain
    ben.presses("Reload", on=other)
    assert "users 100% (n = 1)" in other.plain
    assert "your vote" not in other.plain
    ann.presses("▶")
    popups = ann.stage.telegram.popups
    ann.presses("6. No")
    assert re.fullmatch(r"You voted no\. Votes so far: 0 yes, [1-9] no\. You can change yours\.", popups[-1])
    ann.presses("6. Yes")
    assert popups[-1].startswith("You voted yes. Votes so far: 1 yes, 0 no")


def test_delete_deletes_and_keep_keeps(ann, store):
    token = ann.says(QUESTION).buttons["Show votes"].split(":")[2]
    reply = ann.says("/deleteme")
    ann.presses("Keep")
    assert reply.plain == "Nothing was deleted."
    assert store.find(ann.chat, token)
    reply = ann.says("/deleteme")
    ann.presses("Delete")
    assert "Deleted." in reply.plain
    assert store.find(ann.chat, token) is None
    assert "nothing to delete" in ann.presses("Delete", on=ann.says("/deleteme")).plain


@pytest.mark.parametrize("data", OLD_DATA + FORGED_DATA)
def test_an_expired_or_unknown_button_says_so(ann, data):
    ann.sends_data(data, ann.says("/help"))
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]


@pytest.mark.parametrize(
    ("assets", "code", "words"),
    [
        ("", "history_arriving", "about 40 s left"),
        ("", "unavailable", "There is no forecast at the moment"),
        ("(?!btc)", "history_arriving", "Prices in 24 hours"),
    ],
)
def test_no_forecast_at_all_has_its_reason(start, web, assets, code, words):
    """An arriving history is no closed market; that of another asset hides no forecast."""
    ann = start(refusing(web, f"/api/v1/forecasts/{assets}", 503, code, retry_after_s=40)).person()
    reply = ann.says("/forecast").plain
    assert words in reply
    assert not assets or "40 s" not in reply


def test_markets_have_pages(ann):
    """One beyond the end is the last."""
    reply = ann.says("/markets")
    assert "1." in reply.plain
    ann.presses("▶")
    assert "2 of " in reply.plain
    assert "5. Yes" in reply.buttons
    ann.presses("◀")
    assert "1. Yes" in reply.buttons
    assert "◀" not in reply.buttons
    assert len(ann.messages) == 1
    for data in ("show:markets:.99", "show:challenges:.99", "show:top:nyse.0"):
        reply = ann.says("/help")
        ann.sends_data(data, reply)
        assert "/quota" not in reply.plain


def test_the_research_links_to_the_pages_of_the_service(start, web):
    """Each line has a link to its page, none without a public address; what does not exist yet is left out."""
    page = "https://ninefold.example/#/"
    text = start(bot_home_url="https://ninefold.example/").person().says("/research").text
    assert [text.count(f'"{page}{name}"') for name in ("lanes", "hospital", "accuracy", "apex", "")] == [1, 2, 2, 2, 1]
    ann = start(refusing(web, "/api/apex/status", 503, "unavailable")).person()
    reply = ann.says("/research")
    assert "Paper accounts" in reply.plain
    assert not any(words in reply.text for words in ("_", "href", "Apex, Bitcoin"))
    assert "not counted" in ann.says("/brain").plain


@pytest.fixture
def market_page(ann):
    """The page of the first open market, after the first of two taps."""
    reply = ann.says("/markets")
    ann.presses("1. …")
    return reply


def test_a_market_is_forecast_with_two_taps(ann, ben, market_page, store):
    """The forecast is shown to nobody else."""
    ann.presses("65%")
    assert "Your forecast: yes 65%" in ann.stage.telegram.popups[-1]
    assert "Your forecast: yes 65%" in market_page.plain
    ann.presses("20%")
    assert "Your forecast: yes 20%" in market_page.plain
    ((market_id, vote, p),) = store.own_calls(ann.id, 10)
    assert (vote, p) == (None, 0.2)
    assert market_page.buttons["20%"] == f"forecast:market:{market_id}:20"
    assert "Your forecast" not in ben.says(f"/start market_{market_id}").plain


def test_the_own_page_lists_votes_forecasts_and_questions(ann, market_page, store, monkeypatch):
    """What does not exist any more is left out; challenges are in no list, and only so many are read one by one."""
    assert "no votes and no forecasts yet" in ann.says("/mine").plain
    ann.presses("65%", "All markets", "1. Yes", on=market_page)
    ann.says("/challenge Will Bitcoin be above $72k on 2026-12-31?")
    ann.presses("Create", "No")
    ann.says(QUESTION)
    store.remember_call(ann.id, "challenge-999999", "yes")
    reply = ann.says("/mine")
    assert "Questions: 1, 0 of them decided" in reply.plain
    assert "you: yes, 65% · AI" in reply.plain
    assert "you: no · " in reply.plain
    assert "72,000" in reply.plain or "$72k" in reply.plain
    assert "1. Bitcoin above 60,000 USD · " in reply.plain
    ann.presses("1", on=reply)
    assert f"9 {TURNOUT}" in ann.newest.plain
    assert "Show votes" in ann.newest.buttons
    assert ann.questions_left() == 9
    monkeypatch.setattr(views, "MAX_READS", 0)
    assert "you: no · " not in ann.says("/mine").plain


def test_a_name_is_a_choice(ann, ben, market_page):
    for text in ("/name", "/name x", "/name Bad Name", "/name ai/../x"):
        assert "3 to 32 of a-z" in ann.says(text).plain
    ann.presses("65%", on=market_page)
    assert "sturdy-owl" in ann.says("/name Sturdy-Owl").plain
    assert "listed among the /forecasters as sturdy-owl" in ann.says("/mine").plain
    assert "after your first decided market" in ann.says("/forecasters").plain
    refusal = ben.says("/name sturdy-owl").plain
    assert "Another forecaster is called sturdy-owl" in refusal
    assert "not listed" in ann.says("/name off").plain
    assert "sturdy-owl" not in ann.says("/mine").plain.replace("/name sturdy-owl", "")


def test_the_table_of_forecasters_leads_to_the_own_page(ann):
    reply = ann.says("/forecasters")
    assert "Nobody is listed yet" in reply.plain
    assert "SIMULATED" in reply.plain
    ann.presses("My page")
    assert "Your page" in reply.plain
