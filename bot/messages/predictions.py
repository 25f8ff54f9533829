"""Markets and challenges: drafts, open and resolved ones, and the track record in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bot.languages import SOURCE, TEXTS, bracketed, english, language, translate, translate_plural
from bot.messages.formats import (
    WORDS,
    Document,
    as_of,
    asset,
    chance,
    date,
    footer,
    instant,
    percent,
    price,
    sentence,
    term,
    world,
)
from bot.messages.markup import escaped, message, pages, table
from bot.messages.oracle import dated_statement, has_price, has_words, understood_as

MARKETS_A_PAGE, CHALLENGES_A_PAGE = 4, 5
RIGHT, WRONG, DRAW = "✓", "✗", "="
OUTCOMES = {"yes": english("YES"), "no": english("NO"), "void": english("VOID")}
HOW_TO_FORECAST = english("Tap a percentage to forecast yes. Only you see it until the market is decided.")
WRITTEN = ("daily", "weekly")  # the categories of the markets that the service writes
CHANGES = ("up", "down", "move")  # from the price at the opening
NO_VERDICT = "not enough resolved markets"  # the API's verdict
ACCURACY = {"percent": "accuracy_pct", "low": "accuracy_low_pct", "high": "accuracy_high_pct"}
ASK_QUESTION = TEXTS["notices"]["how_to_challenge"]
PRICES_DECIDE = english("Prices decide it at the deadline.")
A_PERSON_DECIDES = english("A person decides it after the deadline.")
BAR, BAR_WIDTH = "█", 12  # columns of all votes


def markets(
    document: Document, own_votes: Mapping[str, str] | None = None, *, now: datetime | None = None
) -> list[str]:
    """The open markets in the API's order, numbered from 1, MARKETS_A_PAGE to a page; own votes are by market id."""
    own = own_votes or {}
    blocks = [market(number, entry, own.get(entry["id"])) for number, entry in enumerate(document["markets"], 1)]
    tail = footer(document, now)
    if not blocks:
        return [message([translate("No market is open right now. New markets open every day at 12:00 UTC.")], tail)]
    head = translate_plural("<b>{n} open market</b>", "<b>{n} open markets</b>", document["count"])
    return pages(blocks, MARKETS_A_PAGE, head, tail)


def challenges(document: Document) -> list[str]:
    """The open challenges in the API's order, CHALLENGES_A_PAGE to a page, each under its own number."""
    blocks = [market(entry["number"], entry) for entry in document["challenges"]]
    if not blocks:
        return [translate("No challenge is open. Send /challenge to write one.")]
    head = translate_plural("<b>{n} open challenge</b>", "<b>{n} open challenges</b>", document["count"])
    tail = f"{translate('Send /challenge to write one.')}\n<i>{world(document)} · {WORDS}</i>"
    return pages(blocks, CHALLENGES_A_PAGE, head, tail)


def one_market(entry: Document, *, is_author: bool = False) -> str:
    """The page of a market or a challenge: what all sides give it, how it is or was settled, the reader's own calls."""
    number, own_forecast = entry.get("number"), entry.get("my_forecast")
    rule = translate("Rule: {rule}", rule=sentence(entry["resolution"]["rule"], 400))
    blocks = [
        _head(number, is_author=is_author),
        f"<b>{escaped(question(entry), 800)}</b>",
        understood_as(entry) if number else "",
        chances(entry, (entry.get("my_vote") or {}).get("vote")),
        translate("Your forecast: yes {chance}", chance=chance(own_forecast["p_yes"])) if own_forecast else "",
        _facts(entry),
        ai_votes(entry) if number else "",
        evidence(entry) if entry["resolution"]["outcome"] or _is_said(entry) else rule,
        translate(HOW_TO_FORECAST) if entry["status"] == "open" else "",
    ]
    return message(blocks, market_footer(entry))


def challenge_head(number: int) -> str:
    return translate("<b>Challenge {number}</b>", number=str(number))


def market_footer(entry: Document) -> str:
    """The world, and the instant of the newest number."""
    latest, context = entry.get("ai_now"), entry["context"]
    instants = [entry["resolution"]["resolved_at"], latest and latest["as_of"], context and context["as_of"]]
    at = next(filter(None, instants), entry["created_at"])
    source = f"{world(entry)} · " if "world" in entry else ""
    return f"<i>{source}{as_of(at)} · {WORDS}</i>\n{translate('Not investment advice.')}"


