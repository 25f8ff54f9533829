"""The leaderboard."""

from __future__ import annotations

import pytest

from bot import messages
from bot.languages import speaking
from tests.bot import documents
from tests.bot.catalogues import TRANSLATIONS
from tests.bot.messages.reading import text_of


def test_the_leaderboard_shows_comparisons_and_luck():
    """Next to the ranking stand buying and holding, a coin flip, and a warning about chance."""
    page = text_of(messages.top(documents.LEADERBOARD))
    assert all(ghost["key"].replace("_", " ") in page for ghost in documents.LEADERBOARD["ghosts"])
    assert "by chance" in page


def test_the_longest_key_is_shown_in_full():
    """/strategy needs the complete key."""
    key = "time_series_momentum_medium"
    assert key in text_of(
        messages.top(
            documents.LEADERBOARD | {"entries": [documents.LEADERBOARD["entries"][0] | {"key": key, "pnl_pct": -61.44}]}
        )
    )
    row = documents.HOSPITAL["strategies"][0] | {"key": key}
    assert key in text_of(messages.hospital(documents.HOSPITAL | {"strategies": [row]}))


def test_a_strategy_without_trades_is_not_ranked():
    document = documents.strategy()
    document["standing"]["rank"] = None
    assert "not ranked" in text_of(messages.strategy(document))


def test_a_sharpe_ratio_has_its_interval():
    document = documents.strategy()
    document["standing"] |= {"sharpe": 1.234, "sharpe_low": -0.34, "sharpe_high": 2.81}
    assert "Sharpe ratio 1.23 (95% interval -0.3 to 2.8)" in text_of(messages.strategy(document)).replace("\u2212", "-")
    document["standing"] |= dict.fromkeys(("sharpe", "sharpe_low", "sharpe_high"))
    assert "95% interval" not in text_of(messages.strategy(document))


def test_the_pages_hold_all_strategies():
    rows = [
        documents.HOSPITAL["strategies"][0] | {"key": f"key_{number}", "health_score": number} for number in range(50)
    ]
    rows[0] |= {"health_score": None, "status": "observation"}
    pages = messages.hospital(documents.HOSPITAL | {"strategies": rows})
    assert len(pages) == 4
    assert all(f"key_{number}" in text_of(pages) for number in range(50))
    assert text_of(pages).index("key_49") < text_of(pages).index("key_1\n")


def test_an_unknown_category_lists_the_categories():
    category = documents.HOSPITAL["strategies"][0]["category"]
    assert f"/hospital {category}" in text_of(messages.hospital(documents.HOSPITAL, "moon"))


@pytest.mark.parametrize("language", TRANSLATIONS)
@pytest.mark.parametrize("write", [messages.hospital, messages.snapshot])
def test_the_limits_of_a_score_are_translated(language, write):
    with speaking(language):
        assert "A score describes" not in text_of(write(documents.HOSPITAL))
