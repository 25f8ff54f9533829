"""The documents that each chart is drawn from, and what a missing one means."""

from __future__ import annotations

import re
from threading import Event

import pytest

from bot import charts, rate_limiter
from bot.charts.sheet import DARK, LIGHT
from bot.languages import speaking, translate
from bot.messages.formats import LIKELIHOODS
from bot.photos import default_period, period_start
from tests.bot.conftest import QUESTION, TURNOUT, refusing

PERIODS = ["24 h", "7 d", "30 d", "All"]


@pytest.fixture
def stage(start):
    """A bot whose charts follow their pages."""
    return start(charts_follow=True)


@pytest.fixture
def busy(start):
    """A bot that draws only what is requested."""
    return start()


@pytest.fixture
def chart_owner(busy, drawn):
    """A person who has the price of Bitcoin and then its chart."""
    ann = busy.person()
    ann.says("/price btc")
    assert drawn == []
    ann.presses("Chart")
    assert ann.newest.is_photo
    return ann


def test_a_chart_is_titled_in_english(ann, drawn):
    """Its other words are English, and its font has no Chinese letters; the caption is in the person's language."""
    ann.language = "zh"
    ann.says(QUESTION)
    ann.presses("图表")
    likelihood, _, chance = drawn[-1][5].partition(": ")
    assert likelihood in LIKELIHOODS
    assert chance.endswith("%")
    with speaking("zh"):
        assert ann.newest.plain.startswith(f"{translate(likelihood)}：")


@pytest.mark.parametrize(("ahead_h", "period"), {24: "24h", 25: "7d", 24 * 30: "30d", 24 * 300: "30d"}.items())
def test_a_chart_looks_as_far_back_as_its_question_ahead(ahead_h, period):
    """Others than those of answers show a week. The clock of a replay is not ours."""
    assert default_period("answer", {"understood": {"horizon_hours": ahead_h}}) == period
    assert default_period("price", None) == "7d"
    assert period_start("2024-03-08T12:00:00Z", "7d") == "2024-03-01T12:00:00Z"
    assert period_start("2024-03-08T12:00:00Z", "all") is None


@pytest.mark.parametrize(
    ("pattern", "code", "labels", "drawing"),
    [
        ("/api/v1/forecasts/", "unavailable", ["Chart"], lambda values: values[4] is None),
        ("interval=5m", "invalid_request", ["Chart", "24 h"], lambda values: values[3]["step_s"] == 3600),
    ],
    ids=["no forecast", "no bars of five minutes"],
)
def test_a_price_is_drawn_from_what_there_is(start, web, drawn, pattern, code, labels, drawing):
    """Alone without a forecast, as while a market is closed; by the hour where a source has no shorter bars."""
    ann = start(refusing(web, pattern, 503 if code == "unavailable" else 400, code)).person()
    ann.says("/price btc")
    ann.presses(*labels)
    assert drawing(drawn[-1])
    assert ann.newest.is_photo


def test_a_market_is_drawn_as_its_answer_of_now(busy, drawn):
    """With the price of now, the pool's latest probability, and the fan up to the deadline."""
    ann = busy.person()
    ann.says("/markets")
    ann.presses("1. …", "Chart")
    _, answer, quote, *_ = drawn[-1]
    assert answer["understood"]["spot"] == quote["price"]
    assert 0 < answer["p_yes"] < 1


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
    if fault == "drawing":
        for name in ("price", "answer"):
            monkeypatch.setattr(charts, name, lambda *_values: 1 / 0)
    elif fault == "sending":
        monkeypatch.setattr(rate_limiter, "PAUSES_S", (0, 0))
        for _ in range(rate_limiter.ATTEMPTS):
            ann.stage.telegram.refuse("sendPhoto", "Bad Gateway", 502)
    else:
        monkeypatch.setattr("bot.photos.BARS", dict.fromkeys(["24h", "7d", "30d", "all"], "9w"))
        monkeypatch.setattr("bot.service.MOST_BARS", 0)
    ann.says(text)
    (reply,) = ann.messages
    assert "USD" in reply.plain
    assert f"a chart was not {'drawn' if fault == 'drawing' else 'sent'}" in caplog.text
    assert ann.says("/help")


def test_a_question_is_closed_before_its_chart(ann, store, monkeypatch):
    """A bot that is killed while it draws has delivered the answer, and the person can ask again."""
    askers, open_questions = ann.stage.state.askers, []

    def draw(*_values):
        open_questions.append((store.open_questions(), set(askers)))
        return b"\x89PNG"

    monkeypatch.setattr(charts, "answer", draw)
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


