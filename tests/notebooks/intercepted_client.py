"""A client of the real service whose responses a test changes or replaces with an error."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from service.client import Client, ClientError


class InterceptedClient:
    """A real client with a test in between.

    `fault` is raised instead of every response. `changes` maps a method of the client to a function of its response.
    `calls` holds the names of the called methods with their positional arguments.
    """

    def __init__(self, client: Client) -> None:
        self.client, self.timeout_s = client, client.timeout_s
        self.fault: ClientError | None = None
        self.changes: dict[str, Callable[[Any], Any]] = {}
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.calls.append((name, *arguments))
            if self.fault:
                raise self.fault
            document = deepcopy(getattr(self.client, name)(*arguments, **options))
            return self.changes[name](document) if name in self.changes else document

        return call
