"""The first signal asks a process to finish, the second ends it."""

from __future__ import annotations

import signal

import pytest

from service.supervisor import stop_signals


@pytest.fixture(autouse=True)
def handlers():
    """The handlers are as before after each test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield before
    for number, handler in before.items():
        assert signal.getsignal(number) == handler
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_first_signal_asks_to_stop(number: signal.Signals, handlers):
    """It wakes who waits, and the second one has its usual effect again."""
    woken = []
    with stop_signals(lambda: woken.append("woken")) as stopping:
        assert not stopping.is_set()
        signal.raise_signal(number)
        assert (stopping.is_set(), woken) == (True, ["woken"])
        assert {number: signal.getsignal(number) for number in handlers} == handlers


def test_without_a_signal_the_handlers_come_back(handlers):
    with stop_signals():
        assert all(signal.getsignal(number) != handler for number, handler in handlers.items())
