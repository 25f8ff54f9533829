"""The results of vectorbt, an independent backtester, on the same simulated bars (tests/measure/referee.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service.market.bars import Bars
from service.trading.accounts import AccountTerms
from service.trading.arena import Arena, run
from tests.trading import markets

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())


def test_the_bars_are_those_of_the_referee(hours: dict[str, Bars]):
    assert markets.digest(hours) == GOLDEN["bars"], "the simulated market has changed: run `make referee`"


@pytest.fixture(scope="module")
def free_arena(hours: dict[str, Bars]) -> Arena:
    """All accounts without interest on shorts, of which the referee knows nothing."""
    return run(hours, {}, markets.NEW_YEAR, AccountTerms(borrow=0))


@pytest.mark.parametrize("key", GOLDEN["equity"])
def test_every_account_ends_with_the_referees_capital(key: str, free_arena: Arena):
    ours = {asset: account.equity for asset, account in free_arena.strategies[key].items()}
    assert ours == pytest.approx(GOLDEN["equity"][key], rel=1e-9)
