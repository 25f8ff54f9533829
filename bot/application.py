"""The bot's composition root: every handler, in the order in which updates are matched, and what outlives a restart."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
from telegram import LinkPreviewOptions, Update, ext
from telegram.constants import ParseMode
from telegram.ext import Application, CallbackQueryHandler, CommandHandler, MessageHandler, TypeHandler, filters
from telegram.request import BaseRequest, HTTPXRequest

from bot import (
    alerts,
    answering,
    buttons,
    challenges,
    chat_settings,
    commands,
    errors,
    follows,
    inline,
    intents,
    keyboards,
    telemetry,
)
from bot.alerts.delivery import send_queue
from bot.commands import Handler, shown
from bot.context import BotContext, SharedState
from bot.keyboards import CHART_PERIODS, PERIODS
from bot.messages import notices
from bot.messages.research import GLOSSARY, TOPICS
from bot.rate_limiter import ChatOrder, ChatRateLimiter
from bot.service import Service
from bot.settings import BotSettings
from bot.store import Store
from bot.updates import SkippingRequest
from bot.views import VIEWS
from service.client import ClientError, Unauthorized

LOG = logging.getLogger(__name__)
WATCH_S = 60
# The groups of handlers before all others.
COUNT, LANGUAGE, THROTTLE = -3, -2, -1

NEW = filters.UpdateType.MESSAGE  # an edited message is not handled a second time
PRIVATE = filters.ChatType.PRIVATE & NEW
GROUP = filters.ChatType.GROUPS & NEW
WORDS = filters.TEXT | filters.CAPTION

VIEW_COMMANDS = ("price", "forecast", "markets", "challenges", "me", "forecasters", "quota", "settings", "research")
VIEW_COMMANDS += tuple(TOPICS)
FIXED_REPLIES = {"help": notices.HELP, "privacy": notices.PRIVACY, "words": GLOSSARY}
PRIVATE_COMMANDS = {"start", "stop", "alerts", "follow", "following", "name", "deleteme", "privacy", "mine"}
PRIVATE_COMMANDS |= {*VIEW_COMMANDS}
# What a press of each button does, by the pattern of its data; the handler gets the captured groups.
PRESSES = {
    rf"show:({'|'.join(VIEWS)}):([\w.-]*)\.(\d+)": buttons.show,
    rf"chart:({'|'.join(CHART_PERIODS)}):([\w-]*)(?:\.({'|'.join(PERIODS)}))?": buttons.chart,
    r"votes:(\d+):([\w-]+)": buttons.show_votes,
    r"answer:question:([\w-]+)": buttons.show_answer,
    r"answer:inline:([\w-]+)": inline.press_answer,
    r"again:question:([\w-]+)": buttons.ask_again,
    r"ask:listed:([\w-]+)\.(\d)": buttons.ask_listed,
    r"reopen:answer:([\w-]+)": buttons.reopen,
    r"open:market:([\w-]+)\.(\d)": buttons.open_market,
    r"(yes|no):market:([\w-]+)\.(\d)": buttons.vote_market,
    r"(yes|no):challenge:(\d+)": buttons.vote_challenge,
    r"forecast:market:([\w.-]+):(\d\d?)": buttons.forecast_market,
    r"deadline:draft:([\w-]+)\.(\d+)": challenges.choose_deadline,
    r"create:draft:([\w-]+)": challenges.create,
    r"discard:draft:([\w-]+)": challenges.discard,
    r"(follow|unfollow):(market|answer):([\w.-]+)": follows.press_follow,
    r"level:(price|chance):([\w.-]+):(\d+(?:\.\d+)?)": follows.press_level,
    r"drop:follow:(\d+)": follows.drop,
    r"end:follows:(\w*)": follows.end_all,
    r"terms:follow:(\d+)\.(\d+)\.([01])": follows.set_terms,
    r"set:([a-z_]+):([\w/-]*)": chat_settings.choose,
    r"(delete|keep):me:all": buttons.delete_or_keep,
}
# The next press waits for these.
IN_ORDER = (chat_settings.choose, follows.set_terms, challenges.create, challenges.discard)


def handlers() -> list[ext.BaseHandler]:
    """Every handler; the first that matches an update handles it alone."""
    return [
        _command("challenge", challenges.begin, PRIVATE),
        _command("start", challenges.begin, PRIVATE & filters.Regex(r"^/start\s+new$")),
        _command("start", buttons.open_link, PRIVATE & filters.Regex(keyboards.LINK)),
        # What groups get for the commands that work only in a private chat.
        MessageHandler(filters.StatusUpdate.MIGRATE, chat_settings.group_moved),
        _command("settings", chat_settings.group_settings, GROUP),
        _command("challenge", challenges.post, GROUP),
        _command("start", challenges.post, GROUP & filters.Regex(keyboards.POST_LINK)),
        _command(sorted(PRIVATE_COMMANDS - chat_settings.IN_GROUPS), commands.private_command_in_group, GROUP),
        _command("ask", intents.ask),
        MessageHandler(GROUP & WORDS & ~filters.COMMAND, shown(intents.ask_in_group), block=False),
        *(_command(name, commands.view_command(name)) for name in VIEW_COMMANDS),
        _command("mine", commands.view_command("me")),
        _command("language", chat_settings.choose_by_text),
        _command("start", commands.fixed_reply(notices.START, keyboard=keyboards.start), block=True),
        *(_command(name, commands.fixed_reply(*texts), block=True) for name, texts in FIXED_REPLIES.items()),
        _command("alerts", chat_settings.alerts, block=True),
        _command("stop", chat_settings.stop, block=True),
        _command(["follow", "following"], follows.follow_by_text),
        _command("name", commands.name_forecaster),
        _command(
            "deleteme", commands.fixed_reply(notices.CONFIRM_DELETION, keyboard=keyboards.delete_or_keep), block=True
        ),
        MessageHandler(PRIVATE & filters.COMMAND, shown(commands.fixed_reply(notices.UNKNOWN_COMMAND))),
        MessageHandler(PRIVATE & WORDS, shown(intents.ask_by_text), block=False),
        MessageHandler(PRIVATE & ~filters.StatusUpdate.ALL, shown(commands.fixed_reply(notices.TEXT_ONLY))),
        ext.InlineQueryHandler(inline.offer, block=False),
        ext.ChosenInlineResultHandler(inline.chosen, block=False),
        *(CallbackQueryHandler(shown(press), f"^{data}$", block=press in IN_ORDER) for data, press in PRESSES.items()),
        CallbackQueryHandler(shown(buttons.expired)),
        ext.ChatMemberHandler(commands.membership_changed, ext.ChatMemberHandler.MY_CHAT_MEMBER),
    ]


def _command(
    names: str | list[str], handler: Handler, place: filters.BaseFilter = NEW, *, block: bool = False
) -> CommandHandler:
    return CommandHandler(names, shown(handler), place, block=block)


def build(
    settings: BotSettings,
    *,
    request: BaseRequest | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Application:
    """The bot, ready to run; `request` is the connection to Telegram, `transport` the one to the service."""
    store = Store(settings.bot_data / "bot.sqlite", now)
    service = Service(settings, transport=transport, now=now)
    jobs = ext.JobQueue()
    builder = (
        ext.ApplicationBuilder()
        .token(settings.telegram_bot_token)
        .base_url(settings.telegram_url)
        .rate_limiter(ChatRateLimiter())
        .context_types(ext.ContextTypes(context=BotContext))
        .defaults(ext.Defaults(parse_mode=ParseMode.HTML, link_preview_options=LinkPreviewOptions(is_disabled=True)))
        .concurrent_updates(ChatOrder())
        .job_queue(jobs)
        .post_init(_prepare)
        .post_shutdown(_close)
    )
    if request is not None:
        builder = builder.request(request)
    builder = builder.get_updates_request(SkippingRequest(request or HTTPXRequest(connection_pool_size=1)))
    application = builder.build()
    application.bot_data["state"] = SharedState(service, store, now, application.bot)
    application.add_handler(TypeHandler(Update, telemetry.count), group=COUNT)
    application.add_handler(TypeHandler(Update, chat_settings.recognize), group=LANGUAGE)
    application.add_handler(TypeHandler(Update, commands.throttle), group=THROTTLE)
    application.add_handlers(handlers())
    application.add_error_handler(errors.handle)
    # Without a time of its own, the first run would be counted from here and due a minute after the start.
    at_start = {"next_run_time": datetime.now(UTC), "misfire_grace_time": None}
    jobs.run_repeating(_watch, WATCH_S, job_kwargs=at_start)
    jobs.run_repeating(_publish_menus, WATCH_S, job_kwargs=at_start)
    return application


async def _prepare(application: Application) -> None:
    LOG.info("@%s answers", application.bot.username)
    application.bot_data["check"] = asyncio.create_task(_check_key(application.bot_data["state"]))


async def _check_key(state: SharedState) -> None:
    """Say in the log at once that the service rejects the bot's key; the start waits for no service."""
    try:
        await state.service.for_user(0).usage()
    except Unauthorized as error:
        LOG.error("the service rejects BOT_ORACLE_KEY, so that no question can be asked: %s", error)
    except ClientError as error:
        LOG.warning("the service does not answer yet: %s", error)


async def _close(application: Application) -> None:
    state: SharedState = application.bot_data["state"]
    await state.service.close()
    state.drawing.close()
    await asyncio.to_thread(state.store.close)


async def _publish_menus(context: BotContext) -> None:
    """Set the command menus; again each minute, until Telegram has taken all of them. Nobody waits for them."""
    await chat_settings.publish(context.bot)
    if context.job:
        context.job.schedule_removal()


async def _watch(context: BotContext) -> None:
    """One pass over interrupted questions and live challenges, each in its own task, and over alerts."""
    await answering.finish_interrupted(context)
    await challenges.refresh(context)
    await alerts.watch(context.service, context.store, context.state.now())
    if not context.state.delivery.locked():
        context.application.create_task(_deliver(context))


async def _deliver(context: BotContext) -> None:
    """Send the queue of alerts; a long queue does not delay the next pass of the watcher."""
    async with context.state.delivery:
        await send_queue(context.bot, context.store, lambda: context.application.running)
