"""The panel of the oracle over a stream that a test holds or breaks off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from threading import Event
from typing import Any

import pytest

from notebooks.widgets import OraclePanel
from service.client import Client, ConnectionFailed
from service.market.instants import utc
from tests.running_service import QUESTION, RunningService


@pytest.fixture
def stream(client: Client) -> StreamingClient:
    return StreamingClient(client)


@pytest.fixture
def oracle_panel(stream: StreamingClient, running: RunningService) -> Iterator[OraclePanel]:
    panel = OraclePanel(stream, now=lambda: utc(running.wall))
    yield panel
    stream.go_on.set()
    panel.close()


@pytest.fixture
def answered(oracle_panel: OraclePanel) -> OraclePanel:
    """The panel after one answer."""
    oracle_panel.ask(QUESTION, wait=True)
    return oracle_panel


PATIENCE_S = 10


Events = list[dict[str, Any]]


class StreamingClient:
    """A real client whose stream a test changes, holds before an event, or breaks off there."""

    def __init__(self, client: Client) -> None:
        self.client, self.timeout_s = client, client.timeout_s
        self.change: Callable[[Events], Events] = lambda events: events
        self.held_at: int | None = None
        self.fault_at: int | None = None
        self.held, self.go_on = Event(), Event()
        self.questions: list[str] = []
        self.is_closed = False

    def ask_stream(self, question: str) -> Iterator[dict[str, Any]]:
        self.questions.append(question)
        try:
            for place, event in enumerate(self.change(deepcopy(list(self.client.ask_stream(question))))):
                if place == self.held_at:
                    self.held.set()
                    assert self.go_on.wait(PATIENCE_S)
                if place == self.fault_at:
                    raise ConnectionFailed("The connection broke.")
                yield event
        finally:
            self.is_closed = True

    def usage(self) -> dict[str, Any]:
        return self.client.usage()


def votes(**probabilities: float) -> Callable[[Events], Events]:
    """A change of the votes in the final answer."""

    def change(events: Events) -> Events:
        for name, p in probabilities.items():
            vote = events[-1]["votes"][name]
            vote["p_yes"] = p
        return events

    return change


def consensus(**fields: Any) -> Callable[[Events], Events]:
    """A change of the consensus in the final answer."""

    def change(events: Events) -> Events:
        events[-1]["consensus"] |= fields
        return events

    return change
