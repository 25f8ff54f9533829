"""Questions: the waiting message, the answer in its place although something fails, and no delay for other people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from threading import Event

import pytest
from telegram import Update

from bot import answering, delivery, rate_limiter
from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.panel import VOTERS, Voter
from tests.bot.conftest import QUESTION, TURNOUT, Person, Stage, refusing
from tests.bot.fake_telegram import ME
from tests.processes import PATIENCE_S


@dataclass
class WaitingVoter:
    """A voter that votes only after `may_vote` is set, with the given reasoning."""

    voter: Voter
    may_vote: Event
    reasoning: str = "At last."

    def __getattr__(self, name: str):
        return getattr(self.voter, name)

    def forecast(self, *_inputs) -> Forecast:
        assert self.may_vote.wait(PATIENCE_S)
        return Forecast(0.5, self.reasoning)


@pytest.fixture
def no_pauses(monkeypatch) -> None:
    """The waiting message is sent before the first vote, and failed calls are repeated without a pause."""
    monkeypatch.setattr(answering, "GRACE_S", 0)
    monkeypatch.setattr(answering, "BUSY_PAUSES_S", (0, 0))
    monkeypatch.setattr(rate_limiter, "PAUSES_S", (0, 0))


@dataclass
class SlowStage:
    """A bot over a service whose fifth voter waits; Ann has asked, and her waiting message is there."""

    stage: Stage
    may_vote: Event
    ann: Person

    def finish(self) -> None:
        """Let the voter vote, and wait for everything that follows."""
        self.may_vote.set()
        self.stage.settle()
        assert TURNOUT in self.ann.messages[0].plain


@pytest.fixture
def slow(service, start, monkeypatch) -> SlowStage:
    monkeypatch.setattr(answering, "GRACE_S", 0)
    monkeypatch.setattr(answering, "PRIVATE_S", 0.01)
    monkeypatch.setattr(delivery, "TYPING_S", 0.01)
    nine, may_vote = list(VOTERS), Event()
    nine[4] = WaitingVoter(nine[4], may_vote)
    slow_runtime = replace(service.runtime, panel=replace(service.runtime.panel, voters=tuple(nine)))
    stage = start(slow_runtime.application())
    ann = stage.person()
    ann.says(QUESTION, settle=False)
    stage.wait_for(lambda: ann.newest)
    return SlowStage(stage, may_vote, ann)


@pytest.mark.parametrize("text", [QUESTION, f"/ask {QUESTION}", f"/ask@ninefold_bot\n{QUESTION}"])
def test_the_answer_replaces_the_waiting_message(ann, text, no_pauses):
    """Also where Telegram requests a wait of a second first, and shows no typing."""
    ann.stage.telegram.refuse("sendChatAction", "Bad Gateway", 502)
    ann.stage.telegram.refuse("editMessageText", "Too Many Requests: retry after 1", 429, retry_after=1)
    reply = ann.says(text)
    assert reply.read[0] == "Asking 9 voters …"
    assert "9 of 10 questions left today" in reply.text
    assert "Paper research. Not investment advice." in reply.text
    assert set(reply.buttons) == {"Show votes", "Ask again", "Chart", "Follow", "Share"}
    assert len(ann.messages) == 1


def test_a_quick_answer_comes_without_a_waiting_message(ann):
    reply = ann.says(QUESTION)
    assert reply.read == [reply.text]
    assert "editMessageText" not in ann.stage.telegram.methods()


def test_a_question_does_not_delay_other_people(slow):
    """Typing is shown while it is open, again and again."""
    telegram = slow.stage.telegram
    assert "/quota" in slow.stage.person().says("/help", settle=False).plain
    assert "Asking 9 voters" in slow.ann.newest.read[0]
    slow.stage.wait_for(lambda: telegram.methods().count("sendChatAction") > 1)
    assert {values["action"] for name, values in telegram.calls if name == "sendChatAction"} == {"typing"}
    slow.finish()


def test_the_waiting_message_counts_the_votes(slow):
    slow.stage.wait_for(lambda: slow.ann.newest.plain == "4 of 9 have voted.")
    slow.finish()
    assert len(slow.ann.messages) == 1


def test_a_person_has_one_open_question(slow):
    stage, ann, ben = slow.stage, slow.ann, slow.stage.person()
    ann.says("Will gold rise this week?", settle=False)
    stage.wait_for(lambda: len(ann.messages) == 2)
    assert "One question at a time" in ann.newest.plain
    ben.says(QUESTION, settle=False)
    stage.wait_for(lambda: ben.newest)
    assert "Asking 9 voters" in ben.newest.read[0]
    slow.finish()
    assert TURNOUT in ben.newest.plain
    assert "8 of 10" in ann.says(QUESTION).plain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("apple stock?", "not counted"),
        ("🦊" * 200, "not counted"),
        ("Will Bitcoin rise? " * 30, "569 characters; the limit is 500"),
        ("Will the Fed cut rates by December 31?", "No price decides this."),
    ],
)
def test_a_refused_question_is_explained_and_free(ann, text, words):
    """Without what only the operator or a program knows."""
    reply = ann.says(text)
    assert words in reply.plain
    assert "not counted" in reply.plain
    assert not any(word in reply.plain for word in ("Asking", "body", "ORACLE_", "seats", "language model"))
    assert ann.questions_left() == 10


def test_the_eleventh_question_of_a_day_is_refused(ann, ben):
    for _ in range(10):
        assert TURNOUT in ann.says(QUESTION).plain
    reply = ann.says(QUESTION)
    assert reply.plain == "You have used today's 10 questions. You can ask again after 00:00 UTC."
    assert "You have used today's 10 questions" in ann.says("/quota").plain
    assert TURNOUT in ben.says(QUESTION).plain


def test_ask_again_counts_for_the_person_who_presses(stage, group, store, no_pauses):
    """In a group, whose answers say whose quota it is and show no typing, which would count against its limit."""
    ann, ben = stage.person(group), stage.person(group)
    assert "Ann <b>& Co: 9 of 10 questions left today" in ann.says(f"/ask {QUESTION}").plain
    # The saved answers become answers at the bar before.
    store._write("UPDATE answer SET payload = json_set(payload, '$.answer.as_of', '2026-11-21T07:00:00Z')")
    ben.presses("Ask again")
    assert "9 of 10" in ben.newest.text
    assert "sendChatAction" not in stage.telegram.methods()


def test_ask_again_before_the_next_price_is_free(ann):
    """The answer would be the same."""
    answer = ann.says(QUESTION)
    ann.presses("Ask again")
    assert len(ann.messages) == 2
    assert "not counted" in ann.newest.plain
    assert answer.plain.splitlines()[:3] == ann.newest.plain.splitlines()[:3]
    assert ann.questions_left() == 9


def test_votes_are_shown_in_place_page_by_page(ann, ben):
    """In no other chat."""
    reply = ann.says(QUESTION)
    answer, data = reply.text, reply.buttons["Show votes"]
    ann.presses("Show votes")
    assert "momentum" in reply.text
    assert "◀" not in reply.buttons
    ann.presses("▶")
    assert "momentum" not in reply.text
    assert "▶" not in reply.buttons
    ann.presses("◀")
    assert "momentum" in reply.text
    ann.presses("Answer")
    assert reply.text == answer
    assert len(ann.messages) == 1
    other = ben.says("/help")
    ben.sends_data(data, other)
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]
    assert "momentum" not in other.text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Will Bitcoin be above $90k by the end of the month?", "1. Bitcoin above 90,000 USD, on 2026-11-30 23:59 UTC"),
        ("Will Bitcoin hit 200 at the end of the month?", "You can ask:\n1. Bitcoin reaches 200,000 USD"),
    ],
    ids=["guess", "refusal"],
)
@pytest.mark.parametrize("label", ["Ask 1", "Ask 2"])
def test_what_can_be_asked_is_shown_before_it_counts(ann, text, words, label):
    """Each reading of a guess, each suggestion of a refusal is numbered; its button asks it, and only that counts."""
    offer = ann.says(text)
    assert words in offer.plain
    assert "Nothing is counted before." in offer.plain
    assert set(offer.buttons) == {"Ask 1", "Ask 2"}
    assert ann.questions_left() == 10
    ann.presses(label)
    assert "9 of 10 questions left today" in ann.newest.plain


@pytest.mark.parametrize("text", [f"@ninefold_bot {QUESTION}", f"{QUESTION} @Ninefold_Bot"])
def test_a_mention_in_a_group_is_a_question(stage, group, text):
    reply = stage.person(group).says(text)
    assert TURNOUT in reply.plain
    assert "ninefold_bot" not in reply.plain.lower()
    assert reply.quoted


def test_a_reply_to_the_bot_in_a_group_is_a_question(stage, group):
    """Other mentions and replies are ignored."""
    member = stage.person(group)
    other = member.message({"text": "Hello."})
    assert member.says(QUESTION, reply_to_message=other) is None
    assert member.says(f"@ninefold_bots {QUESTION}") is None
    bot = member.message({"text": "An answer.", "from": ME})
    assert TURNOUT in member.says(QUESTION, reply_to_message=bot).plain
    assert "Add a question" in member.says("@ninefold_bot").plain


def test_an_update_that_comes_twice_is_one_question(ann, store):
    """Telegram repeats what it is not sure was received, also after a restart of the bot."""
    update = Update.de_json({"update_id": 7, "message": ann.message({"text": QUESTION})}, ann.stage.application.bot)
    for _ in range(2):
        ann.stage.runner.run(ann.stage.application.process_update(update))
        ann.stage.settle()
    assert len(ann.messages) == 1
    assert ann.questions_left() == 9


def breaking_off(web, pieces: int, times: int = 1):
    """The service, whose first answers end after some pieces; the head alone is sent with 0."""
    calls = []

    def app(environ, start_response):
        if environ["PATH_INFO"] != "/api/v1/oracle" or len(calls) >= times:
            return web(environ, start_response)
        calls.append(environ)
        return cut(web(environ, start_response))

    def cut(answer):
        yield b": begun\n\n"
        yield from islice(answer, pieces)
        answer.close()

    return app


@pytest.mark.parametrize(("status", "code", "calls"), [(409, "in_progress", 3), (503, "history_arriving", 1)])
def test_a_question_waits_until_the_service_answers(start, web, no_pauses, status, code, calls):
    """That of a killed bot is open without a message while it is still answered (tried twice), or history arrives."""
    stage = start(refusing(web, r"^/api/v1/oracle\?", status, code, 2 * calls, retry_after_s=40))
    ann = stage.person()
    stage.state.store.open_question(ann.id, ann.chat, None, None, QUESTION, 0)
    for _ in range(2):
        stage.work()
        assert ann.messages == []
    stage.work()
    assert TURNOUT in ann.newest.plain


def test_an_answer_needs_no_second_call_for_its_quota(start, web):
    """The quota comes with the answer's own headers, so a refused /api/v1/me changes nothing."""
    ann = start(refusing(web, r"^/api/v1/me\?")).person()
    assert "9 of 10 questions left today" in ann.says(QUESTION).plain
    assert "8 of 10 questions left today" in ann.says(QUESTION).plain


