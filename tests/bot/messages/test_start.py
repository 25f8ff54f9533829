"""The fixed texts."""

from __future__ import annotations

from bot import messages


def test_help_names_every_command():
    names = "ask lanes lane top markets challenge challenges hospital strategy accuracy news streaks fund brain alerts"
    for name in (*names.split(), "quota", "cancel", "privacy", "deleteme"):
        assert f"/{name}" in messages.help_text()


def test_the_first_screen_says_that_markets_can_be_simulated():
    assert "SIMULATED" in messages.start()
