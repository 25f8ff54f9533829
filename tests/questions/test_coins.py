"""Coins outside the seven in a text: by name, by ticker, and what is no coin."""

from __future__ import annotations

from contextlib import suppress

import pytest

from service.errors import InvalidQuestion, InvalidRequest
from service.questions import Circumstances, coins_to_price, understand
from service.questions.coins import Coins, named_coins, read_markets
from tests.cpu import least_cpu_s
from tests.questions.asking import NOW, SPOTS

TICKERS = "1inch ai ada ath bch doge gas high link me near not one pepe pump shib sui the trump up wif"
COINS = Coins(frozenset(TICKERS.split()), "No exchange lists it.")
PRICES = {**SPOTS, **dict.fromkeys(COINS.keys, 0.3), "pepe": 0.00000812}


@pytest.mark.parametrize(
    ("text", "asset", "other"),
    [
        ("will dogecoin reach 0.5 by Friday", "doge", None),
        ("will doge rise tomorrow", "doge", None),
        ("Will Dogecon rise tomorrow?", "doge", None),
        ("Will Dogecoin (DOGE) hit $0.5 by Friday?", "doge", None),
        ("Will DOGE/USDT close above 0.35 on Friday?", "doge", None),
        ("Will DOGEUSD rise tomorrow?", "doge", None),
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
        ("Wird Dogecoin am Freitag über 0,5 USD liegen?", "doge", None),
        ("ドージコインは金曜日に0.5ドルに達しますか？", "doge", None),
        ("Dogecoin 1 dolar olur mu?", "doge", None),
        ("Will bitcoin cash rise tomorrow?", "bch", None),
        ("Will DOGE outperform BTC this week?", "doge", "btc"),
        ("Will bitcoin outperform $WIF this week?", "btc", "wif"),
        ("ETH/DOGE up tomorrow?", "eth", "doge"),
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
        ("Will WIF flip DOGE?", "Market values"),
    ],
)
def test_what_is_no_coin_is_refused_with_the_reason(text, reason):
    with pytest.raises(InvalidRequest, match=reason):
        understand(text, Circumstances(NOW, PRICES, coins=COINS))


@pytest.mark.parametrize(
    ("text", "coins"),
    [
        ("Will dogecoin rise tomorrow?", ("doge",)),
        ("Will dogecoin hit 0.00001 by Friday?", ("doge",)),
        ("Will the SEC approve a dogecoin ETF by June?", ()),
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
    assert named_coins(read_markets("Will \ue001 rise against DOGE tomorrow?", COINS)) == ("doge",)


@pytest.mark.parametrize("unit", ["DOGE ", "$doge ", "NEAR ", "HIGH ", "A1", "\ue000", "1INCH/", "UP-USD "])
def test_reading_coins_takes_milliseconds(unit):
    text = f"Will {unit * 200}"[:500].strip()

    def read() -> None:
        with suppress(InvalidQuestion):  # too many words
            named_coins(read_markets(text, COINS))

    assert least_cpu_s(read) < 0.005
