"""Charts on request, below answers and prices, over other periods, and in the person's theme."""

from __future__ import annotations

import re
from threading import Event

import pytest

from bot import charts
from bot.charts.theme import DARK, LIGHT

QUESTION = "Will Bitcoin be above $60k by the end of the month?"
PERIODS = ["24 h", "7 d", "30 d", "All"]


@pytest.fixture
def stage(start):
    """A bot whose charts follow their pages."""
    return start(charts_follow=True)


@pytest.mark.parametrize("text", ["/price btc", "What is the price of Bitcoin?", "/forecast btc", QUESTION])
def test_a_chart_follows_the_text(ann, text):
    """The text is a message of its own and comes first."""
    ann.says(text)
    reply, photo = ann.messages
    assert not reply.is_photo
    assert photo.is_photo
    assert "SIMULATED" in photo.plain


@pytest.mark.parametrize("text", ["/price btc", QUESTION])
@pytest.mark.parametrize("fault", ["drawing", "sending", "refused"])
def test_a_text_is_not_lost_with_its_chart(ann, monkeypatch, text, fault, caplog):
    """The drawing fails, the photo is not sent, or the service refuses the bars."""

    def fail(*_values):
        raise ZeroDivisionError

    if fault == "drawing":
        for name in ("price", "answer"):
            monkeypatch.setattr(charts, name, fail)
    elif fault == "sending":
        ann.stage.telegram.refuse("sendPhoto", "Bad Gateway", 502)
    else:
        monkeypatch.setattr("bot.photos.BARS", dict.fromkeys(["24h", "7d", "30d", "all"], "9w"))
        monkeypatch.setattr("bot.service.MOST_BARS", 0)
    ann.says(text)
    (reply,) = ann.messages
    assert "USD" in reply.plain
    assert f"a chart was not {'drawn' if fault == 'drawing' else 'sent'}" in caplog.text
    assert ann.says("/help")


def test_a_question_is_closed_before_its_chart(ann, store, drawn, monkeypatch):
    """A bot that is killed while it draws has delivered the answer, and the person can ask again."""
    state = ann.stage.application.bot_data["state"]
    open_questions = []
    monkeypatch.setattr(
        charts, "answer", lambda *_: open_questions.append((store.open_questions(), set(state.asking))) or b"\x89PNG"
    )
    ann.says(QUESTION)
    assert open_questions == [([], set())]


def test_a_group_gets_a_button_instead_of_a_chart(stage, group, drawn):
    """Telegram allows twenty messages a minute in a group."""
    member = stage.person(group)
    for text in ("/price btc", "/forecast btc", f"/ask {QUESTION}"):
        assert "Chart" in member.says(text).buttons
    assert drawn == []
    member.presses("Chart")
    assert member.newest.is_photo


def test_a_busy_bot_draws_only_what_is_requested(start, drawn):
    ann = start().person()
    ann.says("/price btc")
    assert drawn == []
    ann.presses("Chart")
    assert ann.newest.is_photo


def test_a_question_without_a_price_has_no_chart(ann):
    assert "Chart" not in ann.says("Will Bitcoin outperform gold this week?").buttons
    assert len(ann.messages) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "labels"),
    [
        ("/lane trend", PERIODS),
        ("/price btc", PERIODS),
        ("/forecast btc", PERIODS[:3]),
        (QUESTION, PERIODS),
        ("/strategy macd_slow", PERIODS[1:]),
        ("/fund", PERIODS[1:]),
    ],
)
def test_a_period_replaces_the_photo(start, drawn, command, labels):
    """The same message shows every period, with the chosen one marked; the caption changes with it."""
    ann = start().person()
    ann.says(command)
    ann.presses("Chart")
    photo, count = ann.newest, len(ann.messages)
    assert [label.strip("· ") for label in photo.buttons] == labels
    for label in labels:
        ann.presses(next(key for key in photo.buttons if key.strip("· ") == label), on=photo)
        assert f"· {label} ·" in photo.buttons
    assert len(ann.messages) == count
    assert len({repr(values) for values in drawn[1:]}) == len(labels)