@pytest.mark.parametrize("pieces", [0, 1, 5])
def test_a_broken_call_is_repeated_and_counted_once(start, web, no_pauses, pieces):
    """The connection to the service ends after some events of the first stream; the service has finished the answer."""
    ann = start(breaking_off(web, pieces)).person()
    assert "9 of 10 questions left today" in ann.says(QUESTION).plain
    assert len(ann.messages) == 1


def test_an_uncertain_outcome_is_said_and_delivered_later(start, web, no_pauses):
    """The connection ends twice; the question may have been counted, so nothing else is claimed."""
    stage = start(breaking_off(web, 5, times=2))
    ann = stage.person()
    reply = ann.says(QUESTION)
    assert "may have been counted" in reply.plain
    stage.work()
    assert "was interrupted" in reply.plain
    assert TURNOUT in ann.newest.plain
    assert ann.questions_left() == 9
    assert stage.state.store.open_questions() == []


def test_an_answer_that_cannot_be_edited_in_is_a_new_message(ann, no_pauses):
    for _ in range(rate_limiter.ATTEMPTS):
        ann.stage.telegram.refuse("editMessageText", "Bad Gateway", 502)
    ann.says(QUESTION)
    assert len(ann.messages) == 2
    assert TURNOUT in ann.newest.plain


