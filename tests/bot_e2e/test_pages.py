"""Pages and pictures of the paper trading, and a person's own alerts and answers."""

from __future__ import annotations

from tests.bot_e2e.chats import Person, Telegram

PHONE_PX = 1080


def test_a_page_is_filtered_and_reloaded_in_place(person: Person, telegram: Telegram):
    """A button changes the message it stands under; a reload that finds nothing new is no error."""
    person.says("/lanes")
    page = person.waits_for(lambda one: "Reload" in one.buttons)
    person.presses("DEX")
    filtered = person.waits_for(lambda one: one.id == page.id)
    assert filtered.text != page.text
    person.presses("Reload")
    person.is_answered()
    assert [one.id for one in person.messages if "Reload" in one.buttons] == [page.id]


def test_a_chart_is_a_photo_that_says_what_it_is(person: Person):
    """It is as wide as a phone shows it, and its caption says that the trades are on paper and of what time."""
    person.says("/lanes")
    person.presses("Chart")
    shown = person.waits_for(lambda one: one.photo)
    assert shown.photo["width"] == PHONE_PX
    assert "PAPER" in shown.text
    assert "UTC" in shown.text


def test_what_a_person_deletes_is_gone(person: Person, another_person: Person):
    """After /deleteme old buttons have nothing behind them; those of another person still do."""
    for one in (person, another_person):
        one.says("Will Bitcoin be above $55k by the end of the month?")
        answer = one.waits_for(lambda message: "Show votes" in message.buttons)
    person.says("/deleteme")
    person.reads("This deletes your saved answers")
    person.presses("Delete")
    person.reads("Deleted.")
    person.presses("Show votes")
    assert person.is_answered() == "This answer has expired. Ask again."
    another_person.presses_on(answer, "Show votes")
    another_person.reads("Votes")


def test_who_keeps_their_data_loses_nothing(person: Person):
    person.says("Will Bitcoin be above $55k by the end of the month?")
    person.waits_for(lambda message: "Show votes" in message.buttons)
    person.says("/deleteme")
    person.presses("Keep")
    person.is_answered()
    person.presses("Show votes")
    person.reads("Votes")