def test_a_period_of_a_deleted_photo_is_a_new_one(start, drawn):
    ann = start().person()
    ann.says("/fund")
    ann.presses("Chart")
    ann.stage.telegram.refuse("editMessageMedia", "Bad Request: message to edit not found")
    ann.presses("7 d")
    assert [reply.is_photo for reply in ann.messages] == [False, True, True]


def test_a_photo_that_did_not_change_is_no_error(start, drawn, caplog):
    ann = start().person()
    ann.says("/fund")
    ann.presses("Chart")
    ann.stage.telegram.refuse("editMessageMedia", "Bad Request: message is not modified")
    ann.presses("· All ·")
    assert len(ann.messages) == 2
    assert "refused" not in caplog.text


def test_an_expired_answer_has_no_chart(ann):
    ann.sends_data("chart:answer:gone.7d", ann.says("/help"))
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]


@pytest.mark.parametrize("data", ["chart:fund:", "chart:fund:.24h", "chart:forecast:btc.all"])
def test_an_old_button_of_a_chart_works(start, drawn, data):
    """One without a period, or with one that the chart does not have, shows the usual period."""
    ann = start().person()
    ann.says("/fund")
    ann.presses("Chart")
    ann.sends_data(data, ann.newest)
    assert drawn[-1][-2] == ("7d" if "forecast" in data else "all")


def test_the_theme_is_each_persons_own(start, drawn):
    ann, ben = (stage := start()).person(), stage.person()
    reply = ann.says("/settings")
    assert "· Light ·" in reply.buttons
    ann.presses("Dark")
    assert "· Dark ·" in reply.buttons
    for person in (ann, ben):
        person.says("/fund")
        person.presses("Chart")
    assert [values[-1] for values in drawn] == [DARK, LIGHT]


def test_drawing_does_not_delay_other_chats(start, monkeypatch):
    """While a chart is drawn, others are answered; the next chart waits for its turn."""
    may_finish, begun = Event(), []

    def slow(*_values):
        begun.append(1)
        assert may_finish.wait(60)
        return b"\x89PNG"

    monkeypatch.setattr(charts, "fund", slow)
    stage = start()
    ann, ben = stage.person(), stage.person()
    photos = [(person, person.says("/fund")) for person in (ann, ben)]
    for person, reply in photos:
        person.presses("Chart", on=reply, settle=False)
    stage.wait_for(lambda: begun)
    assert "/quota" in ben.says("/help", settle=False).plain
    ben.says("/price gold", settle=False)
    stage.wait_for(lambda: "Gold" in ben.newest.plain)
    assert begun == [1]
    may_finish.set()
    stage.settle()
    assert begun == [1, 1]
    assert [reply.is_photo for reply in (ann.newest, ben.newest)] == [True, True]


def test_a_card_of_an_answer_opens_it_for_others(ann, ben):
    ann.says(QUESTION)
    _, card = ann.messages
    assert "Bitcoin 53,212 USD now" in card.plain
    assert "SIMULATED" in card.plain
    reply = ben.says(f"/start {link_of(card)}")
    assert "of 9 voted" in reply.plain


def test_a_card_of_a_market_opens_it_for_others(ann, ben):
    ann.says("/markets")
    page = ann.presses("1. …")
    ann.presses("Chart")
    card = ann.newest
    assert card.is_photo
    assert card.plain.startswith("Yes ")
    assert " USD now" in card.plain
    assert "SIMULATED" in card.plain
    assert page.plain.split("\n")[0] == ben.says(f"/start {link_of(card)}").plain.split("\n")[0]


def link_of(card) -> str:
    """What the link of a caption starts the bot with."""
    return re.search(r'href="https://t.me/ninefold_bot\?start=([\w-]+)"', card.text)[1]
