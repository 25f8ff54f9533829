"""Markets, the track record, and the streaks of right answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.languages import english, translate, translate_plural
from bot.languages.punctuation import bracketed, ended, labelled
from bot.messages.formats import (
    UNKNOWN,
    as_of,
    asset,
    book_name,
    capitalized,
    chance,
    decimal,
    footer,
    instant,
    percent,
    price,
    sentence,
    signed_decimal,
    signed_percent,
    term,
    world,
)
from bot.messages.markup import escaped, message, pages, table

MARKETS_A_PAGE = 4
HOW_TO_FORECAST = english("Tap a percentage to forecast yes. Only you see it until the market is decided.")
NO_VERDICT = "not enough resolved markets"  # the API's verdict
ACCURACY = {"percent": "accuracy_pct", "low": "accuracy_low_pct", "high": "accuracy_high_pct"}
FORECASTERS = ((english("AI"), "ai"), (english("market"), "market"), (english("base rate"), "base_rate"))
MIN_N = 30  # resolved questions below which an accuracy is not shown
COLUMNS = ("<9", ">4", ">5", ">7", ">5")


def markets(
    document: Mapping[str, Any], own_votes: Mapping[str, str] | None = None, *, now: datetime | None = None
) -> list[str]:
    """The open markets in the API's order, numbered from 1, MARKETS_A_PAGE to a page; own votes are by market id."""
    own = own_votes or {}
    blocks = [market(number, entry, own.get(entry["id"])) for number, entry in enumerate(document["markets"], 1)]
    tail = footer(document, now)
    if not blocks:
        return [message([translate("No market is open right now. New markets open every day at 12:00 UTC.")], tail)]
    head = translate_plural("<b>{n} open market</b>", "<b>{n} open markets</b>", document["count"])
    return pages(blocks, MARKETS_A_PAGE, head, tail)


def one_market(entry: Mapping[str, Any]) -> str:
    """The page of a market: what all sides give it now, how it will be settled, and how it was."""
    outcome, latest = entry["resolution"]["outcome"], entry["ai_now"]
    own_vote, own_forecast = entry["my_vote"], entry["my_forecast"]
    votes = [
        _ai(entry["ai"]),
        translate("AI now {chance}", chance=chance(latest["p_yes"])) if latest else "",
        outside_odds(entry["market_odds"]),
        user_votes(entry["user_votes"], own_vote and own_vote["vote"]),
    ]
    blocks = [
        f"<b>{escaped(entry['question'], 800)}</b>",
        translate("Yes: {votes}", votes=" · ".join(part for part in votes if part)),
        translate("Your forecast: yes {chance}", chance=chance(own_forecast["p_yes"])) if own_forecast else "",
        _facts(entry),
        translate("Resolved: {outcome}", outcome=escaped(term(outcome), 20)) if outcome else "",
        translate("Evidence: {evidence}", evidence=sentence(entry["resolution"]["evidence"], 400)) if outcome else "",
        translate("Rule: {rule}", rule=sentence(entry["resolution"]["rule"], 400)) if not outcome else "",
        translate(HOW_TO_FORECAST) if entry["status"] == "open" else "",
    ]
    latest_at = entry["resolution"]["resolved_at"] or (latest and latest["as_of"]) or entry["created_at"]
    return message(blocks, f"<i>{world(entry)} · {as_of(latest_at)}</i>\n{translate('Not investment advice.')}")


def _facts(entry: Mapping[str, Any]) -> str:
    """The asset, its price, the end of the market, and whether it was backfilled."""
    parts = [
        asset(entry["asset"]),
        translate("now {price}", price=price(entry["context"]["price"])) if entry["context"] else "",
        translate("until {date}", date=instant(entry["closes_at"])),
        translate("backfilled") if entry["backfilled"] else "",
    ]
    return " · ".join(part for part in parts if part)


