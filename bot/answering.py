"""The way of a question to its delivered answer, which neither a network error nor a restart of the bot interrupts.

A question is stored until its answer is delivered. A quick answer is the only message; for a slower one a waiting
message counts the votes and then becomes the answer.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass

from telegram import Bot
from telegram.error import TelegramError

from bot import keyboards, messages, telemetry
from bot.context import BotContext, SharedState
from bot.delivery import Address, Reply, edit, typing
from bot.errors import failure_page
from bot.keyboards import Page, sharing
from bot.languages import speaking, translate
from bot.messages import notices
from bot.messages.oracle import has_price
from bot.service import Document, Person
from bot.store import OpenQuestion
from service.client import BadRequest as RefusedQuestion
from service.client import Conflict, ConnectionFailed, HistoryPending, TimedOut

LOG = logging.getLogger(__name__)

# An interrupted question that the service does not answer now stays open for the next pass.
UNCERTAIN = (Conflict, ConnectionFailed, TimedOut)  # the service may have counted the question and be answering it
INTERRUPTIONS = (*UNCERTAIN, HistoryPending)
VOTERS = 9  # shown until the service names the voters
GRACE_S = 1.0  # an answer within this time needs no waiting message
# Telegram allows one edit a second in a private chat and twenty messages a minute in a group.
PRIVATE_S, GROUP_S = 4.0, 8.0
MAX_AGE_S = 3600  # an older interrupted question is not asked any more: its "today" may be over
# Between the calls for the same answer: the service finishes it in at most a minute.
BUSY_PAUSES_S = (0.5, 1, 2, 4, 8, 15, 30)


@dataclass
class VoteCount:
    """How many voters have voted, and how many have not abstained."""

    voters: int = VOTERS
    votes: int = 0

    def add(self, event: Document) -> None:
        """Count one event of the answer's stream."""
        if event["event"] == "question":
            self.voters, self.votes = len(event["voters"]), 0
        self.voters -= event["event"] == "abstention"
        self.votes += event["event"] == "vote"

    @property
    def text(self) -> str:
        return messages.oracle.progress(self.votes, self.voters) if self.votes else messages.oracle.waiting(self.voters)


async def answer(context: BotContext, question: OpenQuestion, asker: str | None) -> Page:
    """Ask the voters, deliver the answer and return it; `asker` is the person's name in a group, else None.

    The question stays stored if Telegram cannot be reached; `finish_interrupted` then delivers the answer.
    """
    state = context.state
    reply, began = _reply(context, question), time.perf_counter()
    count, is_answered = VoteCount(), asyncio.Event()
    async with _typing(context.bot, question):
        display = asyncio.create_task(_show_waiting(state, question, reply, count, is_answered))
        try:
            page = await _answer_page(state, question, count, asker)
        except UNCERTAIN:
            page = None
        is_answered.set()
        await display
    if page is None:  # the question stays open, and its answer is delivered later
        page = Page(translate(notices.DELAY))
        await reply.deliver(page)
        if reply.message_id is not None:
            await asyncio.to_thread(state.store.set_waiting, question.number, reply.message_id)
        return page
    await reply.deliver(page)
    await asyncio.to_thread(state.store.close_question, question.number)
    telemetry.ANSWERS.observe(time.perf_counter() - began)
    return page


def _reply(context: BotContext, question: OpenQuestion) -> Reply:
    return Reply(context.bot, Address(question.chat_id, question.topic, question.quoted_id))


def _typing(bot: Bot, question: OpenQuestion) -> AbstractAsyncContextManager[None]:
    """Show the typing status in a private chat; in a group each such call would count against its limit."""
    return typing(bot, question.chat_id) if question.quoted_id is None else nullcontext()


async def finish_interrupted(context: BotContext) -> None:
    """Start to deliver the answers that a restart or a lost connection kept back."""
    for question in await asyncio.to_thread(context.store.open_questions):
        context.application.create_task(_finish(context, question))


async def _finish(context: BotContext, question: OpenQuestion) -> None:
    """Deliver the answer to an interrupted question, unless another question of its person is being answered."""
    state = context.state
    if question.user_id in state.askers:
        return
    language = await asyncio.to_thread(state.store.language, question.chat_id, question.user_id)
    zone = await asyncio.to_thread(state.store.zone, question.chat_id)
    with (
        marked_as_asking(state.askers, question.user_id),
        suppress(TelegramError, *INTERRUPTIONS),
        speaking(language, zone),
    ):
        async with _typing(context.bot, question):
            page = Page(translate(notices.EXPIRY))
            if state.now().timestamp() - question.asked_at <= MAX_AGE_S:
                page = await _answer_page(state, question, VoteCount(), None, is_new=False)
            if question.waiting_id is not None:
                with suppress(TelegramError):
                    notice = Page(translate(notices.INTERRUPTION))
                    await edit(context.bot, (question.chat_id, question.waiting_id), notice)
            await _reply(context, question).show(page)
        await asyncio.to_thread(state.store.close_question, question.number)


