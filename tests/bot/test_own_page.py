"""/me, forecasts of markets, and the table of forecasters with one's own row."""

from __future__ import annotations

import pytest

QUESTION = "Will Bitcoin be above $60k at the end of the month?"


@pytest.fixture
def opened(ann):
    """The page of the first open market, after the first of two taps."""
    reply = ann.says("/markets")
    ann.presses("1. …")
    return reply


def test_a_market_is_forecast_with_two_taps(ann, opened, store):
    ann.presses("65%")
    assert "Your forecast: yes 65%" in ann.stage.telegram.popups[-1]
    assert "Your forecast: yes 65%" in opened.plain
    ann.presses("20%")
    assert "Your forecast: yes 20%" in opened.plain
    ((market_id, vote, p),) = store.own_calls(ann.id, 10)
    assert (vote, p) == (None, 0.2)
    assert opened.buttons["20%"] == f"forecast:market:{market_id}:20"


def test_a_forecast_is_shown_to_nobody_else(ann, ben, opened, store):
    ann.presses("65%")
    ((market_id, *_),) = store.own_calls(ann.id, 10)
    assert "Your forecast" not in ben.says(f"/start market_{market_id}").plain


def test_the_own_page_lists_votes_forecasts_and_questions(ann, opened):
    assert "no votes and no forecasts yet" in ann.says("/mine").plain
    ann.presses("65%", on=opened)
    ann.presses("All markets", on=opened)
    ann.presses("1. Yes", on=opened)
    ann.says("/challenge Will Bitcoin be above $72k on 2026-12-31?")
    ann.presses("Create")
    ann.presses("No")
    ann.says(QUESTION)
    reply = ann.says("/mine")
    assert "Questions: 1, 0 of them decided" in reply.plain
    assert "you: yes, 65% · AI" in reply.plain
    assert "you: no · " in reply.plain
    assert "72,000" in reply.plain or "$72k" in reply.plain
    assert "1. Bitcoin above 60,000 USD · " in reply.plain
    ann.presses("1", on=reply)
    assert "9 of 9 voted" in ann.newest.plain
    assert "Show votes" in ann.newest.buttons
    assert "9 of 10" in ann.says("/quota").plain


def test_a_name_is_a_choice(ann, ben, opened):
    for text in ("/name", "/name x", "/name Bad Name", "/name ai/../x"):
        assert "3 to 32 of a-z" in ann.says(text).plain
    ann.presses("65%", on=opened)
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


@pytest.mark.parametrize("command", ["/me", "/forecasters"])
def test_a_personal_page_is_not_shown_in_a_group(stage, group, command):
    assert "private chat" in stage.person(group).says(command).plain
