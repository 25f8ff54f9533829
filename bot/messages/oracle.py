"""A question in progress, its answer, the votes behind it, and the remaining quota."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

from bot.languages import SOURCE, TEXTS, english, enumerated, labelled, language, sentences, translate, translate_plural
from bot.messages.formats import (
    LIKELIHOODS,
    SIDES,
    WORDS,
    Document,
    asset,
    capitalized,
    chance,
    date,
    decimal,
    direction_arrow,
    instant,
    noun,
    percent,
    price,
    signed_decimal,
    signed_percent,
    time_of_day,
    world,
)
from bot.messages.markup import escaped, message, pages

VOTES_A_PAGE = 5
CONVERSION = re.compile(r"([\d,.]+) ([A-Z]{3}) are ([\d,.]+) USD\b")
BUSY = english("One question at a time. Your last one is still being answered.")
ADVICE = english("Paper research. Not investment advice.")
# Kinds of questions that name no single price.
WITHOUT_PRICE = ("topic", "both", "either", "relative", "volatility")
STATEMENTS = TEXTS["statements"]  # what YES means
SENTENCES, DRIVERS = TEXTS["facts"], TEXTS["drivers"]  # of a voter's reasons
# Two events at once, of which the second is said so.
SECOND_EVENTS = {"both": english("and {statement}"), "either": english("or {statement}")}
EVENT = {"other_asset": None, "upper_level": None, "days": None}  # what an event of two does not have
# Of these, the event is true or not at the deadline; the others are at any time until then.
AT_DEADLINE = ("close_above", "close_below", "between", "up", "down", "move", "open", "above_earlier", "below_earlier")
AT_DEADLINE += ("above_moving_average", "below_moving_average")
BY_DEADLINE = ("touch_above", "touch_below", "leave", "upper_first", "lower_first", "both", "either")
UNTIL, BY, ON = english("until {date}"), english("by {date}"), english("on {date}")
NEW_LINE = "\n"


def waiting(voters: int) -> str:
    """Before the first vote."""
    return translate_plural("Asking {n} voter …", "Asking {n} voters …", voters)


def progress(count: int, voters: int) -> str:
    """While the votes arrive."""
    return translate("{voted} of {voters} have voted.", voted=count, voters=voters)


def answer(document: Document, quota: Document | None = None, asker: str | None = None) -> str:
    """The answer in at most seven short lines, then the reasons, which unfold at a tap.

    `quota` is the person's own, None if unknown; `asker` is whose it is in a group, None in a private chat.
    """
    is_cached, left = document.get("cached"), _left(quota) if quota else ""
    blocks = [
        f"<b>{headline(document)}</b>",
        *facts(document),
        _price_range(document.get("price_forecast")),
        _turnout(document),
        translate("Same answer again: not counted") if is_cached else "",
        "" if is_cached else labelled(escaped(asker, 60), left) if asker and left else capitalized(left),
        f"<i>{world(document)} · {time_of_day(document['as_of'], is_today=not document.get('closed_until'))}</i>",
    ]
    return message(blocks, _reasons(document))


def facts(document: Document) -> list[str]:
    """What was asked, for when, and the price of now with its distance to the level, a line each, at most three."""
    meaning = document["understood"]
    first, *lines = [*_events(meaning), *_when(meaning)]
    lines = [capitalized(first), *lines]
    return [*lines, _price_now(document)] if has_price(meaning) and len(lines) < 3 else lines


def statement(meaning: Document) -> str:
    """What YES means; a topic in the words of its text."""
    return capitalized(" ".join(_events(meaning)))


def _events(meaning: Document) -> list[str]:
    """The event, or both of two; by De Morgan's laws not both is one of their opposites, and neither is both."""
    if not has_words(meaning):
        return [escaped(meaning["canonical"], 300)]
    if meaning["comparator"] in SECOND_EVENTS:
        is_negated, is_both = meaning["negated"], meaning["comparator"] == "both"
        legs = (EVENT | leg | {"negated": leg["negated"] != is_negated} for leg in meaning["legs"])
        first, second = (" ".join(_events(leg)) for leg in legs)
        return [first, translate(SECOND_EVENTS["both" if is_both != is_negated else "either"], statement=second)]
    levels = {"level": price(meaning["level"]), "upper": price(meaning["upper_level"]), "days": meaning.get("days")}
    assets = {"asset": noun(meaning["asset"]), "other": noun(meaning["other_asset"])}
    return [translate(STATEMENTS[_name(meaning)], pct=percent(meaning["level_pct"]), **assets, **levels)]