async def _answer_page(
    state: SharedState, question: OpenQuestion, count: VoteCount, asker: str | None, *, is_new: bool = True
) -> Page:
    """The answer with its buttons, or why there is none; raises UNCERTAIN, for an old question INTERRUPTIONS."""
    person = state.service.for_user(question.user_id)
    try:
        answer = await _answer_once(person, question, count)
        payload = {"answer": answer, "quota": person.quota, "asker": asker}
        return await saved_page(state, question.chat_id, question.user_id, payload)
    except RefusedQuestion as refusal:
        return await refusal_page(state, question.chat_id, question.user_id, refusal)
    except Exception as error:
        if isinstance(error, UNCERTAIN if is_new else INTERRUPTIONS):
            raise
        return failure_page(error)


async def refusal_page(state: SharedState, chat_id: int, user_id: int, refusal: RefusedQuestion) -> Page:
    """Why a question was refused, with buttons for what the service suggests instead; an uncertain one is a guess."""
    if refusal.code == "not_a_market_question":  # mostly chatter
        return Page(messages.failures.detail_of(refusal))
    if refusal.code == "assumed_reading":
        return await choice_page(state, chat_id, user_id, refusal.suggestions)
    if not refusal.suggestions:
        return failure_page(refusal)
    head = messages.failures.refused_question(refusal)
    return await choice_page(state, chat_id, user_id, refusal.suggestions, head=head)


async def choice_page(
    state: SharedState, chat_id: int, user_id: int, texts: list[str], head: str = "", meaning: Document | None = None
) -> Page:
    """Questions in the person's words, with buttons that ask them: nothing is counted before.

    Below `head`, or as the readings of a text that leaves a choice; its `meaning` may be carried on by the next text.
    """
    meanings = await meanings_of(state.service.for_user(user_id), texts)
    market = messages.formats.world(await state.service.prices())
    guess = (meaning or meanings[0]) | {"certainty": "assumed"}
    payload = {
        "refusal": messages.oracle.choices(meanings, market, head, messages.oracle.conversions(meaning)),
        "listed": [question["canonical"] for question in meanings],
    }
    return await saved_page(state, chat_id, user_id, payload if head else payload | {"understood": guess})


async def meanings_of(person: Person, questions: Sequence[str]) -> list[Document]:
    """What the service understands by each of its own questions, which every language has words for."""
    readings = await asyncio.gather(*(person.understand(question) for question in questions))
    return [reading["understood"] for reading in readings]


async def saved_page(state: SharedState, chat_id: int, user_id: int, payload: Document) -> Page:
    """The page of a payload, which is saved for its buttons; its `owner` is the person whose question it answers."""
    payload = payload | {"owner": user_id}
    token = await asyncio.to_thread(state.store.keep, chat_id, "answer", payload, user_id=user_id)
    return await payload_page(state, user_id, payload, token)


async def payload_page(state: SharedState, user_id: int, payload: Document, token: str) -> Page:
    """An answer with its buttons as this person needs them, or a refusal with its suggestions."""
    if "refusal" in payload:
        return Page(payload["refusal"], keyboards.listed(token, len(payload["listed"])))
    answer = payload["answer"]
    text = messages.oracle.answer(answer, payload.get("quota"), payload.get("asker"))
    is_followed = await asyncio.to_thread(state.store.is_following, user_id, "answer", answer["id"])
    share = sharing(state.bot.username, "answer", token, messages.oracle.answer_brief(answer))
    chart = ("answer", token) if has_price(answer["understood"]) else None
    parts = {"is_followed": is_followed, "is_charted": chart is not None}
    return Page(text, keyboards.answer(token, share, **parts), chart)


def votes_page(payload: Document, token: str, page: int = 0) -> Page:
    """A page of the votes behind an answer."""
    pages = messages.oracle.votes(payload["answer"])
    index = min(page, len(pages) - 1)
    return Page(pages[index], keyboards.votes(token, index, len(pages)))


async def _answer_once(person: Person, question: OpenQuestion, count: VoteCount) -> Document:
    """The complete answer; after a broken connection the service gives it again, and counts it once."""
    is_repeated = False
    for pause_s in BUSY_PAUSES_S:
        try:
            return await streamed_answer(person, question.question, count, question.key)
        except Conflict:
            LOG.info("question %d is still being answered", question.number)
        except (ConnectionFailed, TimedOut):
            if is_repeated:
                raise
            is_repeated = True
        await asyncio.sleep(pause_s)
    return await streamed_answer(person, question.question, count, question.key)


async def streamed_answer(person: Person, question: str, count: VoteCount, key: str | None = None) -> Document:
    """The complete answer; the votes are counted as they arrive."""
    answer = {}
    async for event in person.ask_stream(question, key):
        answer = event
        count.add(event)
    return answer


async def _show_waiting(
    state: SharedState, question: OpenQuestion, reply: Reply, count: VoteCount, is_answered: asyncio.Event
) -> None:
    """Show the number of votes while the answer is not there; errors of Telegram are ignored."""
    interval_s = PRIVATE_S if question.chat_id > 0 else GROUP_S
    pause_s, text = GRACE_S, ""
    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(is_answered.wait(), pause_s)
        if is_answered.is_set():
            return
        pause_s = interval_s
        if count.text != text:
            text = count.text
            with suppress(TelegramError):
                await reply.show(Page(text))
        if reply.message_id is not None:
            await asyncio.to_thread(state.store.set_waiting, question.number, reply.message_id)


@contextmanager
def marked_as_asking(askers: set[int], user: int) -> Iterator[None]:
    askers.add(user)
    try:
        yield
    finally:
        askers.discard(user)
