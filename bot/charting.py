"""Sending charts: on request, below the page that they belong to, and in place of an earlier one."""

from __future__ import annotations

import asyncio
import logging

from telegram import Update
from telegram.constants import ChatAction, ChatType
from telegram.error import TelegramError

from bot import updates
from bot.charts import THEMES
from bot.context import BotContext
from bot.keyboards import CHART_PERIODS, Page
from bot.links import opening
from bot.photos import PHOTOS, Photo, PhotoRequest, default_period
from bot.replies import replace_photo, send_photo
from service.client import ClientError

LOG = logging.getLogger(__name__)


async def send(update: Update, context: BotContext, kind: str, argument: str) -> None:
    """Send a chart as a new message."""
    await updates.chat(update).send_action(ChatAction.UPLOAD_PHOTO)
    await send_photo(update, *await _photo(update, context, kind, argument))


async def replace(update: Update, context: BotContext, kind: str, argument: str, period: str) -> None:
    """Show a chart over another period in the message whose button was pressed."""
    await replace_photo(update, *await _photo(update, context, kind, argument, period))


async def follow(update: Update, context: BotContext, page: Page) -> None:
    """Send the chart that belongs to a page below it; if that fails, the page stands without.

    In a group the page has only its button: Telegram allows twenty messages a minute there.
    """
    if page.chart is None or updates.chat(update).type != ChatType.PRIVATE or context.state.drawing.is_busy:
        return
    try:
        await send(update, context, *page.chart)
    except (ClientError, TelegramError) as error:
        LOG.warning("a chart was not sent: %s", error)
    except Exception:
        LOG.exception("a chart was not drawn")


async def _photo(update: Update, context: BotContext, kind: str, argument: str, period: str | None = None) -> Photo:
    """A chart in the person's theme; a chart of kind "answer" has the token of a saved answer as its argument."""
    state, answer = context.state, None
    if kind == "answer":
        saved = await asyncio.to_thread(state.store.find, updates.chat(update).id, argument)
        answer = saved and saved["answer"]
    theme = THEMES[await asyncio.to_thread(state.store.chart_theme, updates.user_id(update))]
    if period not in CHART_PERIODS[kind]:
        period = default_period(kind, answer)
    address = opening(context.bot.username, kind, argument)
    return await PHOTOS[kind](
        PhotoRequest(state.service, state.drawing, theme, kind, argument, period, answer, address)
    )
