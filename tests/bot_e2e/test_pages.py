"""Pages and charts, and the deletion of a person's data."""

from __future__ import annotations

import pytest

from tests.bot_e2e.chats import Person, Telegram

pytestmark = pytest.mark.slow

PHONE_PX = 1080


def test_a_page_is_filtered_and_reloaded_in_place(person: Person, telegram: Telegram):
    """A button changes its own message; a reload without news is not an error."""
    person.says("/price")
    page = person.waits_for(lambda message: "Reload" in message.buttons)
    person.presses("Gold")
    page_after_filter = person.waits_for(lambda message: message.id == page.id)
    assert page_after_filter.text != page.text
    person.presses("Reload")
    person.is_answered()
    assert [message.id for message in person.messages if "Reload" in message.buttons] == [page.id]


def test_a_chart_is_a_photo_with_a_caption(person: Person):
    """It is as wide as a phone, and its caption states the market and the time."""
    person.says("/price btc")
    person.presses("Chart")
    photo = person.waits_for(lambda message: message.photo)
    assert photo.photo
    assert photo.photo["width"] == PHONE_PX
    assert "SIMULATED" in photo.text
    assert "UTC" in photo.text


def test_deleteme_deletes_the_data_of_one_person(person: Person, another_person: Person):
    """After /deleteme old buttons have expired; the buttons of another person still work."""
    for asker in (person, another_person):
        asker.says("Will Bitcoin be above $55k at the end of the month?")
        answer = asker.waits_for(lambda message: "Show votes" in message.buttons)
    person.says("/deleteme")
    person.reads("This deletes all that this bot has of you")
    person.presses("Delete")
    person.reads("Deleted.")
    person.presses("Show votes")
    assert person.is_answered() == "This answer has expired. Ask again."
    another_person.presses_on(answer, "Show votes")
    another_person.reads("Votes")


def test_keep_deletes_nothing(person: Person):
    person.says("Will Bitcoin be above $55k at the end of the month?")
    person.waits_for(lambda message: "Show votes" in message.buttons)
    person.says("/deleteme")
    person.presses("Keep")
    person.is_answered()
    person.presses("Show votes")
    person.reads("Votes")
