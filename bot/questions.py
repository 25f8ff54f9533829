"""Handlers of questions and of the buttons below answers."""

from __future__ import annotations

import asyncio
import re

from telegram import Update

from bot import answering, updates
from bot.context import BotContext
from bot.delivery import acknowledge, reply
from bot.intents import ask_voters, handle_text
from bot.keyboards import Page
from bot.languages import translate
from bot.messages import notices


async def ask(update: Update, context: BotContext) -> Page | None:
    """/ask QUESTION"""
    if not context.argument:
        return Page(translate(notices.QUESTION_MISSING))
    return await handle_text(update, context, context.argument)


async def ask_by_text(update: Update, context: BotContext) -> Page | None:
    """Plain text or a caption in a private chat is a question."""
    return await handle_text(update, context, updates.text(update))


async def ask_in_group(update: Update, context: BotContext) -> Page | None:
    """In a group, a text that mentions the bot or replies to it is a question; any other is none of its business.

    A mention alone asks what the message says that it replies to.
    """
    message, mention = updates.message(update), f"@{context.bot.username}"
    text = re.sub(re.escape(mention) + r"\b", "", updates.text(update), flags=re.IGNORECASE)
    original = message.reply_to_message
    is_reply = original is not None and original.from_user is not None and original.from_user.id == context.bot.id
    if text == updates.text(update) and not is_reply:
        return None
    switches = await asyncio.to_thread(context.store.group_switches, updates.chat(update).id)
    if switches["commands_only"] == "on":
        return None
    original_text = updates.words(original) if original is not None and not is_reply else ""
    if question := text.strip() or original_text:
        return await handle_text(update, context, question)
    return Page(translate(notices.QUESTION_MISSING))


async def ask_again(update: Update, context: BotContext) -> None:
    """[Ask again]: it counts for the person who presses it, unless no new price would change the answer."""
    payload = await context.payload(update, context.captures[0])
    await acknowledge(updates.press(update))
    answer, prices = payload["answer"], await context.service.prices()
    as_of = {quote["asset"]: quote["as_of"] for quote in prices["prices"]}
    if answer["world"] == prices["world"] and answer["as_of"] == as_of.get(answer["understood"]["asset"]):
        same = payload | {"answer": answer | {"cached": True}}
        user, (token,) = updates.user_id(update), context.captures
        await reply(context.bot, update, await answering.payload_page(context.state, user, same, token))
    else:
        await ask_voters(update, context, answer["question"])


async def ask_listed(update: Update, context: BotContext) -> None:
    """[Ask 1] and so on: another reading of an answered question, or a suggestion of a refusal."""
    token, number = context.captures
    payload = await context.payload(update, token)
    await acknowledge(updates.press(update))
    await ask_voters(update, context, payload["listed"][int(number) - 1])


async def show_votes(update: Update, context: BotContext) -> Page:
    """[Show votes] and its pages, in place."""
    page, token = context.captures
    return answering.votes_page(await context.payload(update, token), token, int(page))


async def show_answer(update: Update, context: BotContext) -> Page:
    """[Answer]: back from the votes to the consensus, in place."""
    (token,) = context.captures
    payload = await context.payload(update, token)
    return await answering.payload_page(context.state, updates.user_id(update), payload, token)


async def open_shared(update: Update, context: BotContext, token: str) -> Page:
    """A link to an answer that another person shared: the answer without their quota, kept in this chat too."""
    shared_payload = await asyncio.to_thread(context.store.find_shared, token)
    if shared_payload is None or "answer" not in shared_payload:
        return Page(translate(notices.EXPIRED))
    user, chat = updates.user_id(update), updates.chat(update).id
    payload = {name: value for name, value in shared_payload.items() if name not in ("quota", "asker")}
    own_token = await asyncio.to_thread(context.store.keep, chat, "answer", payload, user_id=payload.get("owner", user))
    return await answering.payload_page(context.state, user, payload, own_token)


async def reopen(update: Update, context: BotContext) -> None:
    """A number of /mine: the person's own answer again, with what became known since."""
    user = updates.user_id(update)
    answer = await context.service.for_user(user).answer(context.captures[0])
    await acknowledge(updates.press(update))
    page = await answering.saved_page(context.state, updates.chat(update).id, user, {"answer": answer})
    await reply(context.bot, update, page)
