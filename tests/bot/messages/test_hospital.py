"""The hospital."""

from __future__ import annotations

import pytest

from bot import messages
from bot.languages import speaking
from tests.bot import examples
from tests.bot.catalogues import TRANSLATED
from tests.bot.messages.reading import text_of


def test_the_pages_hold_all_strategies():
    rows = [
        examples.HOSPITAL["strategies"][0] | {"key": f"key_{number}", "health_score": number} for number in range(50)
    ]
    rows[0] |= {"health_score": None, "status": "observation"}
    pages = messages.hospital(examples.HOSPITAL | {"strategies": rows})
    assert len(pages) == 4
    assert all(f"key_{number}" in text_of(pages) for number in range(50))
    assert text_of(pages).index("key_49") < text_of(pages).index("key_1\n")


def test_an_unknown_category_lists_the_categories():
    category = examples.HOSPITAL["strategies"][0]["category"]
    assert f"/hospital {category}" in text_of(messages.hospital(examples.HOSPITAL, "moon"))


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("write", [messages.hospital, messages.snapshot])
def test_the_limits_of_a_score_are_translated(language, write):
    with speaking(language):
        assert "A score describes" not in text_of(write(examples.HOSPITAL))