def _name(meaning: Document) -> str:
    """The name of the event or of its opposite; the number of days says itself whether it is negated."""
    comparator = meaning["comparator"]
    return f"not {comparator}" if meaning["negated"] and not comparator.startswith("days_") else comparator


def dated_statement(meaning: Document, start: str = "") -> str:
    """What YES means, with its deadline and where it starts, such as "from 52,554 USD"."""
    return enumerated([statement(meaning), start, *_when(meaning)])


def has_words(meaning: Document) -> bool:
    """Whether what YES means can be said in every language: no price decides a topic."""
    return _name(meaning) in STATEMENTS or meaning["comparator"] in SECOND_EVENTS


def _when(meaning: Document) -> list[str]:
    """On how many days, from when, and the deadline, unless the statement has it."""
    if not has_words(meaning):
        return []
    comparator, days, at = meaning["comparator"], meaning.get("days") or 1, meaning["deadline"]
    is_by, earlier = comparator in BY_DEADLINE and not meaning["negated"], meaning.get("earlier")
    end = translate(ON if comparator in AT_DEADLINE else BY if is_by else UNTIL, date=instant(at))
    if not comparator.startswith("days_"):
        return [translate("from {date}", date=instant(earlier)), end] if earlier else [end]
    if meaning["negated"] and meaning["in_a_row"]:
        count = translate_plural("fewer than {n} day in a row", "fewer than {n} days in a row", days)
    elif meaning["negated"]:
        count = translate_plural("on fewer than {n} day", "on fewer than {n} days", days)
    elif meaning["in_a_row"]:
        count = translate_plural("at least {n} day in a row", "at least {n} days in a row", days)
    else:
        count = translate_plural("on at least {n} day", "on at least {n} days", days)
    return [count, f"{date(earlier, 'short')} – {date(at, 'short')}" if earlier else end]


def _price_now(document: Document) -> str:
    meaning = document["understood"]
    level, spot = meaning["level"], meaning["spot"]
    if document.get("closed_until"):
        return translate("closed, last {price}", price=f"{price(spot)} USD")
    change = signed_percent(100 * (level / spot - 1)) if level and not meaning["upper_level"] else ""
    distance = translate("level {change}", change=change) if change else ""
    return enumerated([translate("now {price}", price=f"{price(spot)} USD"), distance])


def _reasons(document: Document) -> str:
    """That this is no advice, which a folded quotation shows, and below it why; the service's notes are English."""
    opening = document.get("closed_until")
    parts = [f"{translate(ADVICE)} {WORDS}", _reason(document)]
    if language() != SOURCE:
        parts += [translate("Trading starts again: {instant}.", instant=instant(opening)) if opening else ""]
        parts += conversions(document["understood"])
    else:
        notes = " ".join(escaped(note) for note in document["understood"]["notes"][:3])
        parts += [notes, understood_as(document)]
    return f"<blockquote expandable>{NEW_LINE.join(part for part in parts if part)}</blockquote>"


def conversions(meaning: Document | None) -> list[str]:
    """Amounts of another currency beside those in USD; the service says them in English."""
    amounts = (match.groups() for match in map(CONVERSION.match, meaning["notes"] if meaning else ()) if match)
    return [
        f"{price(float(amount.replace(',', '')))} {currency} = {price(float(usd.replace(',', '')))} USD"
        for amount, currency, usd in amounts
    ]


