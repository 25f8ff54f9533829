"""The asset of a question and the asset that it is compared with."""

from __future__ import annotations

import pytest

from service.errors import InvalidQuestion
from service.questions.circumstances import Circumstances
from service.questions.subject import Subject, find_subject
from service.questions.tokens import read
from tests.questions.asking import NOW, SPOTS


def _subject(text: str, around: str = "", spots: dict[str, float] = SPOTS) -> Subject:
    return find_subject(read(text)[1], read(around)[1] if around else [], Circumstances(NOW, spots))


@pytest.mark.parametrize(
    ("text", "asset", "other"),
    [
        ("will ether rise", "eth", None),
        ("will eth outperform btc", "eth", "btc"),
        ("bitcoin or gold", "btc", "gold"),
        ("eth/btc up", "eth", "btc"),
        ("will gold rise more than silver", "gold", "silver"),
        ("will btc reach 100k usdc", "btc", None),
    ],
)
def test_a_question_is_about_these_assets(text, asset, other):
    subject = _subject(text)
    assert (subject.asset, subject.other) == (asset, other)


def test_a_question_without_an_asset_takes_that_of_its_context():
    assert _subject("will it rise", "solana is at 140").asset == "sol"


def test_bitcoin_stands_for_the_whole_crypto_market():
    subject = _subject("will crypto crash")
    assert subject.asset == "btc"
    assert "stand-in" in subject.notes[0]


def test_further_assets_are_named_in_a_note():
    subject = _subject("will btc and eth rise")
    assert subject.left_out == ("eth",)
    assert "Ethereum separately" in subject.notes[0]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("will dogecoin rise", "not covered"),
        ("will btc beat the s&p 500", "exactly two"),
        ("will eth flip btc", "Market values"),
        ("will btc beat eth and gold", "exactly two"),
    ],
)
def test_other_subjects_are_refused(text, word):
    with pytest.raises(InvalidQuestion, match=word):
        _subject(text)


@pytest.mark.parametrize("price", [float("nan"), float("inf"), 0.0, -1.0])
def test_a_price_that_is_no_positive_number_is_no_price(price):
    with pytest.raises(InvalidQuestion, match="no price of Bitcoin"):
        _subject("will bitcoin rise", spots={"btc": price})
