"""Prices, forecasts, texts that only ask for one, and the captions of charts."""

from __future__ import annotations

import pytest

from bot.languages import LANGUAGES, speaking
from bot.messages import prices
from bot.messages.markup import CAPTION
from tests.bot import documents
from tests.bot.documents import HOSTILE, every_string, repeated
from tests.bot.messages.reading import text_of, texts_of

QUOTE = documents.PRICES["prices"][0]


def priced(**parts) -> list[str]:
    """The lines of the page of Bitcoin, whose quote has these parts."""
    return text_of(prices.one_price(documents.PRICES | {"prices": [QUOTE | parts]}, "btc")).split("\n")


@pytest.mark.parametrize(
    ("text", "key"),
    {" Bitcoin ": "btc", "BTC/USDT": "btc", "btc-usd": "btc", "GOLD": "gold", "bit": None, "": None}.items(),
)
def test_an_asset_is_found_by_its_key_or_name(text, key):
    assert prices.find_asset(text, ["btc", "gold"]) == key


def test_a_price_has_its_change_and_range():
    """That of a closed market has its time; a change that is shown as zero has no side."""
    page = "\n".join(priced())
    assert "Bitcoin 53,212 USD" in page
    assert "in 24 hours, between" in page
    assert "closed" not in page
    lines = priced(market_open=False, as_of="2026-11-20T22:00:00Z")
    assert lines[1] == "This market is closed. The price is of 2026-11-20 22:00 UTC."
    assert "in the 24 hours before, between" in lines[2]
    lines = priced(change_24h_pct=0.04)
    assert lines[0].startswith("■ Bitcoin")
    assert lines[1].startswith("0.0% in 24 hours")


@pytest.mark.parametrize(
    ("amount", "currency", "value", "lines"),
    [
        (0.5, None, 30_000, ["0.5 Bitcoin = 30,000 USD"]),
        (2, "EUR", 100_000, ["2 Bitcoin = 100,000 EUR", "1 EUR = 1.20 USD"]),
        (2, "JPY", None, ["2 Bitcoin = 120,000 USD", "Prices here are in USD."]),
        (1, "other", None, ["Prices here are in USD."]),
        (None, None, 60_000, []),
    ],
)
def test_an_amount_is_said_in_its_currency(amount, currency, value, lines):
    """In USD where there is no rate."""
    reading = {"amount": amount, "currency": currency, "value": value}
    text = prices.conversion({"asset": "btc", "price": 60_000}, reading)
    assert (text_of(text).splitlines() if text else []) == lines


def test_every_asset_has_a_row():
    """Closed markets are named below the table."""
    page = text_of(prices.prices(documents.PRICES))
    assert all(f"{quote['price']:,.0f}"[:3] in page for quote in documents.PRICES["prices"])
    quotes = [quote | {"market_open": quote["asset"] != "btc"} for quote in documents.PRICES["prices"]]
    assert "the day before it: Bitcoin." in text_of(prices.prices(documents.PRICES | {"prices": quotes}))
    quotes = [quote | {"market_open": True} for quote in quotes]
    assert "Closed" not in text_of(prices.prices(documents.PRICES | {"prices": quotes}))


@pytest.mark.parametrize(("now", "levels"), [(53_212.0, [50_600.0, 55_900.0]), (1_234.0, [1_170.0, 1_300.0])])
def test_the_levels_of_an_alert_are_round(now, levels):
    """About 5% below and above, with three digits that mean something."""
    assert [level for _, level in prices.price_levels(now)] == levels
    assert [label[0] for label, _ in prices.price_levels(now)] == ["▼", "▲"]


def test_every_horizon_has_the_bounds_of_nine_tenths():
    document = documents.forecast()
    page = text_of(prices.forecast(document))
    for horizon in document["horizons"]:
        low, high = (f"{horizon['quantiles'][level]:,.0f}" for level in ("5", "95"))
        (row,) = (row for row in page.split("\n") if row.startswith(horizon["horizon"] + " "))
        assert row.split()[1:] == [low, high]
    assert "90% of outcomes" in page
    assert ["from", "to"] in [row.split() for row in page.split("\n")]


