"""The Research message: a line for each part of the paper trading and of the track record, linked to its page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from bot.languages import TEXTS, english, enumerated, labelled, translate, translate_plural
from bot.messages.formats import (
    Document,
    chance,
    change_arrow,
    direction_arrow,
    footer,
    signed_decimal,
    signed_percent,
    term,
)
from bot.messages.markup import escaped, message, table
from bot.messages.predictions import verdict

MAX_ENTRIES = 5  # strategies that /top lists
STATUSES = {"healthy": "▲", "watch": "■", "sick": "▼", "critical": "✗", "observation": "·"}
APEX = english("Apex is the service's own model: it joins eight kinds of signals into one forecast for Bitcoin.")


class ResearchTopic(NamedTuple):
    """A part: the method of the service that reads it, its page, its line, and what its words mean."""

    method: str
    page: str
    line: Callable[[Document], str]
    meaning: str


def lanes(battle: Document) -> str:
    """The lanes in one sentence: the total, the best and the worst."""
    by_name = {lane["name"]: lane for lane in battle["lanes"]}
    summary = battle["summary"]
    extremes = [
        f"{rank} {escaped(term(by_name[name]['label']), 60)} {signed_percent(by_name[name]['pnl_pct'])}"
        for rank, name in ((translate("best"), summary["best_lane"]), (translate("worst"), summary["worst_lane"]))
        if name in by_name
    ]
    holding = translate("holding {gain}", gain=signed_percent(summary["benchmark_pnl_pct"]))
    results = enumerated([signed_percent(summary["pnl_pct"]), holding, *extremes])
    return f"{change_arrow(summary['pnl_pct'])} {translate('Paper accounts')} {results}"


def top(leaderboard: Document) -> str:
    """The best strategies over all assets."""
    rows = [(signed_percent(entry["pnl_pct"]), entry["name"]) for entry in leaderboard["entries"][:MAX_ENTRIES]]
    title = translate("Best of {n} strategies over all assets", n=leaderboard["count"])
    return f"{title}\n{table(rows, '>6', '<27') if rows else translate('No strategy has traded yet.')}"


def hospital(snapshot: Document) -> str:
    """How many strategies are in each state of health."""
    counts = Counter(strategy["status"] for strategy in snapshot["strategies"])
    names = [*filter(counts.get, STATUSES), *(name for name in counts if name not in STATUSES)]
    states = (f"{STATUSES.get(name, '?')} {counts[name]} {escaped(term(name), 40)}" for name in names[:6])
    return labelled(
        translate("Check of strategies {month}", month=escaped(snapshot["snapshot_month"], 40)), enumerated(states)
    )


def streaks(document: Document) -> str:
    """The longest run of right answers, of live votes once there are some."""
    rows = sorted(document["streaks"], key=lambda row: (row["backfilled"], -row["best"]))
    row = next((row for row in rows if row["resolved"]), None)
    if row is None:
        return translate("Nothing is resolved yet.")
    name = translate("Consensus") if row["voter"] == "consensus" else escaped(row["voter"], 40)
    return translate_plural(
        "Right in a row: {voter} {n} time, now {current}",
        "Right in a row: {voter} {n} times, now {current}",
        row["best"],
        voter=name,
        current=row["current"],
    )


def brain(status: Document) -> str:
    """The forecast of apex."""
    up, down = chance(status["vote"]["bull_probability"] / 100), chance(status["vote"]["bear_probability"] / 100)
    hours = translate_plural("Bitcoin in {n} hour", "Bitcoin in {n} hours", status["horizon_hours"])
    forecast = translate("Up {up} · down {down}", up=up, down=down)
    return f"{direction_arrow(status['vote']['direction'])} {labelled(f'Apex, {hours}', forecast)}"


def fund(document: Document) -> str:
    """The gain of the virtual fund, and that of a constant half in Bitcoin."""
    gain, benchmark = signed_percent(document["pnl_pct"]), signed_percent(document["benchmark"]["pnl_pct"])
    half = translate("Always half in Bitcoin: {gain}.", gain=benchmark)
    return f"{change_arrow(document['pnl_pct'])} {labelled(translate('The virtual fund of Apex'), gain)}. {half}"


def news(pulse: Document) -> str:
    """The score of the news."""
    score = signed_decimal(pulse["score"], 2)
    text = translate_plural(
        "Bitcoin news score {score} ({n} story)", "Bitcoin news score {score} ({n} stories)", pulse["n"], score=score
    )
    return f"{direction_arrow(pulse['direction'])} {text}"


TOPICS = {
    "lanes": ResearchTopic("battle", "lanes", lanes, english("A paper account follows one rule and holds no money.")),
    "top": ResearchTopic("leaderboard", "hospital", top, english("The best of many can look good by chance alone.")),
    "hospital": ResearchTopic("hospital", "hospital", hospital, english("Every strategy is examined once a month.")),
    "accuracy": ResearchTopic(
        "ai_vs_market",
        "accuracy",
        verdict,
        english("“Backfilled” answers were made later, with only what was known at their time."),
    ),
    "streaks": ResearchTopic("streaks", "accuracy", streaks, english("Luck alone makes such runs too.")),
    "brain": ResearchTopic("apex", "apex", brain, APEX),
    "fund": ResearchTopic("fund", "apex", fund, APEX),
    "news": ResearchTopic("news", "", news, english("The score is between -1 and 1.")),
}

# /words: what the words of the bot mean.
GLOSSARY = (*TEXTS["glossary"], *dict.fromkeys(topic.meaning for topic in TOPICS.values()))


def research(documents: Mapping[str, Document], home: str, *, now: datetime | None = None) -> str:
    """The line of each topic that was read, with a link below the address `home`; the only one has its meaning below.

    Telegram has no link to an address of the own machine: `home` is then empty.
    """
    links = {name: f' <a href="{escaped(home)}/#/{topic.page}">↗</a>' if home else "" for name, topic in TOPICS.items()}
    lines = [f"{TOPICS[name].line(document)}{links[name]}" for name, document in documents.items()]
    if len(documents) == 1:
        lines.append(translate(TOPICS[next(iter(documents))].meaning))
    newest = max(documents.values(), key=lambda document: document["as_of"])
    return message([f"<b>{translate('Research')}</b>", *lines], footer(newest, now, paper=True))
