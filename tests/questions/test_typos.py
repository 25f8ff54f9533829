"""Words with one slip are corrected, other words are left alone."""

from __future__ import annotations

import pytest

from service.questions.typos import Typos


@pytest.mark.parametrize("written", ["bitcon", "bitcion", "bitcoiin", "butcoin", "bitcpin"])
def test_a_word_with_one_slip_is_mended(written):
    assert Typos(["bitcoin", "between"]).mend(written) == "bitcoin"


@pytest.mark.parametrize("written", ["bit", "coin", "bitumen", "btiocin", "between", "xitcoin"])
def test_other_words_are_left_alone(written):
    assert Typos(["bitcoin"]).mend(written) is None
