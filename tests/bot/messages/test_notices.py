"""Short replies to presses and to input that is not valid; tests/bot/messages/test_languages.py tries each of them."""

from __future__ import annotations

import pytest

from bot import messages
from bot.languages import translate
from bot.messages import notices
from tests.bot.documents import HOSTILE
from tests.bot.messages.reading import text_of


def test_an_unknown_asset_is_answered_with_a_command_for_each():
    """At most twenty, so that the reply stays short."""
    page = text_of(notices.unknown_asset("price", [f"coin{number}" for number in range(30)]))
    assert page.split("\n")[1:] == [f"/price coin{number}" for number in range(20)]


@pytest.mark.parametrize(("vote", "receipt_text"), [("yes", "You voted yes."), ("no", "You voted no.")])
def test_a_vote_is_confirmed_with_the_count(vote, receipt_text):
    receipt = {"vote": vote, "user_votes": {"yes": 1200, "no": 3}}
    assert notices.voted(receipt) == f"{receipt_text} Votes so far: 1,200 yes, 3 no. You can change yours."


@pytest.mark.parametrize("write", [notices.unknown_zone])
def test_what_a_person_wrote_is_quoted_without_its_markup(write):
    assert HOSTILE in text_of(write(HOSTILE))


def test_a_deadline_out_of_range_names_both_ends():
    assert "between 2026-11-21 and 2027-11-20" in notices.date_out_of_range("2026-11-21", "2027-11-20")


def test_deleted_rows_are_counted():
    assert "drafts: 2" in text_of(messages.notices.deleted({"drafts": 2, "sent": 0}))
    assert "no data of yours" in text_of(messages.notices.deleted({"drafts": 0}))


def test_the_first_screen_says_that_markets_can_be_simulated():
    assert "SIMULATED" in translate(notices.START)
