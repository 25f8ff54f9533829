"""Questions, answers, votes with their reasons, and the quota."""

from __future__ import annotations

import re
from itertools import product

import pytest

from bot import messages
from bot.languages import LANGUAGES, SOURCE, speaking, spoken
from bot.messages import predictions, prices
from bot.messages.markup import columns_of
from bot.messages.oracle import DRIVERS, SENTENCES, reasons
from service.forecasting.densities.models import MODELS
from service.forecasting.voters.ballots import TEMPLATES, reasons_of
from service.forecasting.voters.panel import PLAIN
from service.questions.kinds import KINDS
from tests.bot import documents
from tests.bot.documents import USAGE, Document
from tests.bot.messages.reading import text_of, texts_of

# What would give an event the look of a side: an arrow, its words, or a coloured symbol.
SIDE = re.compile(r"[▲▼■🐂🐻🟢🔴🟩🟥📈📉]|bear|bull", re.IGNORECASE)


def test_markup_is_shown_as_text():
    """HTML in a question and in a model's reasoning."""
    markup = '<a href="tg://x">buy</a> & <i>sell</i>'
    answer = documents.answer() | {"question": markup}
    answer["understood"]["canonical"], answer["votes"]["voter0"]["reasoning"] = f"{markup}?", markup
    assert markup in texts_of(messages.oracle.answer(answer, USAGE["quota"]))[0]
    assert text_of(messages.oracle.votes(answer)).count(markup) == 3  # the head of both pages, and the vote


def test_an_answer_has_seven_lines_and_a_folded_quotation():
    """Each line fits a phone; what the service writes in English comes after them."""
    answer = documents.answer() | {"cached": False}
    answer["votes"]["voter1"]["p_yes"] = 0.41
    text = messages.oracle.answer(answer, USAGE["quota"])
    head, quotation = text_of(text).split("Paper research. Not investment advice.")
    assert head.strip().split("\n") == [
        "About as likely as not: 56%",
        "Bitcoin reaches 55,872 USD",
        "by 2026-11-30 23:59 UTC",
        "now 53,212 USD, level +5.0%",
        "9 of 9 voted: 41% – 56%",
        "2 of 10 questions left today",
        "SIMULATED market · 12:05 UTC",
    ]
    assert "<blockquote expandable>" in text
    assert "Why: From the moves of hours to months" in quotation
    assert "Understood as: Will Bitcoin (btc) trade at or above" in quotation


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_of_an_answer_fits_a_phone(language):
    """35 columns for every kind of question and its denial, also in a zone with a long name."""
    for kind, negated, in_a_row in product({*KINDS} - {"topic"}, (False, True), (False, True)):
        answer = documents.answer() | {"understood": documents.meaning(kind, negated=negated, in_a_row=in_a_row)}
        answer["votes"]["voter0"]["p_yes"], answer["votes"]["voter1"]["p_yes"] = 0.004, 0.62
        with speaking(language, "America/Sao_Paulo"):
            head, _, _ = messages.oracle.answer(answer, USAGE["quota"]).partition("<blockquote")
        lines = text_of(head.strip()).split("\n")
        assert len(lines) <= 7, kind
        assert [line for line in lines if columns_of(line) > 35] == [], kind


def test_dates_are_in_the_zone_of_the_person():
    """A closed market has a last price, and prices that are not of today a date."""
    with speaking("en", "Asia/Tokyo"):
        lines = text_of(messages.oracle.answer(documents.answer())).split("\n")
    assert lines[2] == "by 2026-12-01 08:59 JST"
    assert "21:05 JST" in lines[5]
    lines = text_of(messages.oracle.answer(documents.answer() | {"closed_until": "2026-11-22T23:00:00Z"})).split("\n")
    assert (lines[3], lines[5]) == ("closed, last 53,212 USD", "SIMULATED market · 2026-11-21")


@pytest.mark.parametrize("language", ["en", "de"])
def test_an_opening_is_said_once(language):
    """In English by a note of the service."""
    answer = documents.answer() | {"closed_until": "2026-11-22T23:00:00Z"}
    answer["understood"]["notes"] = ["Gold does not trade now. Its market opens at 2026-11-22 23:00 UTC."]
    with speaking(language):
        assert text_of(messages.oracle.answer(answer)).count("23:00 UTC") == 1


@pytest.mark.parametrize(
    ("kind", "word", "denial"),
    [("touch_above", "by", "until"), ("leave", "by", "until"), ("relative", "until", "until"), ("up", "on", "on")],
)
def test_a_deadline_says_whether_one_moment_decides(kind, word, denial):
    """What happens once happens by a date, what must hold all the time holds until it."""
    assert f"{word} 2026" in messages.oracle.dated_statement(documents.meaning(kind))
    assert f"{denial} 2026" in messages.oracle.dated_statement(documents.meaning(kind, negated=True))