def chance_levels(entry: Mapping[str, Any]) -> list[int]:
    """Probabilities in percent about ten points below and above that of the AI, without those that cannot come."""
    latest = entry["ai_now"] or entry["ai"]
    if latest is None:
        return []
    levels = (round((100 * latest["p_yes"] + step) / 5) * 5 for step in (-10, 10))
    return [level for level in levels if 5 <= level <= 95]


def market(number: int, entry: Mapping[str, Any], own_vote: str | None = None) -> str:
    """One market: the probabilities of the AI, of the outside market and of the users."""
    votes = f"{_ai(entry['ai'])} · {outside_odds(entry['market_odds'])} · {user_votes(entry['user_votes'], own_vote)}"
    return "\n".join(
        [
            f"\n<b>{number}.</b> {escaped(entry['question'], 420)}",
            translate("Yes: {votes}", votes=votes),
            _facts(entry),
        ]
    )


def user_votes(votes: Mapping[str, Any], own_vote: str | None = None) -> str:
    """The share of users that voted yes, with their number, and the reader's own vote."""
    own_text = f", {translate('your vote: {vote}', vote=escaped(term(own_vote), 20))}" if own_vote else ""
    if not votes["total"]:
        return translate("no user votes") + own_text
    return translate("users {percent} (n = {n})", percent=percent(votes["yes_pct"], 0), n=votes["total"]) + own_text


def outside_odds(odds: Mapping[str, Any] | None) -> str:
    """The outside market's probability of yes."""
    if not odds:
        return translate("no outside market")
    return translate("market {chance}", chance=chance(odds["p_yes"])) + _simulated(odds)


def _simulated(odds: Mapping[str, Any]) -> str:
    """The mark of odds, or of a book with odds, of no real market."""
    return bracketed(translate("SIMULATED")) if odds["simulated"] else ""


