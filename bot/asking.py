"""A question on its way: a message that counts the votes as they come, and the answer in its place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from telegram import Message, Update
from telegram.constants import ChatType

from bot import keyboards, messages
from bot.context import Context
from bot.failing import told_in
from bot.keyboards import Page
from bot.messages import notices
from bot.sending import acknowledge, beside, edit, replace, reply, type_in
from bot.service import Document, Person

VOTERS = 9  # until the service says how many
# Telegram takes an edit a second in a private chat and twenty messages a minute in a group.
PRIVATE_S, GROUP_S = 4.0, 8.0


@dataclass
class Count:
    """How many have voted, of those who have not abstained."""

    voters: int = VOTERS
    voted: int = 0

    def note(self, event: Document) -> None:
        """Count what an event says."""
        if event["event"] == "question":
            self.voters = len(event["voters"])
        self.voters -= event["event"] == "abstention"
        self.voted += event["event"] == "vote"


async def ask(update: Update, context: Context) -> None:
    """/ask QUESTION"""
    question = " ".join(context.args)
    if not question:
        await reply(update, Page(notices.ask_what()))
        return
    await _answer(update, context, question)


async def plain(update: Update, context: Context) -> None:
    """Plain text in a private chat."""
    await _answer(update, context, update.effective_message.text)


async def again(update: Update, context: Context) -> None:
    """[Ask again], whoever presses it."""
    found = await kept(update, context, context.match[1])
    if found is None:
        return
    await acknowledge(update.callback_query)
    await _answer(update, context, found["told"]["question"])


async def votes(update: Update, context: Context) -> None:
    """[Show votes] and its pages, in place."""
    token = context.match[2]
    found = await kept(update, context, token)
    if found is None:
        return
    await acknowledge(update.callback_query)
    pages = messages.votes(found["told"])
    place = min(int(context.match[1]), len(pages) - 1)
    await replace(update, Page(pages[place], keyboards.votes(token, place, len(pages))))


async def back(update: Update, context: Context) -> None:
    """[Answer], from the votes to what they came to."""
    token = context.match[1]
    found = await kept(update, context, token)
    if found is None:
        return
    await acknowledge(update.callback_query)
    await replace(update, Page(messages.answer(found["told"], found["usage"]), keyboards.answer(token)))


async def kept(update: Update, context: Context, token: str) -> Document | None:
    """What was kept in this chat under a token; None, and the person knows, when it has expired."""
    found = await asyncio.to_thread(context.store.find, update.effective_chat.id, token)
    if found is None:
        await acknowledge(update.callback_query, messages.expired(), is_alert=True)
    return found


async def _answer(update: Update, context: Context, question: str) -> None:
    user, chat = update.effective_user.id, update.effective_chat
    asking = context.rooms.asking
    if user in asking:
        await reply(update, Page(messages.busy()))
        return
    with _one_of(asking, user):
        waiting = await reply(update, Page(messages.waiting(VOTERS)))
        async with told_in(waiting), beside(type_in(chat)):
            person = context.service.for_user(user)
            told = await _followed(person, question, waiting)
            usage = await person.usage()
            payload = {"told": told, "usage": usage}
            token = await asyncio.to_thread(context.store.keep, chat.id, "answer", payload, user_id=user)
            await edit(waiting, Page(messages.answer(told, usage), keyboards.answer(token)))


async def _followed(person: Person, question: str, waiting: Message) -> Document:
    """The whole answer; until it is there `waiting` counts the votes, seldom enough for Telegram."""
    count, told = Count(), {}
    async with beside(_show(count, waiting)):
        async for event in person.ask_stream(question):
            told = event
            count.note(event)
    return told


async def _show(count: Count, waiting: Message) -> None:
    """Tell how many have voted, whenever more have."""
    pace, shown = PRIVATE_S if waiting.chat.type == ChatType.PRIVATE else GROUP_S, 0
    while True:
        await asyncio.sleep(pace)
        if count.voted > shown:
            shown = count.voted
            await edit(waiting, Page(messages.progress(shown, count.voters)))


@contextmanager
def _one_of(asking: set[int], user: int) -> Iterator[None]:
    asking.add(user)
    try:
        yield
    finally:
        asking.discard(user)
