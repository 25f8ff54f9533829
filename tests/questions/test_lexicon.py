"""Looking words up: spelling, stems, verb forms and the language of a text."""

from __future__ import annotations

import pytest

from service.questions.lexicon import Lexicon, Sense, Typos, fold, guess_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("will bitcoin rise tomorrow", "English"),
        ("wird bitcoin morgen steigen", "German"),
        ("le bitcoin va t il monter demain", "French"),
        ("subira bitcoin manana", "Spanish"),
        ("o bitcoin vai subir amanha", "Portuguese"),
        ("bitcoin salira domani", "Italian"),
        ("bitcoin yarin yukselir mi", "Turkish"),
        ("вырастет ли биткоин завтра", "Russian"),
        ("比特币明天会涨吗", "Chinese"),
        ("ビットコインは明日上がりますか", "Japanese"),
        ("btc", "English"),
    ],
)
def test_the_language_is_the_one_whose_words_occur(text, language):
    assert guess_language(text, text.split()).name == language


@pytest.mark.parametrize(
    ("text", "plain_text"),
    [("FÄLLT", "fallt"), ("Straße", "strasse"), ("YILDIZ", "yildiz"), ("altında", "altinda"), ("won’t", "won't")],
)
def test_case_and_accents_do_not_matter(text, plain_text):
    assert fold(text) == plain_text


def test_a_stem_stands_for_every_word_that_begins_with_it():
    words = Lexicon({"rise": "steig*", "fall": "steigbügel"})
    assert words.find("steigerung") == (Sense("rise"),)
    assert words.find("steigbugel") == (Sense("fall"),)
    assert words.find("stei") is None


def test_a_verb_with_a_plus_has_its_regular_forms():
    words = Lexicon({"rise": "climb+", "fall": "drop+"})
    assert words.find("climbs") == words.find("climbing") == (Sense("rise"),)
    assert words.find("dropped") == (Sense("fall", "past"),)


def test_a_key_may_have_a_value_or_two_kinds():
    words = Lexicon({"month:12": "december", "this + unit:week": "今週"})
    assert words.find("december") == (Sense("month", 12.0),)
    assert words.find("今週") == (Sense("this"), Sense("unit", "week"))


def test_a_run_of_glyphs_is_cut_into_the_longest_phrases():
    words = Lexicon({"rise": "上涨", "up": "上", "unit:day": "天"})
    assert words.glyphs.findall("上涨三十天上") == ["上涨", "三十", "天", "上"]


@pytest.mark.parametrize("text", ["bitcon", "bitcion", "bitcoiin", "butcoin", "bitcpin"])
def test_a_word_with_one_slip_is_mended(text):
    assert Typos(["bitcoin", "between"]).mend(text) == "bitcoin"


@pytest.mark.parametrize("text", ["bit", "coin", "bitumen", "btiocin", "between", "xitcoin"])
def test_other_words_are_left_alone(text):
    assert Typos(["bitcoin"]).mend(text) is None