def test_a_question_without_a_price_has_no_chart(ann):
    assert "Chart" not in ann.says("Will Bitcoin outperform gold this week?").buttons
    assert len(ann.messages) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "labels"), [("/price btc", PERIODS), ("/forecast btc", PERIODS[:3]), (QUESTION, PERIODS)]
)
def test_a_period_replaces_the_photo(busy, drawn, command, labels):
    """The same message shows every period, with the chosen one marked; the caption changes with it."""
    ann = busy.person()
    ann.says(command)
    ann.presses("Chart")
    photo, count = ann.newest, len(ann.messages)
    assert [label.strip("· ") for label in photo.buttons] == labels
    for label in labels:
        ann.presses(next(key for key in photo.buttons if key.strip("· ") == label), on=photo)
        assert f"· {label} ·" in photo.buttons
    assert len(ann.messages) == count
    assert len({repr(values) for values in drawn[1:]}) == len(labels)


@pytest.mark.parametrize(
    ("reason", "label", "photos"),
    [("message to edit not found", "30 d", [True, True]), ("message is not modified", "· 7 d ·", [True])],
)
def test_a_period_of_a_deleted_photo_is_a_new_one(chart_owner, caplog, reason, label, photos):
    """A photo that did not change is no error."""
    chart_owner.stage.telegram.refuse("editMessageMedia", f"Bad Request: {reason}")
    chart_owner.presses(label)
    assert [reply.is_photo for reply in chart_owner.messages] == [False, *photos]
    assert "refused" not in caplog.text


@pytest.mark.parametrize("data", ["chart:price:btc", "chart:forecast:btc", "chart:forecast:btc.all"])
def test_an_old_button_of_a_chart_works(chart_owner, drawn, data):
    """One without a period, or with one that the chart does not have, shows the usual period."""
    chart_owner.sends_data(data, chart_owner.newest)
    assert drawn[-1][-2] == "7d"


def test_the_theme_is_each_persons_own(busy, drawn):
    ann, ben = busy.person(), busy.person()
    reply = ann.says("/settings")
    assert "· Light ·" in reply.buttons
    ann.presses("Dark")
    assert "· Dark ·" in reply.buttons
    for person in (ann, ben):
        person.says("/price btc")
        person.presses("Chart")
    assert [values[-1] for values in drawn] == [DARK, LIGHT]


def test_drawing_does_not_delay_other_chats(busy, monkeypatch):
    """While a chart is drawn, others are answered; the next chart waits for its turn."""
    may_finish, starts = Event(), []

    def slow(*_values):
        starts.append(1)
        assert may_finish.wait(60)
        return b"\x89PNG"

    monkeypatch.setattr(charts, "price", slow)
    ann, ben = busy.person(), busy.person()
    photos = [(person, person.says("/price btc")) for person in (ann, ben)]
    for person, reply in photos:
        person.presses("Chart", on=reply, settle=False)
    busy.wait_for(lambda: starts)
    assert "/quota" in ben.says("/help", settle=False).plain
    ben.says("/price gold", settle=False)
    busy.wait_for(lambda: "Gold" in ben.newest.plain)
    assert starts == [1]
    may_finish.set()
    busy.settle()
    assert starts == [1, 1]
    assert [reply.is_photo for reply in (ann.newest, ben.newest)] == [True, True]


def test_a_card_opens_what_it_shows_for_others(ann, ben):
    ann.says(QUESTION)
    _, card = ann.messages
    assert "now 53,212 USD" in card.plain
    assert "SIMULATED" in card.plain
    ben.says(f"/start {link_of(card)}")
    assert TURNOUT in ben.messages[0].plain
    ann.says("/markets")
    page = ann.presses("1. …")
    ann.presses("Chart", on=page)
    card = ann.newest
    assert card.is_photo
    assert card.plain.startswith("Yes ")
    assert "\nnow " in card.plain
    assert "SIMULATED" in card.plain
    assert page.plain.split("\n")[0] == ben.says(f"/start {link_of(card)}").plain.split("\n")[0]


def link_of(card) -> str:
    """What the link of a caption starts the bot with."""
    return re.search(r'href="https://t.me/ninefold_bot\?start=([\w-]+)"', card.text)[1]


def test_a_chart_stays_in_its_topic_and_makes_no_sound(stage, ann, group, drawn):
    """In a forum it belongs below the message whose button was pressed; below an answer it is silent."""
    member = stage.person(group)
    stage.telegram.topics[group] = {17}
    ann.says("/price btc")
    assert [values["disable_notification"] for name, values in stage.telegram.calls if name == "sendPhoto"] == [True]
    topic = {"message_thread_id": 17, "is_topic_message": True}
    page = member.says("/price btc", **topic)
    message = member.message({"text": page.plain, **topic}) | {"message_id": page.id}
    member.press(page.buttons["Chart"], message=message)
    for method in ("sendPhoto", "sendChatAction"):
        values = [values for name, values in stage.telegram.calls if name == method][-1]
        assert values["message_thread_id"] == 17
