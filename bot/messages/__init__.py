"""Every text of the bot: pure functions from the API's documents to Telegram's HTML."""

from bot.messages.alerts import alerts, digest
from bot.messages.apex import brain, flipped, fund
from bot.messages.battle import lane, lane_event, lanes
from bot.messages.captions import caption
from bot.messages.challenges import (
    CHALLENGES_A_PAGE,
    ask_deadline,
    ask_question,
    bad_deadline,
    challenge,
    challenges,
    confirm,
    created,
    resolved,
)
from bot.messages.deletion import confirm_deletion, deleted
from bot.messages.failures import failure
from bot.messages.hospital import hospital, snapshot
from bot.messages.leaderboard import strategy, top
from bot.messages.markup import CAPTION, LIMIT
from bot.messages.news import news
from bot.messages.oracle import VOTES_A_PAGE, answer, busy, progress, quota, votes, waiting
from bot.messages.predictions import MARKETS_A_PAGE, accuracy, markets
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
    "ask_deadline",
    "ask_question",
    "bad_deadline",
    "brain",
    "busy",
    "caption",
    "challenge",
    "challenge_in_private",
    "challenges",
    "confirm",
    "confirm_deletion",
    "created",
    "deleted",
    "digest",
    "expired",
    "failure",
    "flipped",
    "fund",
    "help_text",
    "hospital",
    "lane",
    "lane_event",
    "lanes",
    "markets",
    "news",
    "nothing_to_cancel",
    "privacy",
    "progress",
    "quota",
    "resolved",
    "snapshot",
    "start",
    "strategy",
    "streaks",
    "top",
    "unknown_command",
    "votes",
    "waiting",
]