def test_an_answer_follows_when_telegram_is_back(ann, store, monkeypatch):
    """It was stored by the service, so it is not asked and not counted again."""
    monkeypatch.setattr(rate_limiter, "PAUSES_S", (0, 0))
    for _ in range(2 * rate_limiter.ATTEMPTS):
        ann.stage.telegram.refuse("sendMessage", "Bad Gateway", 502)
    ann.says(QUESTION)
    assert ann.messages == []
    ann.stage.work()
    assert TURNOUT in ann.newest.plain
    assert store.open_questions() == []
    assert ann.questions_left() == 9


def test_a_question_of_a_killed_bot_is_answered_at_its_start(ann, store):
    """Its waiting message does not stay, and the person is told."""
    message = ann.says("/help")
    question = store.open_question(ann.id, ann.chat, None, None, QUESTION, 0)
    store.set_waiting(question.number, message.id)
    ann.stage.work()
    assert "was interrupted" in message.plain
    assert TURNOUT in ann.newest.plain
    assert ann.newest.id != message.id
    ann.stage.work()
    assert len(ann.messages) == 2


def test_an_old_interrupted_question_is_not_asked(ann, store, clock):
    """Its "today" may be over."""
    store.open_question(ann.id, ann.chat, None, None, QUESTION, 0)
    clock.wall += timedelta(hours=2).total_seconds()
    ann.stage.work()
    assert "Ask again" in ann.newest.plain
    assert store.open_questions() == []