def choices(meanings: Sequence[Document], market: str, head: str = "", notes: Sequence[str] = ()) -> str:
    """Questions under the numbers of their buttons; without `head` the readings of a text, which rest on `notes`."""
    blocks = [head or translate("<b>Do you mean this?</b>"), *numbered(meanings), *notes]
    return message([*blocks, translate("A tap asks it. Nothing is counted before.")], f"<i>{market} · {WORDS}</i>")


def numbered(meanings: Sequence[Document]) -> list[str]:
    """Questions under their numbers."""
    return [f"{number}. {dated_statement(meaning)}" for number, meaning in enumerate(meanings, 1)]


def answer_brief(document: Document) -> str:
    """An answer in one line of plain text, for those with whom it is shared."""
    return f"{headline(document)} – {unescape(topic(document))}"


def topic(document: Document) -> str:
    """The question in the person's own words; where they pressed a button for it, what YES means."""
    meaning = document["understood"]
    if document["question"] == meaning["canonical"]:
        return dated_statement(meaning)
    return escaped(document["question"], 800)


def inline_question(question: str) -> str:
    """A question that was sent in inline mode, before its answer."""
    return f"<i>{escaped(question, 1000)}</i>"


def votes(document: Document) -> list[str]:
    """Every vote with its reasoning, and every abstention with its reason."""
    is_on_price = has_price(document["understood"])
    cast = [vote_lines(name, vote, is_on_price=is_on_price) for name, vote in document["votes"].items()]
    abstentions = [
        translate("<b>{voter}</b> abstained", voter=escaped(name, 60))
        + (f": {escaped(reason)}" if language() == SOURCE else "")
        for name, reason in document["abstained"].items()
    ]
    head = f"{translate('<b>Votes</b>')} · {topic(document)}"
    return pages([*cast, *abstentions], VOTES_A_PAGE, head, f"{translate(ADVICE)} {WORDS}")


def vote_lines(name: str, vote: Document, *, is_on_price: bool = True) -> str:
    """One vote: the voter, its probability, on which side of the price it is if on any, and its reasoning."""
    p_yes, direction = vote["p_yes"], vote["direction"]
    side = translate(SIDES[direction]) if direction in SIDES else escaped(direction, 40)
    parts = [
        f"<b>{escaped(name, 60)}</b>",
        translate("yes {chance}", chance=chance(p_yes)) if p_yes is not None else "",
        f"{direction_arrow(direction)} {side}" if is_on_price and direction != "NEUTRAL" else "",
        "" if vote["engine"].startswith("embedded") else escaped(vote["engine"], 60),
        translate("its language model failed, so the built-in model voted") if vote.get("fallback") else "",
        translate("far from the other votes, so it counts one third") if vote.get("outlier") else "",
    ]
    head = " · ".join(part for part in parts if part)
    return f"\n{head}\n{reasons(vote, 420)}"


def reasons(vote: Document, limit: int) -> str:
    """Why a voter votes so: the service gives each fact as a code with its numbers.

    The free text of a language model stays as it was written.
    """
    facts = vote.get("reasons")
    if not facts:
        return escaped(vote["reasoning"], limit)
    sizes = [fact["values"]["sigma_pct"] for fact in facts if fact["code"] == "expected_move"]
    text = sentences(*(_fact(fact, sizes[0] if len(sizes) == 1 else 0) for fact in facts))
    driver = next((fact["driver"] for fact in facts if fact["driver"]), "")
    words = translate(driver) if driver in DRIVERS else escaped(driver, 60)
    return labelled(capitalized(words), text) if driver else text


def _fact(fact: Document, size: float) -> str:
    """One fact; a distance is shown beside the `size` of a typical move in percent, of which it is a multiple."""
    values = fact["values"]
    parts = {
        "asset": asset(fact["asset"]),
        "noun": noun(fact["asset"]),
        "sigma": percent(values.get("sigma_pct")),
        "usual": percent(values.get("usual_sigma_pct")),
        "level": price(values.get("level")),
        "distance": signed_percent(values.get("level_pct")),
        "times": decimal(abs(values.get("level_pct", 0)) / (size or 1), 1),
        "correlation": signed_decimal(values.get("correlation", 0), 2),
        "price": price(values.get("price")),
    }
    code = "away" if fact["code"] == "distance" and not size else fact["code"]
    return capitalized(translate(SENTENCES[code], **parts))


