"""Every text of the bot: pure functions from the API's documents to Telegram's HTML."""

from bot.messages.alerts import alerts, digest
from bot.messages.apex import brain, flipped, fund
from bot.messages.battle import lane, lane_event, lanes
from bot.messages.challenges import (
    CHALLENGES_A_PAGE,
    ask_deadline,
    ask_question,
    bad_deadline,
    bad_question,
    challenge,
    challenges,
    confirm,
    created,
    resolved,
)
from bot.messages.deletion import confirm_deletion, deleted
from bot.messages.failures import failure
from bot.messages.follows import (
    answer_resolved,
    bad_follow,
    chance_followed,
    chance_reached,
    followed,
    following,
    follows_too_much,
    market_resolved,
    price_followed,
    price_reached,
    sides_changed,
    unfollowed,
)
from bot.messages.forecasts import forecast, forecasts
from bot.messages.formats import asset as asset_name
from bot.messages.groups import group_settings, weekly
from bot.messages.hospital import hospital, snapshot
from bot.messages.leaderboard import strategy, top
from bot.messages.live_challenges import live_challenge
from bot.messages.markup import CAPTION, LIMIT
from bot.messages.news import news
from bot.messages.oracle import (
    VOTES_A_PAGE,
    answer,
    answer_brief,
    ask_inline,
    busy,
    inline_question,
    progress,
    quota,
    readings,
    votes,
    waiting,
)
from bot.messages.own_page import bad_name, forecast_noted, forecasters, named, own_page
from bot.messages.predictions import MARKETS_A_PAGE, accuracy, chance_levels, markets, one_market
from bot.messages.prices import find_asset, one_price, price_levels, priced_asset, prices
from bot.messages.start import (
    challenge_in_private,
    expired,
    help_text,
    nothing_to_cancel,
    privacy,
    start,
    unknown_command,
)
from bot.messages.streaks import streaks

__all__ = [
    "CAPTION",
    "CHALLENGES_A_PAGE",
    "LIMIT",
    "MARKETS_A_PAGE",
    "VOTES_A_PAGE",
    "accuracy",
    "alerts",
    "answer",
    "answer_brief",
    "answer_resolved",
    "ask_deadline",
    "ask_inline",
    "ask_question",
    "asset_name",
    "bad_deadline",
    "bad_follow",
    "bad_name",
    "bad_question",
    "brain",
    "busy",
    "challenge",
    "challenge_in_private",
    "challenges",
    "chance_followed",
    "chance_levels",
    "chance_reached",
    "confirm",
    "confirm_deletion",
    "created",
    "deleted",
    "digest",
    "expired",
    "failure",
    "find_asset",
    "flipped",
    "followed",
    "following",
    "follows_too_much",
    "forecast",
    "forecast_noted",
    "forecasters",
    "forecasts",
    "fund",
    "group_settings",
    "help_text",
    "hospital",
    "inline_question",
    "lane",
    "lane_event",
    "lanes",
    "live_challenge",
    "market_resolved",
    "markets",
    "named",
    "news",
    "nothing_to_cancel",
    "one_market",
    "one_price",
    "own_page",
    "price_followed",
    "price_levels",
    "price_reached",
    "priced_asset",
    "prices",
    "privacy",
    "progress",
    "quota",
    "readings",
    "resolved",
    "sides_changed",
    "snapshot",
    "start",
    "strategy",
    "streaks",
    "top",
    "unfollowed",
    "unknown_command",
    "votes",
    "waiting",
    "weekly",
]
