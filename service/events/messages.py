"""A message to an endpoint, and what came of sending it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from service.documents import World
from service.events.event import Event, TestMessage

EVENT = TypeAdapter(Event)


@dataclass(frozen=True)
class Message:
    """An event as it is sent; every attempt has the same `id` and the same `body`. `seq` is None for a test."""

    id: str
    seq: int | None
    event: str
    body: str


@dataclass(frozen=True)
class Attempt:
    """An attempt to send a message, that began at the wall second `at`.

    `status` is the HTTP status, None without an answer; `error` says why it failed, None if it was accepted.
    """

    message: Message
    at: int
    duration_ms: int
    status: int | None
    error: str | None


def message_of(endpoint: str, event: Event) -> Message:
    """The message about an event to the endpoint of that id."""
    return Message(f"msg_{endpoint}_{event.id}", event.id, event.type, EVENT.dump_json(event).decode())


def test_message(endpoint: str, world: World, at: datetime, nonce: str) -> Message:
    """A message about no event, at the world instant `at`; `nonce` tells one test from another."""
    event = Event(None, "webhook.test", at, world, (), TestMessage("This endpoint can be reached."))
    return Message(f"test_{endpoint}_{nonce}", None, event.type, EVENT.dump_json(event).decode())
