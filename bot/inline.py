"""Inline mode: a question typed in any chat after the bot's name becomes a card there.

An article asks the question of what was typed. Its message gets the answer when the person sends it, where Telegram
reports that, or when somebody presses its button; the question counts for that person. Nothing is asked while somebody
types. A text that asks for a price, and an empty one, are answered at once: with the price, and with earlier answers.
"""

from __future__ import annotations

import asyncio
from html import unescape

from telegram import InlineKeyboardMarkup, InlineQuery, InlineQueryResultArticle, InputTextMessageContent, Update

from bot import answering, messages, updates
from bot.context import BotContext
from bot.delivery import acknowledge, edit
from bot.errors import failure_page
from bot.intents import uncertain_readings
from bot.keyboards import Page, button, link, opening, rows
from bot.languages import SOURCE, language, translate
from bot.messages import notices
from bot.service import MAX_QUESTION, Document
from service.client import BadRequest as RefusedQuestion
from service.client import ClientError

PAUSE_S = 0.3  # after the last key before a text is read
EARLIER = 5  # answers that are offered before anything is typed
CACHE_S = 5  # Telegram gives the same person the same results for this time


async def offer(update: Update, context: BotContext) -> None:
    """What the person can send for the text typed so far."""
    query = update.inline_query
    if query is None:
        return
    latest = context.state.inline_queries
    latest[query.from_user.id] = query.id
    await asyncio.sleep(PAUSE_S)
    if latest.get(query.from_user.id) != query.id:
        return  # more was typed meanwhile
    del latest[query.from_user.id]
    try:
        articles = await _articles(context, query)
    except ClientError:
        articles = []
    await query.answer(articles, cache_time=CACHE_S, is_personal=True)


async def chosen(update: Update, context: BotContext) -> None:
    """An article was sent: its message gets the answer."""
    result = update.chosen_inline_result
    if result is None or not result.inline_message_id:
        return
    payload = await asyncio.to_thread(context.store.find, None, result.result_id)
    if payload is not None and "inline" in payload:
        await _answer(context, result.from_user.id, payload, result.result_id, result.inline_message_id)


async def press_answer(update: Update, context: BotContext) -> None:
    """[Show the answer] below a question that was sent inline; it counts for the person who presses it."""
    press, token = updates.press(update), context.captures[0]
    payload = await asyncio.to_thread(context.store.find, None, token)
    if payload is None or press.inline_message_id is None:
        await acknowledge(press, translate(notices.EXPIRY), is_alert=True)
        return
    user = press.from_user.id
    is_busy = press.inline_message_id in context.state.inline_messages or user in context.state.askers
    await acknowledge(press, translate(messages.oracle.BUSY) if is_busy else None)
    if not is_busy:
        await _answer(context, user, payload, token, press.inline_message_id)


async def _articles(context: BotContext, query: InlineQuery) -> list[InlineQueryResultArticle]:
    person, text = context.service.for_user(query.from_user.id), " ".join(query.query.split())
    if not text:
        answers = (await person.answers(limit=EARLIER))["answers"]
        pages = [await _kept(context, query.from_user.id, answer) for answer in answers]
        titles = [(unescape(messages.oracle.topic(answer)), messages.oracle.answer_brief(answer)) for answer in answers]
        return [_article(token, *title, page) for (token, page), title in zip(pages, titles, strict=True)]
    if len(text) > MAX_QUESTION:
        return []
    try:
        reading = await person.understand(text)
    except RefusedQuestion as refusal:
        return await _questions(context, query.from_user.id, refusal.suggestions)
    if reading["intent"] == "price":
        return await _price(context, reading["asset"])
    if reading["understood"] is None:
        return []
    if questions := uncertain_readings(reading["understood"]):
        return await _questions(context, query.from_user.id, questions)
    return [await _question(context, query.from_user.id, text, text)]


async def _price(context: BotContext, asset: str) -> list[InlineQueryResultArticle]:
    """The present price, if it is in the list."""
    prices = await context.service.prices()
    if asset not in {quote["asset"] for quote in prices["prices"]}:
        return []
    page = Page(messages.prices.one_price(prices, asset))
    return [_article(f"price-{asset}", messages.formats.asset(asset), "", page)]


async def _questions(context: BotContext, user: int, questions: list[str]) -> list[InlineQueryResultArticle]:
    """An article for each question of the service; in another language than English what YES means."""
    texts = questions
    if language() != SOURCE:
        meanings = await answering.meanings_of(context.service.for_user(user), questions)
        texts = [unescape(messages.oracle.dated_statement(meaning)) for meaning in meanings]
    return [await _question(context, user, *pair) for pair in zip(questions, texts, strict=True)]


async def _question(context: BotContext, user: int, question: str, text: str) -> InlineQueryResultArticle:
    """An article that asks a question and shows it as a text."""
    payload = {"inline": question, "text": text}
    token = await asyncio.to_thread(context.store.keep, user, "answer", payload, user_id=user)
    page = Page(messages.oracle.inline_question(text), _show_button(token))
    return _article(token, translate("Ask the nine voters"), text, page)


def _article(id: str, title: str, description: str, page: Page) -> InlineQueryResultArticle:
    content = InputTextMessageContent(page.text)
    return InlineQueryResultArticle(id, title, content, reply_markup=page.keyboard, description=description)


async def _answer(context: BotContext, user: int, payload: Document, token: str, message_id: str) -> None:
    """Ask the voters and show the answer in the message; after a failure its button stays."""
    state = context.state
    if message_id in state.inline_messages or user in state.askers:
        return
    state.inline_messages.add(message_id)
    try:
        with answering.marked_as_asking(state.askers, user):
            await edit(context.bot, message_id, await _page(context, user, payload, token))
    finally:
        state.inline_messages.discard(message_id)


async def _page(context: BotContext, user: int, payload: Document, token: str) -> Page:
    person = context.service.for_user(user)
    try:
        answer = await answering.streamed_answer(person, payload["inline"], answering.VoteCount())
    except Exception as error:
        failure = failure_page(error)
        text = f"{messages.oracle.inline_question(payload.get('text', payload['inline']))}\n\n{failure.text}"
        return Page(text, _show_button(token))
    return (await _kept(context, user, answer))[1]


async def _kept(context: BotContext, user: int, answer: Document) -> tuple[str, Page]:
    """The token and the page of an answer, which is saved for the person; in the bot it has all its buttons."""
    payload = {"answer": answer, "owner": user}
    token = await asyncio.to_thread(context.store.keep, user, "answer", payload, user_id=user)
    below = link("Open in the bot", opening(context.bot.username, "answer", token))
    return token, Page(messages.oracle.answer(answer), rows(below) if below else None)


def _show_button(token: str) -> InlineKeyboardMarkup:
    return rows([button("Show the answer", f"answer:inline:{token}")])