def _left(quota: Document) -> str:
    return translate_plural(
        "{remaining} of {n} question left today",
        "{remaining} of {n} questions left today",
        quota["limit"],
        remaining=quota["remaining"],
    )


def quota(usage: Document) -> str:
    """/quota: the remaining questions, and when the quota starts again."""
    reset_at = usage["quota"]["reset_at"]
    if not usage["quota"]["remaining"]:
        return quota_used_up(usage["quota"]["limit"], reset_at)
    reset = translate("The quota starts again: {instant}.", instant=instant(reset_at))
    return f"{translate('{sentence}.', sentence=capitalized(_left(usage['quota'])))}\n{reset}"


def quota_used_up(limit: int | None, reset_at: str | None) -> str:
    """No question is left today."""
    if limit:
        usage = translate_plural("You have used today's {n} question.", "You have used today's {n} questions.", limit)
    else:
        usage = translate("You have used today's questions.")
    return sentences(usage, translate("You can ask again after {time}.", time=time_of_day(reset_at)))


def headline(document: Document) -> str:
    """How likely yes is, in words; for a question without yes and no, the price or how likely a rise is.

    An answer that was saved by an earlier version has no such words, nor has the latest opinion on a market.
    """
    p_yes, forecast, consensus = document["p_yes"], document.get("price_forecast"), document["consensus"]
    if p_yes is not None:
        words = str(document.get("answer")).partition(":")[0]
        if words in LIKELIHOODS:
            return labelled(translate(words), chance(p_yes))
        return capitalized(translate("yes {chance}", chance=chance(p_yes)))
    if forecast is not None and "50" in forecast["quantiles"]:
        return translate("About {price} USD", price=price(forecast["quantiles"]["50"]))
    bull, bear = (percent(consensus[f"{side}_probability"], 0) for side in ("bull", "bear"))
    return translate("Up: {up} (Down {down})", up=bull, down=bear)


def has_price(meaning: Document) -> bool:
    """Whether a question is about the price of one asset."""
    return meaning["comparator"] not in WITHOUT_PRICE


def understood_as(document: Document) -> str:
    """What the question was understood as; nothing in another language where its text is all that there is."""
    meaning = document["understood"]
    if language() != SOURCE:
        return translate("Understood as: {question}", question=dated_statement(meaning)) if has_words(meaning) else ""
    return translate("Understood as: {question}", question=escaped(meaning["canonical"], 500))


def _reason(document: Document) -> str:
    """The reasoning of the voter whose vote is the nearest to the consensus."""
    cast = [vote for vote in document["votes"].values() if vote["p_yes"] is not None]
    if not cast:
        return ""
    pool = document["p_yes"]
    if pool is None:
        pool = sum(vote["p_yes"] for vote in cast) / len(cast)
    return labelled(translate("Why"), reasons(min(cast, key=lambda vote: abs(vote["p_yes"] - pool)), 300))


def _price_range(forecast: Document | None) -> str:
    """Where nine of ten outcomes lie; "" without a forecast of the price."""
    if forecast is None:
        return ""
    low, high = (price(forecast["quantiles"][level]) for level in ("5", "95"))
    return translate("{percent} between {low} and {high}", percent=percent(90, 0), low=low, high=high)


def _turnout(document: Document) -> str:
    """How many voted, and from which to which probability of yes."""
    count = len(document["votes"])
    turnout = translate("{voted} of {voters} voted", voted=count, voters=count + len(document["abstained"]))
    chances = sorted(vote["p_yes"] for vote in document["votes"].values() if vote["p_yes"] is not None)
    if not chances:
        return turnout
    low, high = chance(chances[0]), chance(chances[-1])
    return labelled(turnout, low if low == high else f"{low} – {high}")
