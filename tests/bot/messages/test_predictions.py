"""Markets and the track record."""

from __future__ import annotations

from bot import messages
from bot.messages import predictions
from tests.bot import documents
from tests.bot.messages.reading import text_of, texts_of


def test_a_page_holds_the_markets_of_its_buttons():
    """Every page shows the next MARKETS_A_PAGE markets, each with its number."""
    markets = [documents.PREDICTIONS["markets"][0] | {"question": f"Question {index}?"} for index in range(1, 11)]
    page = texts_of(messages.predictions.markets(documents.PREDICTIONS | {"markets": markets, "count": 10}))
    page_size = messages.predictions.MARKETS_A_PAGE
    assert len(page) == -(-10 // page_size)
    for index in range(10):
        assert f"{index + 1}. Question {index + 1}?" in page[index // page_size]


def test_simulated_odds_and_backfilled_votes_are_marked():
    market = documents.PREDICTIONS["markets"][0]
    odds = (market["market_odds"] or {}) | {"p_yes": 0.38, "simulated": True}
    page = text_of(
        messages.predictions.markets(
            documents.PREDICTIONS | {"markets": [market | {"market_odds": odds, "backfilled": True}]}
        )
    )
    assert "market 38% (SIMULATED)" in page
    assert "backfilled" in page


def test_no_open_market_is_stated():
    assert "No market is open" in text_of(
        messages.predictions.markets(documents.PREDICTIONS | {"markets": [], "count": 0})
    )


def test_odds_of_a_real_market_are_not_marked_simulated():
    versus = documents.versus()
    versus["books"] = [book | {"simulated": 0} for book in versus["books"]]
    assert "(SIMULATED)" not in predictions.verdict(versus)
