"""The theme of charts."""

from __future__ import annotations

import pytest

from tests.bot.store.people import ANN, BEN


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_each_person_has_a_theme(store, again, theme):
    store.set_chart_theme(ANN, ANN, "dark")
    store.set_chart_theme(ANN, ANN, theme)
    assert (again.chart_theme(ANN), again.chart_theme(BEN)) == (theme, "light")


def test_the_theme_is_no_alert(store):
    before = store.switches(ANN)
    store.set_chart_theme(ANN, ANN, "dark")
    assert store.switches(ANN) == before


def test_the_theme_outlives_a_blocked_bot(store):
    """Blocking the bot switches off all alerts of the chat."""
    store.set_chart_theme(ANN, ANN, "dark")
    store.switch_off(ANN)
    assert store.chart_theme(ANN) == "dark"
    store.set_chart_theme(ANN, ANN, "light")
    assert store.chart_theme(ANN) == "light"


def test_the_theme_is_forgotten(store):
    store.set_chart_theme(ANN, ANN, "dark")
    assert store.forget(ANN)["alerts"] == 1
    assert store.chart_theme(ANN) == "light"