def resolved(entry: Document, is_author: bool = False) -> str:
    """The outcome of a market or a challenge, the evidence, and what was forecast when it opened."""
    outcome, number = entry["resolution"]["outcome"], entry.get("number")
    marks = [mark(vote["p_yes"], outcome) for vote in entry["ai_votes"].values()] if number else []
    odds = outside_odds(entry["market_odds"]) if entry["market_odds"] else ""
    forecasts = " · ".join(filter(None, [ai(entry["ai"]) if entry["ai"] else "", odds]))
    blocks = [
        _head(number, translate("<b>Resolved: {outcome}</b>", outcome=outcome_word(outcome)), is_author=is_author),
        f"<i>{escaped(question(entry), 800)}</i>",
        evidence(entry),
        translate("Yes at the opening: {forecasts}", forecasts=forecasts) if forecasts else "",
        translate_plural(
            "{right} of {n} AI was right.", "{right} of {n} AIs were right.", len(marks), right=marks.count(RIGHT)
        )
        if outcome in ("yes", "no") and marks
        else "",
        translate("It could not be decided, so no vote is scored.") if outcome == "void" else "",
        ai_votes(entry) if number else "",
        user_votes(entry["user_votes"]) if number else "",
    ]
    return message(blocks, market_footer(entry))


def _head(number: int | None, outcome: str = "", *, is_author: bool) -> str:
    parts = [challenge_head(number) if number else "", translate("yours") if is_author else "", outcome]
    return " · ".join(filter(None, parts))


def outcome_word(outcome: str) -> str:
    """The outcome in the language of the chat; a word that is not known stays as it is."""
    return translate(OUTCOMES[outcome]) if outcome in OUTCOMES else escaped(outcome, 60)


def evidence(entry: Document) -> str:
    """What decided a market; "" until then, and in another language where its question says all in words of it."""
    text = entry["resolution"]["evidence"]
    return translate("Evidence: {evidence}", evidence=sentence(text, 400)) if text and not _is_said(entry) else ""


def _is_said(entry: Document) -> bool:
    return language() != SOURCE and has_words(entry["understood"])


def state(entry: Document) -> str:
    """Until when a market is open, or its outcome."""
    if entry["status"] == "open":
        return translate("open until {date}", date=instant(entry["closes_at"]))
    outcome = entry["resolution"]["outcome"]
    if not outcome:
        return translate("closed, not resolved yet")
    return translate("resolved: {outcome}", outcome=outcome_word(outcome))


def ai_votes(entry: Document) -> str:
    """Each AI's probability of yes; once the challenge is resolved, with a mark for right or wrong."""
    votes = dict(entry["ai_votes"]) | ({"apex": entry["apex"]} if entry["apex"] else {})
    outcome = entry["resolution"]["outcome"]
    rows = [
        (mark(vote["p_yes"], outcome), name, translate("yes {chance}", chance=chance(vote["p_yes"])))
        for name, vote in votes.items()
    ]
    return table(rows, "<1", "<12", ">18") if rows else ""


def mark(p_yes: float | None, outcome: str | None) -> str:
    """Whether a probability of yes was right; "" while the outcome is not known."""
    if outcome not in ("yes", "no") or p_yes is None:
        return ""
    if p_yes == 0.5:
        return DRAW
    return RIGHT if (p_yes > 0.5) == (outcome == "yes") else WRONG


def chances(entry: Document, own_vote: str | None = None) -> str:
    """The probability that each side gives yes."""
    latest, odds = entry.get("ai_now"), entry["market_odds"]
    votes = [
        ai(entry["ai"]) if not entry.get("votes_pending") else translate("the AIs are voting"),
        translate("AI now {chance}", chance=chance(latest["p_yes"])) if latest else "",
        outside_odds(odds) if odds or "number" not in entry else "",
        user_votes(entry["user_votes"], own_vote),
    ]
    return translate("Yes: {votes}", votes=" · ".join(filter(None, votes)))


def _facts(entry: Document) -> str:
    """The asset, its price, the end of the market, and whether it was backfilled."""
    is_priced = entry["context"] and has_price(entry["understood"])
    parts = [
        asset(entry["asset"]) if entry["asset"] else "",
        translate("now {price}", price=price(entry["context"]["price"])) if is_priced else "",
        state(entry),
        translate("backfilled") if entry["backfilled"] else "",
    ]
    return " · ".join(filter(None, parts))


def chance_levels(entry: Document) -> list[int]:
    """Probabilities in percent about ten points below and above that of the AI, without those that cannot come."""
    latest = entry["ai_now"] or entry["ai"]
    if latest is None:
        return []
    levels = (round((100 * latest["p_yes"] + step) / 5) * 5 for step in (-10, 10))
    return [level for level in levels if 5 <= level <= 95]


