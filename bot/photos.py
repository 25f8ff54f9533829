"""Every chart that can be requested: reading its documents, drawing it, writing the caption, and sending the photo."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from telegram import Update
from telegram.constants import ChatAction, ChatType
from telegram.error import TelegramError

from bot import charts, keyboards, messages, updates
from bot.charts import THEMES
from bot.context import BotContext
from bot.delivery import reply
from bot.keyboards import ALL_TIME, CHART_PERIODS, LENGTHS, Page, opening
from bot.languages import SOURCE, spoken
from bot.messages.oracle import headline
from bot.service import Document, Service
from service.client import ClientError, NotFound, Unavailable

BARS = {"24h": "5m", "7d": "1h", "30d": "1h", ALL_TIME: "1d"}
LOG = logging.getLogger(__name__)


class ChartRequest(NamedTuple):
    """A request for a chart: the `subject` is what it shows, such as an asset.

    `answer` is that of a question, `address` opens what is shown in the bot.
    """

    service: Service
    subject: str
    period: str
    answer: Document | None = None
    address: str | None = None


# A caption, and the function that draws the chart from these values and a theme.
ChartPlan = tuple[str, Callable[..., bytes], tuple]


async def price(request: ChartRequest) -> ChartPlan:
    """The price of an asset, and its forecast."""
    prices, quote, candles, forecast = await _documents(request, request.subject)
    caption = messages.prices.price_caption(prices, quote, forecast)
    return caption, charts.price, (prices, quote, candles, forecast, request.period)


async def forecast(request: ChartRequest) -> ChartPlan:
    """The forecast of an asset's price as far as the period is long."""
    document = await request.service.forecast(request.subject)
    prices, quote, candles, _ = await _documents(request, request.subject)
    caption = messages.prices.forecast_caption(document, request.period)
    return caption, charts.forecast, (prices, quote, candles, document, request.period)


async def answer(request: ChartRequest) -> ChartPlan:
    """The price, the level and the deadline of an answered question, and the forecast until then."""
    document = request.answer
    assert document is not None  # the button of an expired answer makes no request
    _, quote, candles, forecast = await _documents(request, document["understood"]["asset"])
    title = spoken(SOURCE, lambda: headline(document))  # charts are English, and their font has no Chinese
    caption = messages.prices.answer_caption(document, request.address)
    return caption, charts.answer, (document, quote, candles, forecast, title)


async def market(request: ChartRequest) -> ChartPlan:
    """A market as a question that the AI answers now."""
    entry = await request.service.market(request.subject)
    prices, pool = await request.service.prices(), entry["ai_now"] or entry["ai"]
    if pool is None:
        raise LookupError(f"the AI has not voted on {request.subject}")
    spot = next(quote["price"] for quote in prices["prices"] if quote["asset"] == entry["asset"])
    document = {"understood": entry["understood"] | {"spot": spot}, "p_yes": pool["p_yes"], "consensus": None}
    document |= {"world": prices["world"], "as_of": prices["as_of"]}
    return await answer(request._replace(answer=document))


def period_start(as_of: str, period: str) -> str | None:
    """The first instant of the period that ends at `as_of`, in the API's format; None for all time."""
    if period not in LENGTHS:
        return None
    return (datetime.fromisoformat(as_of) - LENGTHS[period]).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def default_period(kind: str, answer: Document | None) -> str:
    """The period of a chart until another one is chosen; for an answer about as long as the question looks ahead."""
    if answer is not None:
        horizon = timedelta(hours=answer["understood"]["horizon_hours"])
        return next((period for period, length in LENGTHS.items() if horizon <= length), "30d")
    return "7d" if "24h" in CHART_PERIODS[kind] else ALL_TIME


async def _documents(request: ChartRequest, asset: str) -> tuple[Document, Document, Document, Document | None]:
    """The prices of all assets, that of one asset, its bars over the period, and its forecast if there is one."""
    service = request.service
    prices = await service.prices()
    quote = next((quote for quote in prices["prices"] if quote["asset"] == asset), None)
    if quote is None:
        raise LookupError(f"there is no price of {asset}")
    since = period_start(prices["as_of"], request.period)
    candles = await service.candles(asset, BARS[request.period], since)
    return prices, quote, candles, await forecast_of(service, asset)


async def forecast_of(service: Service, asset: str) -> Document | None:
    """The forecast of an asset; None where there is none now."""
    try:
        return await service.forecast(asset)
    except (NotFound, Unavailable):
        return None


PHOTOS: dict[str, Callable[[ChartRequest], Awaitable[ChartPlan]]] = {
    chart.__name__: chart for chart in (price, forecast, answer, market)
}


async def send(update: Update, context: BotContext, kind: str, argument: str, *, is_silent: bool = False) -> None:
    """Send a chart as a new message."""
    await updates.message(update).reply_chat_action(ChatAction.UPLOAD_PHOTO)
    await reply(context.bot, update, await photo(update, context, kind, argument), is_silent=is_silent)


async def follow(update: Update, context: BotContext, page: Page) -> None:
    """Send the chart that belongs to a page below it, without a second sound; if that fails, the page stands alone.

    In a group the page has only its button: Telegram allows twenty messages a minute there.
    """
    if page.chart is None or updates.chat(update).type != ChatType.PRIVATE or context.state.drawing.is_busy:
        return
    try:
        await send(update, context, *page.chart, is_silent=True)
    except (ClientError, TelegramError) as error:
        LOG.warning("a chart was not sent: %s", error)
    except Exception:
        LOG.exception("a chart was not drawn")


async def photo(update: Update, context: BotContext, kind: str, argument: str, period: str | None = None) -> Page:
    """A chart in the person's theme; a chart of kind "answer" has the token of a saved answer as its argument."""
    state, answer = context.state, None
    if kind == "answer":
        payload = await asyncio.to_thread(state.store.find, updates.chat(update).id, argument)
        answer = payload and payload["answer"]
    theme = THEMES[await asyncio.to_thread(state.store.setting, updates.user_id(update), "theme") or "light"]
    if period not in CHART_PERIODS[kind]:
        period = default_period(kind, answer)
    address = opening(context.bot.username, kind, argument)
    caption, draw, values = await PHOTOS[kind](ChartRequest(state.service, argument, period, answer, address))
    picture = await state.drawing.draw(draw, *values, theme)
    return Page(caption, keyboards.chart(kind, argument, period), picture=picture)