@pytest.mark.parametrize(
    ("language", "statement"),
    [
        ("de", "Bitcoin läuft besser als Silber"),
        ("fr", "Bitcoin fait mieux que l’argent"),
        ("tr", "gümüş karşısında Bitcoin önde"),
        ("ja", "ビットコインが銀に勝る"),
    ],
)
def test_a_metal_has_its_article(language, statement):
    meaning = documents.meaning("relative", other_asset="silver")
    with speaking(language):
        assert messages.oracle.statement(meaning).lower() == statement.lower()
        assert messages.oracle.statement(meaning | {"asset": "gold"})[0].isupper() or language == "ja"


def test_a_guess_lists_its_readings():
    meaning = documents.answer()["understood"]
    text = text_of(messages.oracle.choices([meaning, meaning | {"comparator": "close_above"}], "SIMULATED market"))
    assert "1. Bitcoin reaches 55,872 USD, by 2026-11-30 23:59 UTC\n" in text
    assert "2. Bitcoin above 55,872 USD, on 2026-11-30 23:59 UTC\n" in text
    assert text.endswith("SIMULATED market · /words")


@pytest.mark.parametrize(
    ("language", "line"), [("en", "9,000,000 JPY = 59,400 USD"), ("de", "9.000.000 JPY = 59.400 USD")]
)
def test_an_amount_of_another_currency_is_shown_beside_dollars(language, line):
    note = "9,000,000 JPY are 59,400 USD at an assumed rate of 0.0066 USD per yen."
    with speaking(language):
        assert messages.oracle.conversions({"notes": [note, "The question is decided in USD."]}) == [line]