def accuracy(versus: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The AI against the market: the live and the backfilled book, and each voter of the first with enough markets."""
    books = _live_first(versus)
    voters = next((_voters(book) for book in books if not _has_too_few(book)), "")
    blocks = [
        translate("<b>The AI against the market</b>"),
        *(_book(book) for book in books[:4]),
        voters,
        translate("Brier score: mean squared error. Lower is better; a coin flip has {score}.", score=0.25),
    ]
    return message(blocks, footer(versus, now))


def verdict(versus: Mapping[str, Any]) -> str:
    """The track record in one sentence, of the live book once it has enough resolved markets."""
    book = next((book for book in _live_first(versus) if not _has_too_few(book)), None)
    if book is None:
        return translate("AI against market: {verdict}.", verdict=term(NO_VERDICT))
    ai, outside = (
        translate(
            "{percent} right (n = {n}, 95% interval {low} to {high})",
            n=book[side]["accuracy_n"],
            **{name: percent(book[side][field], 0) for name, field in ACCURACY.items()},
        )
        for side in ("ai", "market")
    )
    return translate(
        "AI {ai}, market {market}, {book}: {verdict}.",
        ai=ai,
        market=outside + _simulated(book),
        book=book_name(book).lower(),
        verdict=escaped(term(book["verdict"]), 120),
    )


def _live_first(versus: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return sorted(versus["books"], key=lambda book: book["backfilled"])


def _has_too_few(book: Mapping[str, Any]) -> bool:
    """Whether a book has too few resolved markets for any number."""
    return book["verdict"] == NO_VERDICT


def _ai(pool: Mapping[str, Any] | None) -> str:
    return translate("AI {chance}", chance=chance(pool["p_yes"])) if pool else translate("no AI vote yet")


def _book(book: Mapping[str, Any]) -> str:
    head = "\n" + translate("<b>{book}</b>: {n} resolved", book=book_name(book), n=book["n"])
    if _has_too_few(book):
        return f"{head}\n{translate('Not enough resolved markets for a result yet.')}"
    rows = [_scores(translate(label), book[key]) for label, key in FORECASTERS]
    scores = table([("", translate("right"), "n", "Brier"), *rows], "<11", ">7", ">6", ">7")
    if book["simulated"]:
        head += f" · {translate('market')}{_simulated(book)}"
    return f"{head}\n{scores}\n{_reference(book['ai'])}\n{_difference(book)}"


def _scores(label: str, scores: Mapping[str, Any]) -> Sequence[str]:
    brier = UNKNOWN if scores["brier"] is None else decimal(scores["brier"], 4)
    return label, percent(scores["accuracy_pct"]), decimal(scores["accuracy_n"], 0), brier


def _reference(scores: Mapping[str, Any]) -> str:
    """What two forecasters without insight reach, and the AI's skill beyond them."""
    likelier, no = percent(scores["likelier_side_pct"]), percent(scores["always_no_pct"])
    skill = signed_percent(None if scores["skill"] is None else 100 * scores["skill"])
    line = translate(
        "Right without insight: always the likelier side {likelier}, always NO {never}.", likelier=likelier, never=no
    )
    return f"{line}\n{translate('Skill of the AI over how often such markets came true before: {skill}.', skill=skill)}"


def _difference(book: Mapping[str, Any]) -> str:
    summary, gap = capitalized(escaped(term(book["verdict"]), 120)), book["difference"]
    if gap is None:
        return ended(summary)
    mean, low, high = (signed_decimal(gap[key], 4) for key in ("mean", "low", "high"))
    difference = translate(
        "Brier scores differ by {mean}, 95% interval {low} to {high}.", mean=mean, low=low, high=high
    )
    return labelled(summary, difference)


def _voters(book: Mapping[str, Any]) -> str:
    rows = [_scores(voter["voter"], voter) for voter in book["voters"][:12]]
    head = translate("<b>Each voter</b>, {book}", book=book_name(book).lower())
    return f"\n{head}\n{table(rows, '<11', '>7', '>6', '>7')}" if rows else ""


def streaks(document: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """Each voter's current and best streak, first of live votes, then of backfilled ones."""
    books = [_streak_book(document, backfilled) for backfilled in (False, True)]
    blocks = [
        translate(
            "<b>Correct in a row</b>: current and best streak, and the share of votes with a side that were right"
        ),
        translate("– means fewer than {n} such votes.", n=MIN_N),
        *books,
    ]
    if not any(books):
        blocks.append(translate("Nothing is resolved yet."))
    return message(blocks, footer(document, now))


def _streak_book(document: Mapping[str, Any], backfilled: bool) -> str:
    rows = [row for row in document["streaks"] if row["backfilled"] == backfilled and row["resolved"]]
    if not rows:
        return "" if backfilled else "\n" + translate("<b>Live</b>: nothing is resolved yet.")
    head = f"\n<b>{book_name(rows[0])}</b>"
    columns = ("", translate("now"), translate("max"), translate("right"), "n")
    lines = table([columns, *map(_row, rows[:12])], *COLUMNS)
    return f"{head}\n{lines}\n{_luck(rows[0])}"


def _row(row: Mapping[str, Any]) -> tuple[object, ...]:
    accuracy = percent(row["accuracy_pct"] if row["n"] >= MIN_N else None, 0)
    return row["oracle"], row["current"], row["best"], accuracy, decimal(row["n"], 0)


def _luck(row: Mapping[str, Any]) -> str:
    """What the first row would reach without insight, and by luck alone."""
    luck = row["luck"]
    if luck is None:
        return ""
    name, share = escaped(row["oracle"], 40), percent(luck["best_reached_pct"], 0)
    right = percent(row["always_no_pct"], 0) if row["n"] >= MIN_N else None
    text = translate(
        "If the probabilities of {voter} are right, luck alone gives one of {n} like it such a best streak in {percent}"
        " of cases.",
        voter=name,
        n=luck["among"],
        percent=share,
    )
    if right is None:
        return text
    reference = translate("On its questions, NO every time is right {percent} of the time.", percent=right)
    return f"{text} {reference}"
