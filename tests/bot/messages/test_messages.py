"""All messages: they fit, their markup is valid, and they state the source of their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from html import unescape
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot import messages
from bot.languages import LANGUAGES, speaking, translate
from bot.messages import notices
from bot.messages.markup import WIDTH, columns_of
from bot.store import Follow, OwnCall, Target
from service.client import BadRequest, Conflict, RateLimited, ServerFault, Unavailable
from service.questions.circumstances import Circumstances
from service.questions.kinds import KINDS
from service.questions.understanding import understand
from tests.bot import documents
from tests.bot.catalogues import TRANSLATIONS
from tests.bot.documents import HOSTILE, USAGE, every_string, repeated
from tests.bot.messages.reading import Message, pages_of, text_of, texts_of
from tests.questions.hostile_texts import SPOTS

NOW = datetime(2026, 11, 21, 8, 2, tzinfo=UTC)
TARGETS = [Target("price", "btc", level, value=53_000) for level in (50_000, 55_000)]


def follow(subject: str) -> Follow:
    """A follow of a market, whose id and question are this text."""
    return Follow(1, 1, 1, Target("chance", subject, 0.6, subject))


RESEARCH = {"lanes": documents.BATTLE, "top": documents.LEADERBOARD, "hospital": documents.HOSPITAL}
RESEARCH |= {"accuracy": documents.versus(), "streaks": documents.STREAKS, "brain": documents.APEX}
RESEARCH |= {"fund": documents.APEX_FUND, "news": documents.NEWS_PULSE}


BOOKS = {"battle": RESEARCH["lanes"], "versus": RESEARCH["accuracy"]}


def topic(name: str, document: dict[str, Any], **options: Any) -> str:
    return messages.research.research({name: document}, "", **options)


def own_page(document: dict[str, Any]) -> str:
    """The page of a person who called these markets and asked for these answers."""
    calls = [(OwnCall("a", "yes", 0.65), market) for market in document["markets"]]
    return messages.own_page.own_page(calls, document["answers"], document["name"], documents.PREDICTIONS)


def fixed(texts: Iterable[str]) -> Callable[[Any], str]:
    """The reply that has these lines, whatever the document."""
    return lambda _: "\n".join(text and translate(text) for text in texts)


# Every message written from a document: the document, and the function that writes it.
MESSAGES: dict[str, tuple[Any, Callable[[Any], Message]]] = {
    "answer": (documents.answer(), lambda it: messages.oracle.answer(it, USAGE["quota"], "Ann")),
    "guess": (documents.answer(), lambda it: messages.oracle.choices([it["understood"]], "live prices")),
    "votes": (documents.answer(), messages.oracle.votes),
    "quota": (USAGE, messages.oracle.quota),
    "prices": (documents.PRICES, messages.prices.prices),
    "price": (documents.PRICES, lambda it: messages.prices.one_price(it, it["prices"][0]["asset"])),
    "forecast": (documents.forecast(), messages.prices.forecast),
    "forecasts": ([documents.forecast()], messages.prices.forecasts),
    "markets": (documents.PREDICTIONS, messages.predictions.markets),
    "challenge": (documents.challenge(), lambda it: messages.predictions.one_market(it, is_author=True)),
    "challenges": (documents.CHALLENGES, messages.predictions.challenges),
    "created": (documents.challenge(), messages.predictions.created),
    "resolved": (documents.challenge(), messages.predictions.resolved),
    "flipped": (documents.WIDGET, lambda it: messages.alerts.flipped(it)),
    "research": (RESEARCH, lambda it: messages.research.research(it, "https://ninefold.example")),
    **{name: (RESEARCH[name], partial(topic, name)) for name in messages.research.TOPICS},
    "digest": (BOOKS | {"widget": documents.WIDGET}, lambda it: messages.alerts.digest(**it, now=NOW)),
    "weekly": (
        BOOKS | {"resolutions": documents.week(40), "challenges": documents.CHALLENGES},
        lambda it: messages.alerts.weekly(**it, now=documents.AS_OF),
    ),
    "live challenge": (documents.challenge(), messages.predictions.live_challenge),
    "resolved live challenge": (documents.challenge(status="resolved"), messages.predictions.live_challenge),
    "alerts": ({}, lambda _: messages.alerts.alerts("7")),
    "market": (documents.market(), messages.predictions.one_market),
    "resolved market": (documents.resolved_market(), messages.predictions.resolved),
    "page of a resolved market": (documents.resolved_market(), messages.predictions.one_market),
    "changed sides": (documents.market(), messages.follows.sides_changed),
    "reached probability": (documents.market(), lambda it: messages.follows.chance_reached(it, 0.6)),
    "reached price": (documents.PRICES, lambda it: messages.follows.price_reached(it, it["prices"][0], TARGETS)),
    "decided question": (documents.decided_answer(), messages.follows.answer_resolved),
    "following": ({"follows": ["btc"]}, lambda it: messages.follows.following(list(map(follow, it["follows"])), {})),
    "own page": ({"markets": [documents.market()], "answers": [documents.decided_answer()], "name": "owl"}, own_page),
    "forecasters": (documents.forecasters(), lambda it: messages.own_page.forecasters(it, it["entries"][0], "owl")),
    "question asked for a deadline": ("Will it?", messages.predictions.ask_deadline),
    "confirm": ("Will it?", lambda it: messages.predictions.confirm(it, it)),
    "deleted": ({"what": "answers"}, lambda it: messages.notices.deleted({it["what"]: 2})),
    **{name: ({}, fixed(texts)) for name, texts in (("help", notices.HELP), ("privacy", notices.PRIVACY))},
    "refusal": ({"code": "c", "detail": "No."}, lambda it: messages.failures.failure(BadRequest(400, it))),
    "fault": ({"detail": "No.", "request_id": "5f0c"}, lambda it: messages.failures.failure(ServerFault(500, it))),
}
# The messages with a time in their footer.
FOOTERS = {"prices": messages.prices.prices, "markets": messages.predictions.markets}
FOOTERS |= {name: partial(topic, name) for name in RESEARCH}


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("times", [1, 20])
def test_the_worst_case_fits(name, times):
    """Every string has 3,000 characters of markup, every list is twenty times as long."""
    document, write = MESSAGES[name]
    texts_of(write(every_string(repeated(document, times), lambda _: HOSTILE * 600)))


@pytest.mark.parametrize("name", MESSAGES)
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(text=st.text(st.characters(exclude_categories=[]), max_size=400), times=st.integers(1, 6))
def test_any_text_in_a_document_gives_a_valid_message(name, text, times):
    """Also unpaired surrogates, line breaks and direction marks."""
    document, write = MESSAGES[name]
    texts_of(write(every_string(repeated(document, times), lambda _: text)))


@pytest.mark.parametrize("name", RESEARCH)
def test_paper_trading_and_market_are_stated(name):
    document, write = MESSAGES[name]
    for page in texts_of(write(document | {"world": "simulated"})):
        assert "PAPER · SIMULATED market" in page


@pytest.mark.parametrize("name", FOOTERS)
def test_old_numbers_are_marked_stale(name):
    document, _ = MESSAGES[name]
    write = FOOTERS[name]
    year_2030 = datetime(2030, 1, 1, tzinfo=UTC)
    assert "STALE" in text_of(write(document, now=year_2030))
    assert "STALE" not in text_of(write(document, now=datetime(2020, 1, 1, tzinfo=UTC)))
    assert "STALE" not in text_of(write(document | {"world": "replay"}, now=year_2030))


EACH_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)
CUT = re.compile(r"\S…\S")


def rows_of(page: str) -> list[str]:
    parts = page.split("<pre>")[1:]
    return [row for part in parts for row in unescape(part.split("</pre>")[0]).split("\n")]


@EACH_LANGUAGE
@pytest.mark.parametrize("name", MESSAGES)
def test_every_message_is_valid_in_every_language(language, name):
    """The rows of its tables fit a phone, and no cell is cut that is whole in English."""
    document, write = MESSAGES[name]
    english = [row for page in pages_of(write(document)) for row in rows_of(page)]
    with speaking(language):
        pages = texts_of(write(document)) and pages_of(write(document))
    rows = [row for page in pages for row in rows_of(page)]
    assert [row for row in rows if columns_of(row) > WIDTH] == []
    assert len([row for row in rows if CUT.search(row)]) <= len([row for row in english if CUT.search(row)]), rows


MARK = "Zebra"  # of a sentence that the service wrote in English
SENTENCE_FIELDS = ("canonical", "notes", "rule", "evidence", "detail")  # the reasoning of a language model is no such


def marked(document: Any, *, is_sentence: bool = False) -> Any:
    """A document with a mark in every English sentence of the service; a question in its own words is marked too."""
    if isinstance(document, str):
        return f"{MARK} {document}" if is_sentence else document
    if isinstance(document, list):
        return [marked(part, is_sentence=is_sentence) for part in document]
    if not isinstance(document, dict):
        return document
    is_own = document.get("category") in messages.predictions.WRITTEN
    names = (*SENTENCE_FIELDS, "question") if is_own else SENTENCE_FIELDS
    parts = {name: marked(part, is_sentence=is_sentence or name in names) for name, part in document.items()}
    return parts | ({"abstained": {"vol": f"{MARK} failed"}} if "abstained" in parts else {})


REFUSALS = {
    code: BadRequest(422, {"code": "invalid_question", "detail": f"{MARK}.", "errors": [fault | {"code": code}]})
    for code in ("invalid", "asset", "deadline", "level", "several", "no_price", "ratio")
    for fault in [{"field": "question", "message": f"{MARK}."}]
}
ERRORS = {"invalid_request": BadRequest, "none": BadRequest, "voting_closed": Conflict, "in_progress": Conflict}
ERRORS |= {"unavailable": Unavailable, "busy": Unavailable, "rate_limited": RateLimited}
REFUSALS |= {code: error(400, {"code": code, "detail": f"{MARK}."}) for code, error in ERRORS.items()}


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_no_english_sentence_reaches_another_language(language):
    """Of no document and no refusal of the service, for questions of every kind and their opposites."""
    documents_by_name = {name: (marked(document), write) for name, (document, write) in MESSAGES.items()}
    answer = marked(documents.answer() | {"closed_until": "2026-11-22T23:00:00Z"})
    with speaking(language):
        texts = {name: text_of(write(document)) for name, (document, write) in documents_by_name.items()}
        texts |= {name: messages.failures.failure(refusal) for name, refusal in REFUSALS.items()}
        texts |= {f"head {name}": messages.failures.refused_question(refusal) for name, refusal in REFUSALS.items()}
        writers = (messages.oracle.answer, messages.oracle.votes, messages.oracle.answer_brief, messages.oracle.topic)
        for comparator in {*KINDS} - {"topic"}:
            for is_negated in (False, True):
                meaning = marked(documents.meaning(comparator, negated=is_negated))
                document = answer | {"understood": meaning, "question": meaning["canonical"]}
                texts[f"{comparator} {is_negated}"] = "\n".join(text_of(write(document)) for write in writers)
    assert [name for name, text in texts.items() if MARK in text] == []


@EACH_LANGUAGE
def test_every_house_word_is_explained_one_tap_away(language):
    """A message with such a word has the command /words, whose reply has the word; endings may differ."""
    names = [*messages.formats.WORLDS.values(), "PAPER", "backfilled", "Apex", "Paper accounts"]
    with speaking(language):
        words = [translate(name).casefold() for name in names]
        glossary = "\n".join(map(translate, messages.research.GLOSSARY)).casefold()
        assert [word for word in words if word[:4] not in glossary] == []
        for document, write in MESSAGES.values():
            for world in ("simulated", "replay", "live"):
                version = every_string(document, lambda text, world=world: world if text == "simulated" else text)
                text = text_of(write(version))
                assert "/words" in text or not any(word in text.casefold() for word in words), text


@EACH_LANGUAGE
def test_every_pop_up_fits(language):
    """Telegram shows at most 200 characters."""
    with speaking(language):
        vote = notices.voted({"vote": "yes", "user_votes": {"yes": 1200, "no": 3}})
        texts = [vote, *map(translate, (notices.ADMINS_ONLY, notices.TOO_FAST, notices.EXPIRY))]
    assert max(map(len, texts)) <= 200


def test_an_answer_in_german_has_its_labels_in_german():
    """What is left today, the world, and that it is no advice."""
    with speaking("de"):
        page = text_of(messages.oracle.answer(documents.answer(), {"limit": 10, "remaining": 1}, "Ann"))
    labels = ("Ann: heute noch 1 von 10 Fragen", "SIMULIERTER Markt · 12:05 UTC", "Keine Anlageberatung")
    assert [label for label in labels if label not in page] == []


def test_russian_counts_with_three_forms():
    with speaking("ru"):
        texts = [messages.oracle.waiting(n) for n in (1, 2, 5, 21)]
    assert [text.split()[2] for text in texts] == ["модель", "модели", "моделей", "модель"]


# A date as a person types it.
DEADLINES = {"de": "31. Dezember", "es": "31 de diciembre", "fr": "31 décembre", "it": "31 dicembre", "zh": "12月31日"}
DEADLINES |= {"pt": "31 de dezembro", "tr": "31 Aralık", "ru": "31 декабря", "ja": "12月31日"}
DEADLINES |= dict.fromkeys(("en", "hi", "id", "uk", "ko"), "31 December")  # most ask in English


@EACH_LANGUAGE
def test_the_service_understands_the_bots_examples(language):
    """The question of /start, and the question with which the bot has a deadline read."""
    with speaking(language):
        example = re.search("<i>(.*)</i>", translate(notices.START))[1]
        question_until = translate("Will Bitcoin rise by {deadline}?", deadline=DEADLINES[language])
    for text in (example, question_until):
        question = understand(text, Circumstances(NOW, SPOTS))
        assert f"{question.deadline:%Y-%m-%d}" == "2026-12-31", text
