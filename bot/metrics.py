"""What the bot did, for Prometheus: updates, answers, failures and alerts, beside the memory and CPU of the process."""

from __future__ import annotations

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, start_http_server
from telegram import Update

UPDATES = Counter("bot_updates_total", "Updates that Telegram sent.", ["kind"])
ANSWERS = Histogram(
    "bot_answer_seconds",
    "From a question to its delivered answer.",
    buckets=(0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60),
)
FAILURES = Counter("bot_failures_total", "Updates that ended with an error.", ["error"])
ALERTS = Counter("bot_alerts_total", "Alerts that were sent, put back or lost.", ["outcome"])
WAITING = Gauge("bot_alerts_waiting", "Alerts that were due at the last pass over the queue.")


def serve(port: int) -> None:
    """Serve the metrics at http://127.0.0.1:PORT/metrics. Raises OSError for a port that is taken."""
    start_http_server(port, "127.0.0.1", REGISTRY)


async def count(update: Update, _context: object) -> None:
    """Before every other handler: count an update by its kind."""
    UPDATES.labels(_kind(update)).inc()


def _kind(update: Update) -> str:
    if update.message is not None:
        return "command" if (update.message.text or "").startswith("/") else "message"
    if update.callback_query is not None:
        return "button"
    return "inline" if update.inline_query is not None else "other"
