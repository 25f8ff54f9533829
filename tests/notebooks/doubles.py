"""What stands between a panel and the service in a test: the real answers, changed or refused as the test says."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from service.client import Client, ClientError


class Between:
    """The real client with a test in between.

    `fault` is raised instead of any answer; `changes` gives, by the client's method, what becomes of its answer;
    `asked` is what was asked so far.
    """

    def __init__(self, client: Client) -> None:
        self.client, self.timeout_s = client, client.timeout_s
        self.fault: ClientError | None = None
        self.changes: dict[str, Callable[[Any], Any]] = {}
        self.asked: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(*arguments: Any, **options: Any) -> Any:
            self.asked.append((name, *arguments))
            if self.fault:
                raise self.fault
            document = deepcopy(getattr(self.client, name)(*arguments, **options))
            return self.changes[name](document) if name in self.changes else document

        return ask