@pytest.mark.parametrize(
    ("until", "label", "rows"),
    [
        ("2026-12-19T23:59:59Z", "2026-12-19", 8),
        ("2026-11-21T17:00:00Z", "17:00 UTC", 8),
        ("2027-06-30T23:59:59Z", "2027-06-30", 1),
    ],
)
def test_a_date_is_the_first_row_and_a_far_one_the_only(until, label, rows):
    """Of the day itself the time of day; beyond the last horizon it stands alone."""
    document = documents.forecast()
    horizon = document["horizons"][0] | {"until": until, "quantiles": {"5": 40_000, "95": 70_000}}
    lines = text_of(prices.forecast(document, horizon)).split("\n")
    assert lines[2].split("  ", 1)[0] == label
    assert lines[2].split()[-2:] == ["40,000", "70,000"]
    assert lines[2 + rows].startswith("90% of outcomes")


@pytest.mark.parametrize(
    ("language", "units"), [("fr", ["1 h", "7 j"]), ("tr", ["1 sa", "7 gün"]), ("zh", ["1 小时", "7 天"])]
)
def test_the_units_of_time_are_in_the_language(language, units):
    with speaking(language):
        rows = text_of(prices.forecast(documents.forecast())).split("\n")
    assert [unit for unit in units if any(row.startswith(unit) for row in rows)] == units


def test_all_assets_are_shown_for_the_next_day():
    """An asset whose market opens later has no forecast for that day, and no row; without any the reason is given."""
    gold = documents.forecast() | {"asset": "gold", "horizons": documents.forecast()["horizons"][3:]}
    page = text_of(prices.forecasts([documents.forecast(), gold]))
    day = next(horizon for horizon in documents.forecast()["horizons"] if horizon["horizon"] == "24h")
    (row,) = (row for row in page.split("\n") if row.startswith("Bitcoin"))
    assert row.split()[1:] == [f"{day['quantiles'][level]:,.0f}" for level in ("5", "95")]
    assert "Gold" not in page
    assert "while the market is open" in text_of(prices.forecasts([]))


CAPTIONS = {
    "price": (documents.PRICES, lambda it: prices.price_caption(it, it["prices"][0], documents.forecast())),
    "forecast": (documents.forecast(), lambda it: prices.forecast_caption(it, "7d")),
    "answer": (documents.ANSWER, prices.answer_caption),
}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("price", "▲ Bitcoin 53,212 USD\n+2.1% in 24 hours, between"),
        ("price", "After 24 hours, 90% of outcomes: 51,490 to 54,992 USD"),
        ("forecast", "Bitcoin 53,212 USD now"),
        ("forecast", "After 7 days, 90% of outcomes: 48,776 to 58,051 USD"),
        ("forecast", "After 7 days, 50% of outcomes: 51,348 to 55,144 USD"),
        ("answer", "About as likely as not: 56%\nBitcoin reaches 55,872 USD\nby 2026-11-30 23:59 UTC"),
        *((kind, "as of 2026") for kind in CAPTIONS),
    ],
)
def test_a_caption_states_what_the_chart_shows(kind, words):
    document, write = CAPTIONS[kind]
    assert words in text_of(write(document))


@pytest.mark.parametrize("kind", CAPTIONS)
def test_a_caption_fits_below_a_photo(kind):
    """In 1,024 characters, in every language, and for any texts but the name of a period."""
    document, write = CAPTIONS[kind]
    texts_of(write(every_string(repeated(document, 9), lambda text: text if text == "7d" else HOSTILE * 600)), CAPTION)
    for language in LANGUAGES:
        with speaking(language):
            texts_of(write(document), CAPTION)


def test_a_card_links_to_what_it_shows():
    """A forwarded photo keeps its caption, not its buttons."""
    caption = prices.answer_caption(documents.ANSWER, "https://t.me/ninefold_bot?start=answer_x")
    assert '<a href="https://t.me/ninefold_bot?start=answer_x">Open in the bot</a>' in caption
