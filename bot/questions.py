"""Handlers of questions: a waiting message counts the votes as they arrive and then becomes the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from telegram import Message, Update
from telegram.constants import ChatType

from bot import keyboards, messages, updates
from bot.context import BotContext
from bot.errors import reported_in
from bot.keyboards import Page
from bot.messages import notices
from bot.replies import acknowledge, edit, in_background, replace, reply, show_typing
from bot.service import Document, Person

VOTERS = 9  # shown until the service names the voters
# Telegram allows one edit a second in a private chat and twenty messages a minute in a group.
PRIVATE_S, GROUP_S = 4.0, 8.0


@dataclass
class VoteCount:
    """How many voters have voted, and how many have not abstained."""

    voters: int = VOTERS
    voted: int = 0

    def add(self, event: Document) -> None:
        """Count one event of the answer's stream."""
        if event["event"] == "question":
            self.voters = len(event["voters"])
        self.voters -= event["event"] == "abstention"
        self.voted += event["event"] == "vote"


async def ask(update: Update, context: BotContext) -> None:
    """/ask QUESTION"""
    if not context.argument:
        await reply(update, Page(notices.question_missing()))
        return
    await _answer(update, context, context.argument)


async def ask_by_text(update: Update, context: BotContext) -> None:
    """Plain text in a private chat is a question."""
    await _answer(update, context, updates.text(update))


async def ask_again(update: Update, context: BotContext) -> None:
    """[Ask again]: it counts for the person who presses it."""
    saved = await saved_payload(update, context, context.captures[0])
    if saved is None:
        return
    await acknowledge(updates.press(update))
    await _answer(update, context, saved["answer"]["question"])


async def show_votes(update: Update, context: BotContext) -> None:
    """[Show votes] and its pages, in place."""
    page, token = context.captures
    saved = await saved_payload(update, context, token)
    if saved is None:
        return
    await acknowledge(updates.press(update))
    pages = messages.votes(saved["answer"])
    index = min(int(page), len(pages) - 1)
    await replace(update, Page(pages[index], keyboards.votes(token, index, len(pages))))


async def show_answer(update: Update, context: BotContext) -> None:
    """[Answer]: back from the votes to the consensus, in place."""
    (token,) = context.captures
    saved = await saved_payload(update, context, token)
    if saved is None:
        return
    await acknowledge(updates.press(update))
    await replace(update, Page(messages.answer(saved["answer"], saved["usage"]), keyboards.answer(token)))


async def saved_payload(update: Update, context: BotContext, token: str) -> Document | None:
    """What was saved in this chat under a button's token; once it has expired, tells the person and returns None."""
    payload = await asyncio.to_thread(context.store.find, updates.chat(update).id, token)
    if payload is None:
        await acknowledge(updates.press(update), messages.expired(), is_alert=True)
    return payload


async def _answer(update: Update, context: BotContext, question: str) -> None:
    user, chat = updates.user_id(update), updates.chat(update)
    asking = context.state.asking
    if user in asking:
        await reply(update, Page(messages.busy()))
        return
    with _marked_as_asking(asking, user):
        waiting = await reply(update, Page(messages.waiting(VOTERS)))
        async with reported_in(waiting), in_background(show_typing(chat)):
            person = context.service.for_user(user)
            answer = await _streamed_answer(person, question, waiting)
            usage = await person.usage()
            payload = {"answer": answer, "usage": usage}
            token = await asyncio.to_thread(context.store.keep, chat.id, "answer", payload, user_id=user)
            await edit(waiting, Page(messages.answer(answer, usage), keyboards.answer(token)))


async def _streamed_answer(person: Person, question: str, waiting: Message) -> Document:
    """The complete answer; until it arrives, `waiting` shows the number of votes."""
    count, answer = VoteCount(), {}
    async with in_background(_show_progress(count, waiting)):
        async for event in person.ask_stream(question):
            answer = event
            count.add(event)
    return answer


async def _show_progress(count: VoteCount, waiting: Message) -> None:
    """Write the number of votes into `waiting` when it has grown, at the pace that Telegram allows."""
    interval_s, shown = PRIVATE_S if waiting.chat.type == ChatType.PRIVATE else GROUP_S, 0
    while True:
        await asyncio.sleep(interval_s)
        if count.voted > shown:
            shown = count.voted
            await edit(waiting, Page(messages.progress(shown, count.voters)))


@contextmanager
def _marked_as_asking(asking: set[int], user: int) -> Iterator[None]:
    asking.add(user)
    try:
        yield
    finally:
        asking.discard(user)
