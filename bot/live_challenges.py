"""Challenges in groups: each is a message that is edited when votes come in and when it is resolved."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from telegram import Update
from telegram.error import BadRequest, Forbidden, TelegramError
from telegram.helpers import create_deep_linked_url

from bot import messages
from bot.context import BotContext
from bot.delivery import edit, is_gone, reply
from bot.keyboards import Page, link, opening, rows, yes_no
from bot.languages import speaking, translate
from bot.messages import notices
from bot.messages.follows import CHALLENGE
from bot.store import LiveMessage
from service.client import ClientError, NotFound

if TYPE_CHECKING:
    from bot.service import Document

LOG = logging.getLogger(__name__)

EVERY_S = 6.0  # a message is edited at most once in this time; a group may get twenty messages a minute
UNLISTED_MIN = 30


async def post(update: Update, context: BotContext) -> Page | None:
    """/challenge 17 in a group, or a link that posts it there; without a number, the way to write one."""
    number = context.argument.removeprefix("challenge_")
    if not number.isdecimal():
        address = create_deep_linked_url(context.bot.username, "new")
        return Page(translate(notices.CHALLENGE_IN_PRIVATE), rows(link("Open our chat", address)))
    challenge = await context.service.market(f"{CHALLENGE}{number}")
    message = await reply(context.bot, update, _page(context, challenge))
    live = LiveMessage(message.chat_id, message.message_id, challenge["number"], _state(challenge))
    await asyncio.to_thread(context.store.show_live, live)
    return None


async def refresh(context: BotContext, number: int | None = None) -> None:
    """Bring the messages of a challenge up to date after a vote, or all: other programs vote, challenges are resolved.

    Of all messages, those of open challenges are looked at; others are looked up in one of UNLISTED_MIN minutes.
    """
    lives = await asyncio.to_thread(context.store.live_messages, number)
    if lives and number is None:
        try:
            still_open = {challenge["number"] for challenge in (await context.service.challenges())["challenges"]}
        except ClientError:
            return
        turn = context.state.now().minute % UNLISTED_MIN
        lives = [live for live in lives if live.number in still_open or live.number % UNLISTED_MIN == turn]
    for live in lives:
        if live[:2] not in context.state.live_edits:
            context.application.create_task(_follow(context, live))


async def _follow(context: BotContext, live: LiveMessage) -> None:
    """Edit a message until it shows the state of its challenge."""
    edits = context.state.live_edits
    if live[:2] in edits:
        return
    edits.add(live[:2])
    try:
        while (state := await _shown(context, live)) is not None:
            live = live._replace(state=state)
            await asyncio.sleep(EVERY_S)
    except NotFound:
        await asyncio.to_thread(context.store.drop_live, live)
    except (ClientError, TelegramError) as error:
        LOG.info("a live challenge will be shown later: %s", error)
    finally:
        edits.discard(live[:2])


async def _shown(context: BotContext, live: LiveMessage) -> str | None:
    """Edit a message once; returns what it shows then, or None if there is nothing more to do now."""
    challenge = await _challenge(context, live.number)
    state = _state(challenge)
    if state == live.state:
        return None
    with speaking(await asyncio.to_thread(context.store.language, live.chat_id)):
        page = _page(context, challenge)
    try:
        await edit(context.bot, live[:2], page)
    except (BadRequest, Forbidden) as error:
        if isinstance(error, Forbidden) or is_gone(error):
            await asyncio.to_thread(context.store.drop_live, live)
        return None
    if challenge["resolution"]["outcome"]:
        await asyncio.to_thread(context.store.drop_live, live)
        return None
    await asyncio.to_thread(context.store.show_live, live._replace(state=state))
    return state


async def _challenge(context: BotContext, number: int) -> Document:
    """A challenge from the list of the open ones, which all messages share, else by itself."""
    document = await context.service.challenges()
    entry = next((challenge for challenge in document["challenges"] if challenge["number"] == number), None)
    return entry | {"world": document["world"]} if entry else await context.service.market(f"{CHALLENGE}{number}")


def _state(challenge: Document) -> str:
    """What an edit would show: the votes of people and of the AI, and the status."""
    votes, pool, outcome = challenge["user_votes"], challenge["ai"], challenge["resolution"]["outcome"]
    return f"{challenge['status']} {outcome} {votes['yes']} {votes['no']} {pool and pool['p_yes']}"


def _page(context: BotContext, challenge: Document) -> Page:
    number, is_open = challenge["number"], challenge["status"] == "open"
    address = opening(context.bot.username, "challenge", str(number))
    votes = yes_no(f"challenge:{number}") if is_open else []
    return Page(messages.challenges.live_challenge(challenge), rows(votes, link("Open in the bot", address)))
