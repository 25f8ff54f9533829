"""The sentiment of the headlines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.languages import translate, translate_plural
from bot.languages.punctuation import enumerated
from bot.messages.formats import change_arrow, decimal, direction_arrow, footer, signed_decimal
from bot.messages.markup import escaped, message
from bot.messages.terms import term

HEADLINES_SHOWN = 8
ADDRESSES = ("https://", "http://")


def news(pulse: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """Direction and score of the last day's stories, the trending topics, and the newest headlines."""
    direction = translate("News: {direction}", direction=escaped(term(pulse["direction"]), 40))
    score = translate("score {score}", score=signed_decimal(pulse["score"], 2))
    failures = list(pulse["failed"].items())[:3]
    blocks = [
        f"<b>{direction_arrow(pulse['direction'])} {direction}</b> · {score}",
        _stories(pulse["n"]),
        _topics(pulse),
        *(_headline(headline) for headline in pulse["headlines"][:HEADLINES_SHOWN]),
        *(
            translate("No news from {source}: {reason}", source=escaped(source, 60), reason=escaped(reason, 120))
            for source, reason in failures
        ),
    ]
    return message(blocks, footer(pulse, now))


def _stories(number: int) -> str:
    if not number:
        return translate("No stories in the last 24 hours.")
    count = translate_plural("{n} story in the last 24 hours.", "{n} stories in the last 24 hours.", number)
    return f"{count} {translate('The score is between -1 and 1.')}"


def _topics(pulse: Mapping[str, Any]) -> str:
    mentions = enumerated(
        f"{escaped(topic['term'], 60)} ({decimal(topic['mentions'], 0)})" for topic in pulse["topics"][:5]
    )
    if not mentions:
        return ""
    if pulse["topics_basis"] == "rising":
        return translate("More often than usual: {topics}", topics=mentions)
    return translate("Named most often: {topics}", topics=mentions)


def _headline(headline: Mapping[str, Any]) -> str:
    title = escaped(headline["title"], 300)
    if headline["url"] and headline["url"].startswith(ADDRESSES):
        title = _linked(headline["url"], title)
    source = (
        f"<i>{escaped(headline['source'], 60)}{' · ' + translate('SIMULATED') if headline['simulated'] else ''}</i>"
    )
    return f"\n{change_arrow(headline['score'])} {title}\n{source}"


def _linked(url: str, title: str) -> str:
    """The title as a link; a URL that is too long is left out, since a shortened one leads nowhere."""
    address = escaped(url, 500)
    return title if address.endswith("…") else f'<a href="{address}">{title}</a>'
