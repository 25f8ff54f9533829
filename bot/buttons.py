"""Handlers of links, and of the buttons of views, charts, votes and /deleteme; others belong to their own modules."""

from __future__ import annotations

import asyncio

from telegram import Update
from telegram.constants import ChatType

from bot import answering, challenges, messages, photos, updates
from bot.context import BotContext
from bot.delivery import acknowledge, replace, reply
from bot.intents import ask_voters
from bot.keyboards import Page, Popup
from bot.languages import translate
from bot.messages import notices
from bot.messages.follows import CHALLENGE
from bot.service import Document


async def open_link(update: Update, context: BotContext) -> Page:
    """/start challenge_17 and so on: a link to a view, or to an answer that another person shared.

    That is shown without their quota, and kept in this chat too.
    """
    kind, subject = context.captures
    if kind != "answer":
        return await context.view(update, kind, subject)
    shared_payload = await asyncio.to_thread(context.store.find, None, subject)
    if shared_payload is None or "answer" not in shared_payload:
        return Page(translate(notices.EXPIRY))
    chat, user = updates.sender(update)
    payload = {name: value for name, value in shared_payload.items() if name not in ("quota", "asker")}
    token = await asyncio.to_thread(context.store.keep, chat, "answer", payload, user_id=payload.get("owner", user))
    return await answering.payload_page(context.state, user, payload, token)


async def show(update: Update, context: BotContext) -> Page:
    """Show a view in place: reload it, turn a page or set a filter."""
    view, argument, page = context.captures
    return await context.view(update, view, argument, int(page))


async def chart(update: Update, context: BotContext) -> None:
    """[Chart]: send a photo below the message. A period below a photo: show that period in its place."""
    kind, argument, period = context.captures
    if kind == "answer":
        await context.payload(update, argument)
    await acknowledge(updates.press(update))
    if period is None:
        await photos.send(update, context, kind, argument)
    else:
        await replace(context.bot, update, await photos.photo(update, context, kind, argument, period))


async def open_market(update: Update, context: BotContext) -> Page:
    """The page of a market of the list, in place."""
    token, index = context.captures
    payload = await context.payload(update, token)
    return await context.view(update, "market", payload["markets"][int(index)])


async def vote_market(update: Update, context: BotContext) -> Popup:
    """[Yes] and [No] for a market of the page, which is then updated; the button carries the market's index on it."""
    vote, token, index = context.captures
    payload = await context.payload(update, token)
    person = context.person(update)
    notice = await _note_vote(update, context, await person.vote(payload["markets"][int(index)], vote))
    return notice._replace(page=await context.view(update, "markets", page=payload.get("page", 0)))


async def forecast_market(update: Update, context: BotContext) -> Popup:
    """A percentage on the page of a market: the person's forecast of yes."""
    market_id, percent = context.captures
    user, p_yes = updates.user_id(update), int(percent) / 100
    receipt = await context.service.for_user(user).forecast_market(market_id, p_yes)
    await asyncio.to_thread(context.store.remember_call, user, receipt["market_id"], receipt["p_yes"])
    page = await context.view(update, "market", market_id)
    return Popup(messages.own_page.forecast_noted(p_yes), page)


async def vote_challenge(update: Update, context: BotContext) -> Popup:
    """[Yes] and [No] for a challenge; the page in a private chat and the messages in groups are then updated."""
    vote, number = context.captures
    person = context.person(update)
    receipt = await person.vote(f"{CHALLENGE}{number}", vote)
    notice = await _note_vote(update, context, receipt)
    await challenges.refresh(context, int(number))
    if updates.chat(update).type != ChatType.PRIVATE:
        return notice
    return notice._replace(page=await context.view(update, "challenge", number))


async def _note_vote(update: Update, context: BotContext, receipt: Document) -> Popup:
    """Keep a vote that was counted for the pages."""
    context.service.note_votes(receipt)
    user = updates.user_id(update)
    await asyncio.to_thread(context.store.remember_call, user, receipt["market_id"], receipt["vote"])
    return Popup(notices.voted(receipt), is_alert=False)


async def ask_again(update: Update, context: BotContext) -> None:
    """[Ask again]: it counts for the person who presses it, unless no new price would change the answer."""
    payload = await context.payload(update, context.captures[0])
    await acknowledge(updates.press(update))
    answer, prices = payload["answer"], await context.service.prices()
    as_of = {quote["asset"]: quote["as_of"] for quote in prices["prices"]}
    if answer["world"] == prices["world"] and answer["as_of"] == as_of.get(answer["understood"]["asset"]):
        repeat = payload | {"answer": answer | {"cached": True}}
        user, (token,) = updates.user_id(update), context.captures
        await reply(context.bot, update, await answering.payload_page(context.state, user, repeat, token))
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


async def reopen(update: Update, context: BotContext) -> None:
    """A number of /mine: the person's own answer again, with what became known since."""
    user = updates.user_id(update)
    answer = await context.service.for_user(user).answer(context.captures[0])
    await acknowledge(updates.press(update))
    page = await answering.saved_page(context.state, updates.chat(update).id, user, {"answer": answer})
    await reply(context.bot, update, page)


async def delete_or_keep(update: Update, context: BotContext) -> Page:
    """[Delete] and [Keep] of /deleteme."""
    if context.captures[0] == "keep":
        return Page(translate(notices.NO_DELETION))
    return Page(notices.deleted(await asyncio.to_thread(context.store.forget, updates.user_id(update))))


async def expired(_update: Update, _context: BotContext) -> Popup:
    """A button that no handler knows, such as one of an earlier version of the bot."""
    return Popup(translate(notices.EXPIRY))
