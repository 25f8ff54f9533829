"""The assets that a title names."""

from __future__ import annotations

import doctest

import pytest

from service.forecasting.news import naming
from service.forecasting.news.naming import named


def test_the_example_in_the_documentation_is_true():
    assert doctest.testmod(naming) == (0, 1)


@pytest.mark.parametrize(
    ("title", "assets"),
    [
        ("Bitcoin and Ether slip, SOL holds", ("btc", "eth", "sol")),
        ("Ripple's XRP gains; BNB flat", ("bnb", "xrp")),
        ("Spot gold and silver at a high", ("gold", "silver")),
        ("Athlete wins gold medal", ()),
        ("Bitcoin Cash forks, Ethereum Classic waits", ()),
        ("Goldman hires; solid week for silverware", ()),
        ("A method of method acting", ()),
    ],
)
def test_the_assets_of_a_title(title, assets):
    assert named(title) == assets
