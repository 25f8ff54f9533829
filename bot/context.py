"""What a handler finds in its context beside what the library puts there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from telegram import Update
from telegram.ext import CallbackContext, ExtBot

from bot.service import Service
from bot.store import Store
from bot.views import Request


@dataclass(frozen=True)
class Rooms:
    """The parts that all handlers share; `asking` are the ids of those whose question is open."""

    service: Service
    store: Store
    now: Callable[[], datetime]
    asking: set[int] = field(default_factory=set)


class Context(CallbackContext[ExtBot, dict, dict, dict]):
    """A context of the library that knows the bot's own parts."""

    @property
    def rooms(self) -> Rooms:
        return self.bot_data["rooms"]

    @property
    def service(self) -> Service:
        return self.rooms.service

    @property
    def store(self) -> Store:
        return self.rooms.store

    def request(self, update: Update, argument: str = "", page: int = 0) -> Request:
        """Who wants to see what."""
        return Request(
            service=self.service,
            store=self.store,
            user_id=update.effective_user.id,
            chat_id=update.effective_chat.id,
            now=self.rooms.now(),
            argument=argument,
            page=page,
        )