def market(number: int, entry: Document, own_vote: str | None = None) -> str:
    """One market of a list: the probabilities of the AI, of the outside market and of the users."""
    return f"\n<b>{number}.</b> {escaped(question(entry), 420)}\n{chances(entry, own_vote)}\n{_facts(entry)}"


def question(entry: Document) -> str:
    """The question of a market, not escaped; of one that the service wrote, what YES means in the person's language."""
    meaning = entry["understood"]
    if entry["category"] not in WRITTEN or not _is_said(entry):
        return entry["question"]
    is_change = meaning["comparator"] in CHANGES
    return dated_statement(meaning, translate("from {price} USD", price=price(meaning["spot"])) if is_change else "")


def user_votes(votes: Document, own_vote: str | None = None) -> str:
    """The share of users that voted yes, with their number, and the reader's own vote."""
    own_text = f", {translate('your vote: {vote}', vote=escaped(term(own_vote), 20))}" if own_vote else ""
    if not votes["total"]:
        return translate("no user votes") + own_text
    return translate("users {percent} (n = {n})", percent=percent(votes["yes_pct"], 0), n=votes["total"]) + own_text


def outside_odds(odds: Document | None) -> str:
    """The outside market's probability of yes."""
    if not odds:
        return translate("no outside market")
    return translate("market {chance}", chance=chance(odds["p_yes"])) + _simulated(odds)


def _simulated(odds: Document) -> str:
    """The mark of odds, or of a book with odds, of no real market."""
    return bracketed(translate("SIMULATED")) if odds["simulated"] else ""


def verdict(versus: Document) -> str:
    """The track record in one sentence, of the live book once it has enough resolved markets."""
    live_first = sorted(versus["books"], key=lambda book: book["backfilled"])
    book = next((book for book in live_first if book["verdict"] != NO_VERDICT), None)
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
        "AI {ai}, market {market}, {book}. By the Brier score, which also counts how sure each was: {verdict}.",
        ai=ai,
        market=outside + _simulated(book),
        book=(translate("Backfilled") if book["backfilled"] else translate("Live")).lower(),
        verdict=escaped(term(book["verdict"]), 120),
    )


def ai(pool: Document | None) -> str:
    """The probability of yes that the pool of the AI gives."""
    return translate("AI {chance}", chance=chance(pool["p_yes"])) if pool else translate("no AI vote yet")


def ask_deadline(question: str) -> str:
    """A question without a date; above buttons with dates."""
    hint = translate("Until when? Choose a date, or send /challenge again with a date in the question.")
    return f"<i>{escaped(question, 3000)}</i>\n\n{hint}"


def confirm(question: str, deadline: str) -> str:
    """Above [Create] and [Cancel]."""
    until = translate("Deadline: {date}, end of the day in UTC.", date=date(deadline))
    hint = translate("Create this challenge? Everybody can see it, without your name.")
    return f"<i>{escaped(question, 3000)}</i>\n{until}\n\n{hint}"


def created(challenge: Document) -> str:
    """The challenge is open; above [Yes] and [No]."""
    values = {"number": str(challenge["number"]), "date": date(challenge["deadline"])}
    judge = PRICES_DECIDE if challenge["resolution"]["source"] == "bars" else A_PERSON_DECIDES
    blocks = [
        translate("<b>Challenge {number} is open until {date}.</b>", **values),
        f"<i>{escaped(challenge['question'], 1500)}</i>",
        understood_as(challenge),
        f"{translate(judge)} {translate('You will get a message with the outcome.')}",
        translate("The AIs vote within seconds. What is your vote?"),
    ]
    return message(blocks)


def live_challenge(document: Document) -> str:
    """The question, what the AI gives it, and how people voted; once it is resolved, the outcome."""
    is_open, votes = document["status"] == "open", document["user_votes"]
    sides = {"yes": translate("Yes"), "no": translate("No")}
    bars = {side: BAR * round(BAR_WIDTH * votes[side] / (votes["total"] or 1)) for side in sides}
    rows = [(label, bars[side], votes[side]) for side, label in sides.items()]
    blocks = [
        challenge_head(document["number"]) + f" · {state(document)}",
        f"<i>{escaped(document['question'], 800)}</i>",
        chances(document),
        table(rows, "<6", f"<{BAR_WIDTH}", ">6"),
        translate("Tap to vote. The group sees how many voted, not who.") if is_open else evidence(document),
    ]
    return message(blocks, market_footer(document))
