"""Handlers of what a person follows, whose alerts go to the private chat, also when a group's button was pressed."""

from __future__ import annotations

import asyncio
from datetime import datetime
from html import unescape

from telegram import Update
from telegram.constants import ChatType

from bot import answering, keyboards, messages, updates
from bot.context import BotContext, Expired
from bot.keyboards import Page, Popup
from bot.languages import translate
from bot.service import Document
from bot.store import Follow, Target
from bot.store.follows import MAX_FOLLOWS
from service.client import BadRequest

MOST_TIMES = 10  # a level that is so many times higher or lower than the price is a slip of the pen


async def follow_by_text(update: Update, context: BotContext) -> Page:
    """/follow btc 70000; alone it shows what the person follows."""
    if not context.argument:
        return await context.view(update, "following")
    try:
        reading = await context.person(update).understand(f"alert {context.argument}")
    except BadRequest:
        return Page(messages.follows.bad_follow())
    return await alert_page(update, context, reading)


async def alert_page(update: Update, context: BotContext, reading: Document) -> Page:
    """Follow the level that a text names; a passed one is offered the other way round, a missing one is asked for."""
    prices = await context.service.prices()
    quotes = {quote["asset"]: quote for quote in prices["prices"]}
    quote, level = quotes.get(reading["asset"]), reading["level"]
    if quote is None or reading["intent"] != "alert":
        return Page(messages.follows.bad_follow())
    footer, spot, side = messages.formats.footer(prices), quote["price"], 1 if reading["side"] == "above" else -1
    if reading["level_pct"] is not None:
        level = spot * (1 + reading["level_pct"] / 100)
    asset, goal = reading["asset"], f" {level:.10g} USD" if level else ""
    size = "" if reading["level_pct"] is None else f" {reading['level_pct']:+g}%"
    await context.remember(update, {"canonical": f"alert {asset}{size or goal}", "alert": asset})
    if reading["level_pct"] is not None and reading["side"] is None:  # "moves 5%"
        levels = [messages.prices.level_with_arrow(way, spot) for way in (2 * spot - level, level)]
        return Page(f"{messages.follows.ask_level(asset)}\n{footer}", keyboards.rows(keyboards.bells(asset, levels)))
    if level is None:
        page = await context.view(update, "price", asset)
        return page._replace(text=f"{messages.follows.ask_level(asset)}\n{page.text}", chart=None)
    if not 1 / MOST_TIMES < level / spot < MOST_TIMES:
        return Page(f"{messages.follows.strange_level(asset, level, spot)}\n{footer}")
    if side * (level - spot) <= 0:
        bells = keyboards.bells(asset, [messages.prices.level_with_arrow(level, spot)])
        return Page(f"{messages.follows.passed_level(asset, level, spot)}\n{footer}", keyboards.rows(bells))
    target = _price_target(quote, level)
    text, follow = await _follow(update, context, target)
    if follow is None:
        return Page(text)
    follows = await asyncio.to_thread(context.store.follows_of, updates.user_id(update))
    others = {item.target.level: item.number for item in follows if item.target[:2] == target[:2] and item != follow}
    text = messages.follows.alert_set(target, quote, [*others], is_move=bool(size))
    return Page(f"{text}\n{footer}", keyboards.terms(follow.number, 0, others, repeats=follow.repeats))


async def press_follow(update: Update, context: BotContext) -> Popup:
    """[Follow] and [Following] below an answer, a market or a challenge."""
    verb, kind, reference = context.captures
    target = await _target(update, context, kind, reference)
    user = updates.user_id(update)
    if verb == "unfollow":
        await asyncio.to_thread(context.store.unfollow, user, target.kind, target.subject)
        text = translate(messages.follows.END_OF_FOLLOW)
    else:
        text, _ = await _follow(update, context, target)
    is_private = updates.chat(update).type == ChatType.PRIVATE
    return Popup(text, await _page(update, context, kind, reference) if is_private else None)


async def press_level(update: Update, context: BotContext) -> Popup:
    """A level of a price, or in percent of a market's probability."""
    kind, subject, text = context.captures
    if kind == "price":
        prices = (await context.service.prices())["prices"]
        target = _price_target(next(quote for quote in prices if quote["asset"] == subject), float(text))
    else:
        market = await context.service.market(subject)
        latest = market["ai_now"] or market["ai"]
        p = latest and latest["p_yes"]
        target = Target("chance", subject, float(text) / 100, title=messages.predictions.question(market), value=p)
    return Popup((await _follow(update, context, target))[0])


async def set_terms(update: Update, context: BotContext) -> Page:
    """When an alert ends, and whether it comes again, in the message that confirmed it."""
    number, days, repeats = map(int, context.captures)
    user, is_repeated = updates.user_id(update), bool(repeats)
    if not await asyncio.to_thread(context.store.change_follow, user, number, days, repeats=is_repeated):
        raise Expired(number)
    return Page(updates.message(update).text_html, keyboards.terms(number, days, repeats=is_repeated))


async def drop(update: Update, context: BotContext) -> Popup:
    """A number of /following: it ends."""
    await asyncio.to_thread(context.store.drop_follow, updates.user_id(update), int(context.captures[0]))
    page = await context.view(update, "following")
    return Popup(translate(messages.follows.END_OF_FOLLOW), page, is_alert=False)


async def end_all(update: Update, context: BotContext) -> Popup:
    """[Delete] below what a person follows, all or about one asset."""
    await asyncio.to_thread(context.store.drop_follows, updates.user_id(update), context.captures[0])
    return Popup(translate(messages.follows.END_OF_FOLLOW), await context.view(update, "following"), is_alert=False)


async def _follow(update: Update, context: BotContext, target: Target) -> tuple[str, Follow | None]:
    """Follow a target; returns what the person reads, and the follow."""
    user = updates.user_id(update)
    follow = await asyncio.to_thread(context.store.follow, user, user, target)
    return messages.follows.followed(target) if follow else messages.follows.follows_too_much(MAX_FOLLOWS), follow


async def _target(update: Update, context: BotContext, kind: str, reference: str) -> Target:
    """What a button stands for."""
    if kind == "market":
        market = await context.service.market(reference)
        latest = market["ai_now"]
        return Target(
            "market", reference, title=messages.predictions.question(market), value=latest and latest["p_yes"]
        )
    payload = await context.payload(update, reference)
    answer = payload["answer"]
    due = datetime.fromisoformat(answer["understood"]["deadline"]).timestamp()
    owner = payload.get("owner", updates.user_id(update))
    title = unescape(messages.oracle.topic(answer))
    return Target("answer", answer["id"], title=title, due=due, owner_id=owner)


async def _page(update: Update, context: BotContext, kind: str, reference: str) -> Page:
    """The page again whose [Follow] was pressed."""
    if kind != "answer":
        return await context.view(update, kind, reference)
    payload = await context.payload(update, reference)
    return await answering.payload_page(context.state, updates.user_id(update), payload, reference)


def _price_target(quote: Document, level: float) -> Target:
    """A level of a price, which is reached by what comes after the price of now."""
    due = datetime.fromisoformat(quote["as_of"]).timestamp()
    return Target("price", quote["asset"], level, value=quote["price"], due=due)
