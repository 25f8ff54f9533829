"""The leaderboard."""

from __future__ import annotations

from bot import messages
from tests.bot import documents, examples
from tests.bot.messages.reading import text_of


def test_the_leaderboard_shows_comparisons_and_luck():
    """Next to the ranking stand buying and holding, a coin flip, and a warning about chance."""
    page = text_of(messages.top(examples.LEADERBOARD))
    assert all(ghost["key"].replace("_", " ") in page for ghost in examples.LEADERBOARD["ghosts"])
    assert "by chance" in page


def test_the_longest_key_is_shown_in_full():
    """/strategy needs the complete key."""
    key = "time_series_momentum_medium"
    assert key in text_of(
        messages.top(
            examples.LEADERBOARD | {"entries": [examples.LEADERBOARD["entries"][0] | {"key": key, "pnl_pct": -61.44}]}
        )
    )
    row = examples.HOSPITAL["strategies"][0] | {"key": key}
    assert key in text_of(messages.hospital(examples.HOSPITAL | {"strategies": [row]}))


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
