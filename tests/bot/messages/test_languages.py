"""Every message in every language: it fits, its markup is valid, and nothing in it stays English or is cut."""

from __future__ import annotations

import re
from html import unescape

import pytest

from bot import messages
from bot.languages import LANGUAGES, speaking, translate
from bot.messages import captions, notices
from bot.messages.markup import CAPTION, WIDTH, columns_of
from service.questions.circumstances import Circumstances
from service.questions.understanding import understand
from tests.bot import documents, examples
from tests.bot.catalogues import TRANSLATED
from tests.bot.documents import HOSTILE, every_string
from tests.bot.messages.reading import pages_of, text_of, texts_of
from tests.bot.messages.test_all import FIXED, MESSAGES, NOW
from tests.questions.hostile_texts import SPOTS

RECEIPT = {"vote": "yes", "user_votes": {"yes": 1200, "no": 3}}
NOTICES = {
    "question missing": notices.question_missing,
    "strategy": notices.choose_strategy,
    "asset": lambda: notices.unknown_asset("top", ["btc", "gold"]),
    "text only": notices.text_only,
    "private": notices.private_only,
    "cancelled": notices.cancelled,
    "draft gone": notices.draft_gone,
    "nothing deleted": notices.nothing_deleted,
    "voted": lambda: notices.voted(RECEIPT),
    "hour": notices.choose_hour,
    "zone": notices.choose_zone,
    "unknown zone": lambda: notices.unknown_zone("Moon"),
    "language": notices.choose_language,
    "language chosen": notices.language_chosen,
    "admins": notices.admins_only,
    "impossible date": notices.impossible_date,
    "date out of range": lambda: notices.date_out_of_range("2026-11-21", "2027-11-20"),
    "too long": lambda: notices.question_too_long(1234, 500),
    "interrupted": notices.interrupted,
    "given back": lambda: notices.given_back("Will it?"),
    "moved": notices.group_moved,
    "too fast": notices.too_fast,
    "checking": notices.still_checking,
    "error": notices.internal_error,
    "waiting": lambda: messages.waiting(9),
    "progress": lambda: messages.progress(3, 9),
}
POPUPS = (lambda: notices.voted(RECEIPT), notices.admins_only, notices.too_fast, messages.expired)
EACH = pytest.mark.parametrize("language", LANGUAGES)
CUT = re.compile(r"\S…\S")


def rows_of(page: str) -> list[str]:
    """The rows of a page's tables."""
    parts = page.split("<pre>")[1:]
    return [row for part in parts for row in unescape(part.split("</pre>")[0]).split("\n")]


@EACH
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


@pytest.mark.slow
@EACH
def test_the_worst_case_fits_in_every_language(language):
    """Every string has 3,000 characters of markup; longer lists are checked in English."""
    with speaking(language):
        for document, write in MESSAGES.values():
            texts_of(write(every_string(document, lambda _: HOSTILE * 600)))


@EACH
def test_captions_fit_in_every_language(language):
    quote = examples.PRICES["prices"][0]
    with speaking(language):
        for text in (
            captions.lanes(documents.history(), "7d"),
            captions.lane(documents.history(), "30d"),
            captions.strategy(documents.strategy(), "24h"),
            captions.fund(documents.fund(), "all"),
            captions.accuracy(documents.versus()),
            captions.price(examples.PRICES, quote, documents.forecast()),
            captions.forecast(documents.forecast(), "30d"),
            captions.answer(examples.ANSWER),
        ):
            texts_of(text, CAPTION)


@EACH
def test_every_short_reply_is_valid_in_every_language(language):
    with speaking(language):
        for write in (*FIXED.values(), *NOTICES.values()):
            text_of(write())


@EACH
def test_popups_fit_in_every_language(language):
    """Telegram shows at most 200 characters."""
    with speaking(language):
        assert max(len(write()) for write in POPUPS) <= 200


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_short_reply_is_translated(language):
    for write in (*FIXED.values(), *NOTICES.values()):
        with speaking(language):
            translated = write()
        assert translated != write()


@EACH
def test_plurals_follow_the_number(language):
    """Each number gets a text, also those of languages with more than two forms."""
    with speaking(language):
        for n in (0, 1, 2, 5, 21, 1000):
            usage = {"quota": {"limit": n, "remaining": 1, "reset_at": "2026-11-22T00:00:00Z"}}
            assert text_of(messages.quota(usage))


def test_russian_counts_with_three_forms():
    with speaking("ru"):
        shown = [messages.waiting(n) for n in (1, 2, 5, 21)]
    assert [text.split()[2] for text in shown] == ["модель", "модели", "моделей", "модель"]


def test_an_answer_in_german_reads_like_german():
    with speaking("de"):
        shown = text_of(messages.answer(documents.answer(), {"limit": 10, "remaining": 1}, "Ann"))
    assert "Ann: heute noch 1 von 10 Fragen" in shown
    assert "SIMULIERTER Markt · Stand 21.11.2026 12:05 UTC" in shown
    assert "Keine Anlageberatung" in shown


# A date as a person types it.
DEADLINES = {
    "en": "31 December",
    "de": "31. Dezember",
    "es": "31 de diciembre",
    "fr": "31 décembre",
    "it": "31 dicembre",
    "pt": "31 de dezembro",
    "tr": "31 Aralık",
    "ru": "31 декабря",
    "zh": "12月31日",
    "ja": "12月31日",
}


@EACH
def test_the_service_understands_the_bots_examples(language):
    """The question of /start, and the question with which the bot has a deadline read."""
    with speaking(language):
        example = re.search("<i>(.*)</i>", messages.start())[1]
        dated = translate("Will Bitcoin rise by {deadline}?", deadline=DEADLINES[language])
    for text in (example, dated):
        question = understand(text, Circumstances(NOW, SPOTS))
        assert f"{question.deadline:%Y-%m-%d}" == "2026-12-31", text
