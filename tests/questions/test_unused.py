"""Words that a question's reading does not use are named in a note."""

from __future__ import annotations

import pytest

from service.questions import Circumstances, understand
from tests.questions.asking import HISTORY, NOW, RATES, SPOTS
from tests.questions.test_cases import CASES

LEFT_OUT = "Not understood and left out: "


def notes_of(text: str, prefix: str = LEFT_OUT) -> list[str]:
    """The notes of a question that begin with these words, without them."""
    notes = understand(text, Circumstances(NOW, SPOTS, history=HISTORY, rates=RATES)).notes
    return [note.removeprefix(prefix) for note in notes if note.startswith(prefix)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("will btc zorgly hit 100k on friday", "zorgly"),
        ("steigt btc bis freitag zorghaft auf 100k", "zorghaft"),
        ("le btc atteindra 100k zorgement vendredi", "zorgement"),
        ("btc llegará zorgamente a 100k el viernes", "zorgamente"),
        ("o btc chega zorgamente a 100k na sexta", "zorgamente"),
        ("btc arriva zorgamente a 100k venerdì", "zorgamente"),
        ("биткоин достигнет зоргно 100к к пятнице", "зоргно"),
        ("btc cuma zorgca 100 bine çıkar mı", "zorgca"),
        ("比特币周五蟠到10万吗", "蟠"),
        ("ビットコインは金曜に蟠10万に達する?", "蟠"),
    ],
)
def test_an_unknown_word_is_named_in_every_language(text: str, words: str):
    assert notes_of(text) == [f"“{words}”."]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("will btc beat 95k by friday", None),
        ("btc above 95k on volume by friday", "volume"),
        ("average btc price in december higher than in november", "average"),
        ("btc to fall 20% from its peak by march", "peak"),
        ("btc less than 5k away from ath by january", "ath"),
        ("eth drop 5% from the open by tonight", "open"),
        ("btc above 94k both on monday and on tuesday", "both"),
        ("will xrp moon or go back to 1.50 by feb", "or"),
        ("how many red days will btc have next week", "days"),
    ],
)
def test_a_word_without_effect_is_named(text: str, words: str | None):
    """A known word that changes the meaning elsewhere and does not do so here."""
    assert notes_of(text) == ([f"“{words}”."] if words else [])


def test_a_level_far_below_the_price_is_said_to_be_far():
    """It may be a distance that was not understood as one."""
    far = "The level is far from the present price of "
    assert notes_of("bitcoin price on dec 31 minus price today above 5000?", far) == ["94,075.9 USD."]
    assert notes_of("btc morgen zwischen 12 und 14 uhr über 95k", far) == ["94,075.9 USD."]
    assert notes_of("btc above 60k on friday", far) == []
    assert notes_of("btc to zero this year", far) == []


def test_two_dates_of_which_one_is_a_beginning_are_noted():
    notes = notes_of("btc > 95k for the entire week starting next monday", "Several dates are named. ")
    assert notes == ["The deadline is understood as 2026-11-22."]


@pytest.mark.slow
def test_few_questions_of_the_table_leave_words_out():
    """A note that appears too often is not read: fewer than 3% of the questions that are understood have it."""
    understood = [case for case in CASES if not case.reading.startswith("refused")]
    texts = [case for case in understood if case.now == NOW]
    assert sum(bool(notes_of(case.question)) for case in texts) < 0.03 * len(texts)
