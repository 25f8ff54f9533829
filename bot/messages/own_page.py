"""A person's own page, and the table of forecasters."""

from __future__ import annotations

from collections.abc import Sequence

from bot.languages import TEXTS, english, translate, translate_plural
from bot.messages.formats import UNKNOWN, Document, chance, decimal, footer, term
from bot.messages.markup import escaped, message, table
from bot.messages.oracle import statement
from bot.messages.predictions import mark, outcome_word, question
from bot.store import OwnCall

OUTCOME = {"yes": 1.0, "no": 0.0}
RECENT, QUESTIONS = 8, 5  # votes and forecasts, and questions, that are listed
MAX_ROWS = 12  # rows of the table of forecasters
NOTICES = TEXTS["notices"]
HOW_TO_NAME = NOTICES["how_to_name"]
BAD_NAME = english("A name has 3 to 32 of a-z, 0-9, _ and -.")

CalledEntry = tuple[OwnCall, Document]


def own_page(calls: Sequence[CalledEntry], answers: Sequence[Document], name: str | None, source: Document) -> str:
    """The votes, forecasts, questions and public name of a person; `source` is the document that the numbers are of."""
    decisions = [(call, entry) for call, entry in calls if entry["resolution"]["outcome"] in OUTCOME]
    blocks = [
        translate("<b>Your page</b>"),
        _votes(decisions),
        _forecasts(decisions),
        _questions(answers),
        *(_answer(number, answer) for number, answer in enumerate(answers[:QUESTIONS], 1)),
        *(_call(call, entry) for call, entry in calls[:RECENT]),
        "" if calls else translate("You have no votes and no forecasts yet. /markets has questions for both."),
        translate("You are listed among the /forecasters as <b>{name}</b>.", name=escaped(name, 40))
        if name
        else translate(HOW_TO_NAME),
    ]
    return message(blocks, f"{_scores()}\n{footer(source)}")


def forecasters(document: Document, own_entry: Document | None, name: str | None) -> str:
    """The table of forecasters, with the reader's row where they have a name; `own` is that row, None before it."""
    rows = [_row(entry, name) for entry in document["entries"][:MAX_ROWS]]
    is_shown = any(entry["name"] == name for entry in document["entries"][:MAX_ROWS])
    is_ranked = any(entry["rank"] for entry in document["entries"])
    if own_entry is not None and not is_shown:
        rows.append(_row(own_entry, name))
    blocks = [
        translate("<b>Forecasters</b>, by their scores over the life of each market"),
        table([("", "", "n", "Brier"), *rows], "<3", "<15", ">5", ">6") if rows else translate("Nobody is listed yet."),
        translate("You are listed after your first decided market.") if name and not (own_entry or is_shown) else "",
        _scores(),
        translate(NOTICES["ranking"], n=document["entries"][0]["entrants"]) if is_ranked else "",
        "" if name else translate(HOW_TO_NAME),
    ]
    return message(blocks, footer(document))


def forecast_noted(p_yes: float) -> str:
    """The pop-up after a forecast, in plain text."""
    return translate(NOTICES["forecast"], chance=chance(p_yes))


def named(name: str | None) -> str:
    """/name with a name, or off."""
    if name is None:
        return translate("You are not listed among the forecasters any more.")
    return translate(NOTICES["name"], name=escaped(name, 40))


def _scores() -> str:
    return translate("Brier score: mean squared error. Lower is better; a coin flip has {score}.", score=0.25)


def _votes(decisions: Sequence[CalledEntry]) -> str:
    votes = [(call.vote, entry) for call, entry in decisions if call.vote]
    if not votes:
        return ""
    right = sum(vote == entry["resolution"]["outcome"] for vote, entry in votes)
    pairs = [(entry["ai"]["p_yes"], entry) for _, entry in votes if entry["ai"]]
    ai_right = sum((p > 0.5) == (entry["resolution"]["outcome"] == "yes") for p, entry in pairs)
    return translate(NOTICES["votes"], right=right, n=len(votes), ai_right=ai_right, both=len(pairs))


def _forecasts(decisions: Sequence[CalledEntry]) -> str:
    """The Brier score of the forecasts and of the AI on the same markets."""
    triples = [
        (call.p, entry["ai"]["p_yes"], OUTCOME[entry["resolution"]["outcome"]])
        for call, entry in decisions
        if call.p is not None and entry["ai"]
    ]
    if not triples:
        return ""
    own_brier, ai = (decimal(sum((row[side] - row[2]) ** 2 for row in triples) / len(triples), 3) for side in (0, 1))
    return translate_plural(
        "Forecasts: Brier {own}, the AI {ai} on the same market",
        "Forecasts: Brier {own}, the AI {ai} on the same {n} markets",
        len(triples),
        own=own_brier,
        ai=ai,
    )


def _questions(answers: Sequence[Document]) -> str:
    if not answers:
        return ""
    decisions = sum(answer["resolution"] is not None for answer in answers)
    text = translate("Questions: {n}, {decided} of them decided", n=len(answers), decided=decisions)
    scores = [answer["score"]["brier"] for answer in answers if answer["score"]]
    if not scores:
        return text
    brier = translate("Brier score of the answers: {score}", score=decimal(sum(scores) / len(scores), 3))
    return f"{text} · {brier}"


def _answer(number: int, answer: Document) -> str:
    """A question with its answer, and its outcome once it is known, under the number of its button."""
    outcome = answer["resolution"] and answer["resolution"]["outcome"]
    p_yes = answer["p_yes"]
    result = f"{mark(p_yes, outcome)} {outcome_word(outcome)}".strip() if outcome else translate("open")
    return f"{number}. {statement(answer['understood'])} · {chance(p_yes)} · {result}"


def _call(call: OwnCall, entry: Document) -> str:
    outcome, p_yes = entry["resolution"]["outcome"], OUTCOME.get(call.vote or "") if call.p is None else call.p
    own_calls = [escaped(term(call.vote), 20) if call.vote else "", chance(call.p) if call.p is not None else ""]
    calls = [
        translate("you: {calls}", calls=", ".join(part for part in own_calls if part)),
        translate("AI {chance}", chance=chance(entry["ai"]["p_yes"])) if entry["ai"] else translate("no AI vote yet"),
        f"{mark(p_yes, outcome)} {outcome_word(outcome)}".strip() if outcome else translate("open"),
    ]
    return f"\n{escaped(question(entry), 300)}\n{' · '.join(calls)}"


def _row(entry: Document, name: str | None) -> tuple[object, ...]:
    """A row of the table, with the scores that ranks are by."""
    scores = entry["time_weighted"]
    brier = UNKNOWN if scores["brier"] is None else decimal(scores["brier"], 3)
    label = f"▶ {entry['name']}" if entry["name"] == name else entry["name"]
    return entry["rank"] or "", label, f"{scores['n']}", brier