PAGES = {
    "answer": messages.oracle.answer,
    "answer in brief": messages.oracle.answer_brief,
    "caption": prices.answer_caption,
    "votes": messages.oracle.votes,
    "challenge": lambda it: predictions.one_market(documents.challenge(**_committed(it))),
    "list of challenges": lambda it: predictions.challenges(
        documents.CHALLENGES | {"challenges": [documents.challenge(**_committed(it))]}
    ),
    "resolved challenge": lambda it: predictions.resolved(documents.challenge(**_committed(it), status="resolved")),
    "list of markets": lambda it: predictions.markets(
        documents.PREDICTIONS | {"markets": [documents.market(**_committed(it))]}
    ),
    "market": lambda it: predictions.one_market(documents.market(**_committed(it))),
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("event", ["price", "topic", "relative"])
def test_an_unlikely_event_has_no_side(name, event):
    """At 3% it shows no arrow, no "bear" and no colour of a side, also where the direction is the answer itself."""
    assert not SIDE.search(text_of(PAGES[name](_unlikely(event))))


@pytest.mark.parametrize(("direction", "side"), [("BULLISH", "▲ bull"), ("BEARISH", "▼ bear")])
def test_a_view_of_the_price_has_its_arrow(direction, side):
    answer = _unlikely("price")
    answer["votes"]["voter0"]["direction"] = direction
    assert f"voter0 · yes 3% · {side}" in text_of(messages.oracle.votes(answer)).split("\n")


def test_the_longest_question_leaves_room_for_its_answer():
    """500 characters of which each becomes five when escaped, and notes of the same length; a saved one is free."""
    answer = documents.answer() | {"question": "&" * 500, "cached": True}
    answer["understood"] |= {"canonical": "&" * 500, "notes": ["&" * 500] * 3}
    text = text_of(messages.oracle.answer(answer, USAGE["quota"]))
    assert all(words in text for words in ("9 of 9 voted", "Not investment advice.", "not counted"))


@pytest.mark.parametrize(
    ("p_yes", "answer", "headline"),
    [
        (0.61, "About as likely as not: 61%", "About as likely as not: 61%"),
        (0.3, "Unlikely: 30%", "Unlikely: 30%"),
        (0.995, "Almost certain: 99.5%", "Almost certain: over 99%"),
        (0.48, "No: 52%", "Yes 48%"),
        (0.48, None, "Yes 48%"),
    ],
)
def test_the_headline_says_how_likely_yes_is(p_yes, answer, headline):
    """In the words of the API; an answer that was saved without them has the probability alone."""
    text = text_of(messages.oracle.answer(documents.answer() | {"p_yes": p_yes, "answer": answer}))
    assert text.split("\n")[0] == headline


def test_a_question_without_yes_has_a_price_or_a_direction():
    """A price with the central 90% at the deadline; a vote on it has only its reasoning."""
    answer = documents.answer()
    assert "90% between" not in text_of(messages.oracle.answer(answer | {"price_forecast": None}))
    answer |= {"p_yes": None, "answer": None}
    answer["votes"]["voter0"]["p_yes"] = None
    assert "Up: 50% (Down 50%)" in text_of(messages.oracle.answer(answer))
    quantiles = {"5": 75_000.0, "25": 81_200.0, "50": 84_000.0, "75": 86_900.0, "95": 93_100.4}
    text = text_of(messages.oracle.answer(answer | {"price_forecast": {"quantiles": quantiles}}))
    assert "About 84,000 USD\n" in text
    assert "90% between 75,000 and 93,100" in text
    assert "\nvoter0\nFrom the moves of hours" in text_of(messages.oracle.votes(answer))


def test_only_a_single_price_and_its_levels_are_shown():
    answer = documents.answer() | {"understood": documents.meaning("between")}
    assert "Bitcoin from 55,872 to 60,000 USD" in text_of(messages.oracle.answer(answer))
    answer |= {"understood": documents.meaning("volatility")}
    assert "now 53" not in text_of(messages.oracle.answer(answer))


def test_the_pages_hold_every_vote_and_abstention():
    """That of a failed model says so."""
    answer = documents.answer() | {"abstained": {"news": "no headlines"}}
    answer["votes"]["voter0"] |= {"fallback": True, "outlier": True, "engine": "ollama:llama3.2"}
    text = text_of(messages.oracle.votes(answer))
    assert all(name in text for name in answer["votes"])
    assert "news abstained: no headlines" in text
    (head,) = (line for line in text.split("\n") if line.startswith("voter0"))
    assert head.startswith("voter0 · yes 56% · ollama:llama3.2 · its language model failed, so the")
    assert head.endswith("far from the other votes, so it counts one third")


def _unlikely(event: str) -> Document:
    """An answer at 3% whose nine votes are NEUTRAL; of an event without a price the direction is that of P(YES)."""
    answer = documents.answer() | {"p_yes": 0.03, "answer": "Very unlikely: 3%"}
    direction = "NEUTRAL" if event == "price" else "BEARISH"
    answer["consensus"] |= {"direction": direction, "strength": "STRONG"}
    answer["understood"] |= {} if event == "price" else {"comparator": event}
    for vote in answer["votes"].values():
        vote |= {"direction": direction, "p_yes": 0.03}
    return answer


def _committed(answer: Document) -> Document:
    """The parts of a prediction that an answer has too."""
    direction = answer["consensus"]["direction"]
    ai = {"p_yes": 0.03, "answer": answer["answer"], "yes": 0, "no": 9, "direction": direction}
    votes = documents.challenge()["ai_votes"]
    return {
        "understood": answer["understood"],
        "ai": ai,
        "ai_votes": {name: vote | {"p_yes": 0.03, "direction": direction} for name, vote in votes.items()},
    }


def voted(text: str) -> dict:
    """A vote with this reasoning."""
    return {"reasoning": text, "reasons": [vars(reason) for reason in reasons_of(text.strip())]}


VOTE = voted(
    "From a GARCH process: one sigma until the deadline is 6.7% for btc (by its 180 days 6.4%). "
    "60,000 is -20.1% away, -2.7 sigma. 55,000 is +0.0% away. The correlation of hourly returns is -0.31. "
    "The market of gold is closed until the deadline, so the price stays at 2,989.88. "
    "eth is already at 4,001; the level is 4,000."
)


def test_every_fact_and_driver_of_the_service_has_words():
    assert {code for code, _ in TEMPLATES} <= set(SENTENCES)
    assert {model.basis for model in MODELS.values()} | {PLAIN} == set(DRIVERS)


def test_numbers_are_written_as_the_language_does():
    """Free text of a language model stays."""
    text = spoken("de", lambda: reasons(VOTE, 300)).replace("\xa0", " ")
    assert text.startswith("Ein GARCH-Modell: Bitcoin bewegt sich bis dahin meist um 6,7 % (langfristig: 6,4 %).")
    assert "Bis 60.000 sind es -20,1 %, das 3,0-Fache davon." in text  # 20.1 / 6.7
    assert "Gold ist bis dahin geschlossen, der Kurs bleibt also bei 2.990." in text
    assert spoken("de", lambda: reasons({"reasoning": "Up & away.", "reasons": []}, 300)) == "Up &amp; away."


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != SOURCE])
def test_no_english_half_is_left(language):
    """Chinese and Japanese have no space after a full stop."""
    text = spoken(language, lambda: reasons(VOTE, 300))
    assert not {"until", "away", "market", "times", "such", "gold"} & set(text.split())
    assert "。 " not in text


def test_a_distance_is_a_multiple_of_the_move_beside_it():
    """The service's own ratio is one of log returns: 1.2 where 31.3% stands beside 23.0%."""
    text = "From plain volatility: one sigma until the deadline is 23.0% for sol (by its 180 days 16.8%). "
    text = reasons(voted(text + "115 is +31.3% away, +1.2 sigma."), 300)
    assert "Solana typically moves 23.0%" in text
    assert text.endswith("To 115.00 it is +31.3%, 1.4 times such a move.")


def test_a_driver_is_said_once():
    """Of a question about two assets; the article of a metal stands inside the sentence."""
    text = "From plain volatility: one sigma until the deadline is 6.5% for gold (by its 180 days 7.1%). "
    vote = voted(text + text.replace("gold", "btc"))
    german = spoken("de", lambda: reasons(vote, 300)).replace("\xa0", " ")
    assert german.startswith("Die übliche Schwankung: Gold bewegt sich")
    assert german.count("Schwankung") == 1
    assert "L’or bouge en général" in spoken("fr", lambda: reasons(vote, 300))
