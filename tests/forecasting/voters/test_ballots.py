"""A ballot is what a voter answers; the time it took is no part of it."""

from __future__ import annotations

from service.forecasting.voters.ballots import Abstention, Ballot, Forecast


def test_the_time_of_a_vote_is_no_part_of_it():
    forecast = Forecast(0.6, "because")
    fast, slow = (Ballot("vol", "embedded", forecast, latency_ms) for latency_ms in (1.0, 900.0))
    assert (fast == slow, fast.p) == (True, 0.6)
    assert fast != Ballot("vol", "ollama:llama3.2", forecast, 1.0)


def test_a_forecast_with_a_prompt_is_of_a_model():
    """A fallback of the embedded engine has none."""
    assert Forecast(0.6, "because", prompt="ab").is_of_model
    assert not Forecast(0.6, "because", fallback=True).is_of_model


def test_an_abstention_says_why():
    assert (Abstention("no bars").reason, str(Abstention("no bars"))) == ("no bars", "no bars")
