"""Coins outside the seven in a text: by name, by ticker, and what is no coin."""

from __future__ import annotations

from contextlib import suppress

import pytest

from service.errors import InvalidQuestion, InvalidRequest
from service.questions import Circumstances, coins_to_price, understand
from service.questions.coins import Coins, named_coins, read_markets
from tests.cpu import least_cpu_s
from tests.questions.asking import NOW, SPOTS

TICKERS = "1inch ai ada ath bch gas high link me near not one pepe pump shib sui the trump up wif"
COINS = Coins(frozenset(TICKERS.split()), "No exchange lists it.")
PRICES = {**SPOTS, **dict.fromkeys(COINS.keys, 0.3), "pepe": 0.00000812}


@pytest.mark.parametrize(
    ("text", "asset", "other"),
    [
        ("will shiba inu reach 0.5 by Friday", "shib", None),
        ("will shib rise tomorrow", "shib", None),
        ("Will Chainlnk rise tomorrow?", "link", None),
        ("Will Shiba Inu (SHIB) hit $0.5 by Friday?", "shib", None),
        ("Will SHIB/USDT close above 0.35 on Friday?", "shib", None),
        ("Will SHIBUSD rise tomorrow?", "shib", None),
        ("Will WIF rise tomorrow?", "wif", None),
        ("$wif to 0.5 by Friday", "wif", None),
        ("1INCH above 0.4 on Friday?", "1inch", None),
        ("Will NEAR hit 0.4 tomorrow?", "near", None),
        ("Will the near coin rise tomorrow?", "near", None),
        ("will link price reach 0.5 by Friday?", "link", None),
        ("will one token rise tomorrow", "one", None),
        ("Will ONE rise tomorrow?", "one", None),
        ("GAS above 0.35 on Friday?", "gas", None),
        ("Will HIGH rise tomorrow?", "high", None),
        ("Will pepe hit 0.00001 by Friday", "pepe", None),
        ("Wird Shiba Inu am Freitag über 0,5 USD liegen?", "shib", None),
        ("SHIBは金曜日に0.5ドルに達しますか？", "shib", None),
        ("Shiba Inu 1 dolar olur mu?", "shib", None),
        ("Will bitcoin cash rise tomorrow?", "bch", None),
        ("Will SHIB outperform BTC this week?", "shib", "btc"),
        ("Will bitcoin outperform $WIF this week?", "btc", "wif"),
        ("ETH/SHIB up tomorrow?", "eth", "shib"),
    ],
)
def test_a_coin_is_named(text, asset, other):
    """The canonical sentence names the same coins again."""
    question = understand(text, Circumstances(NOW, PRICES, coins=COINS))
    assert (question.asset, question.other_asset) == (asset, other)
    copy = understand(question.canonical, Circumstances(NOW, PRICES, coins=COINS))
    assert (copy.assets, copy.comparator, copy.level) == (question.assets, question.comparator, question.level)


@pytest.mark.parametrize(
    "text",
    [
        "will bitcoin be near 100k tomorrow",
        "Will BTC go UP tomorrow?",
        "Will one bitcoin cost 100k tomorrow?",
        "Will BTC hit 100k NOT just touch it by Friday?",
        "WILL BITCOIN BE NEAR 100K TOMORROW?",
        "Will BTC rise if AI stocks rise?",
    ],
)
def test_a_word_that_is_also_a_ticker_is_no_coin(text):
    assert named_coins(read_markets(text, COINS)) == ()
    assert understand(text, Circumstances(NOW, PRICES, coins=COINS)).asset == "btc"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Will it hit ATH by EOD?", "names no"),
        ("will the link to the report rise", "names no"),
        ("Will Ethereum gas price fall tomorrow?", "fees"),
        ("Will USDC be above 1.01 on Friday?", "stablecoin is meant"),
        ("Will aave rise tomorrow?", "No exchange lists it"),
        ("Will altcoins rise tomorrow?", "not covered. Ask"),
        ("Will WIF flip SHIB?", "Market values"),
    ],
)
def test_what_is_no_coin_is_refused_with_the_reason(text, reason):
    with pytest.raises(InvalidRequest, match=reason):
        understand(text, Circumstances(NOW, PRICES, coins=COINS))


@pytest.mark.parametrize(
    ("text", "coins"),
    [
        ("Will shiba inu rise tomorrow?", ("shib",)),
        ("Will shiba inu hit 0.00001 by Friday?", ("shib",)),
        ("Will the SEC approve a shiba inu ETF by June?", ()),
        ("Will Coinbase list PEPE by December 31?", ()),
        ("Will bitcoin rise tomorrow?", ()),
    ],
)
def test_prices_of_a_coin_are_needed_for_no_topic(text, coins):
    assert coins_to_price(text, Circumstances(NOW, SPOTS, coins=COINS)) == coins


@pytest.mark.parametrize("text", ["Will WIF be above its 50-day moving average tomorrow?", "New yearly high for WIF?"])
def test_past_prices_of_a_coin_that_are_not_stored_are_refused(text):
    with pytest.raises(InvalidQuestion, match="WIF"):
        understand(text, Circumstances(NOW, PRICES, coins=COINS))


def test_private_letters_of_a_text_name_no_coin():
    """Such letters stand for mentions inside; those of a caller are ignored."""
    assert named_coins(read_markets("Will \ue000 rise tomorrow?", COINS)) == ()
    assert named_coins(read_markets("Will \ue001 rise against SHIB tomorrow?", COINS)) == ("shib",)


@pytest.mark.parametrize("unit", ["SHIB ", "$shib ", "NEAR ", "HIGH ", "A1", "\ue000", "1INCH/", "UP-USD "])
def test_reading_coins_takes_milliseconds(unit):
    text = f"Will {unit * 200}"[:500].strip()

    def read() -> None:
        with suppress(InvalidQuestion):  # too many words
            named_coins(read_markets(text, COINS))

    assert least_cpu_s(read) < 0.005
