"""Histories in pages: the parameters they share, the selection of a page, and the link to the next one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from flask import Response, request
from pydantic import Field
from sqlalchemy import Connection

from service import canonical
from service.api import responses
from service.api.inputs import Query, WindowEnd, WindowStart, require_order
from service.api.services import services
from service.api.windows import charge_rows
from service.store import pages
from service.store.pages import PageKey
from service.store.snapshots import to_json

PAGE_LIMIT = 200

Rows = TypeVar("Rows")


class PageQuery(Query):
    """Which page."""

    limit: int = Field(100, ge=1, le=PAGE_LIMIT, description="rows on a page")
    cursor: str | None = Field(
        None,
        min_length=1,
        max_length=pages.LONGEST_CURSOR,
        description="the `next` of the page before; same filters only",
    )


class WindowQuery(PageQuery):
    """Which page of what happened in a window of time."""

    since: WindowStart | None = Field(
        None, description="date or instant, ISO 8601; without it the first that is stored"
    )
    until: WindowEnd | None = Field(None, description="date or instant, ISO 8601; without it now")


class PageWindow(NamedTuple):
    """The rows of a page: at most `limit` between two unix seconds, both included, after the last of the page before.

    Lists whose rows are sorted by time alone narrow the window: `rising` is for the oldest first, `falling` for the
    newest first.
    """

    since: int
    until: int
    limit: int
    after: PageKey | None

    @property
    def rising(self) -> tuple[int, int]:
        since = max(self.since, min(int(self.after.value), self.until) + 1) if self.after else self.since
        return since, self.until

    @property
    def falling(self) -> tuple[int, int]:
        return self.since, min(self.until, int(self.after.value) - 1) if self.after else self.until


@dataclass(frozen=True)
class HistoryListing(Generic[Rows]):
    """A history that is read page by page: `select` gives the rows of a window, and `key` the key of one of them.

    Both also get what selects the rows besides the window. `name` tells the cursors of one list from those of another.
    """

    name: str
    select: Callable[Concatenate[Connection, PageWindow, ...], Rows]
    key: Callable[..., PageKey]

    def page(self, query: WindowQuery, *selection: str) -> tuple[Rows, str | None]:
        """The rows of the page that a query asks for, and the cursor of the next one; raises InvalidRequest.

        The answer gets a `Link` header to the next page. The window ends now at the latest, so one that begins later is
        empty. A cursor is valid for the same list with the same filters.
        """
        now = services().world_now
        until = min(now, query.until or now)
        if query.since is not None and query.until is not None:
            require_order(query.since, query.until)
        scope = canonical.write([self.name, *selection, query.since, query.until])
        after = pages.read_cursor(scope, query.cursor) if query.cursor else None
        with services().database.reading() as db:
            rows: Any = self.select(db, PageWindow(query.since or 0, until, query.limit + 1, after), *selection)
        charge_rows(len(rows))
        is_last = len(rows) <= query.limit
        next = None if is_last else pages.write_cursor(scope, self.key(rows[query.limit - 1], *selection))
        link(next)
        return rows[: query.limit], next


def link(following: str | int | None, parameter: str = "cursor") -> None:
    """Point the answer of this request to the page at `following`, the value of `parameter`, if there is one."""
    if following is None:
        return
    parameters = {name: value for name, value in request.args.items() if name != parameter} | {parameter: following}
    responses.add_headers([("Link", f'<{request.path}?{urlencode(parameters)}>; rel="next"')])


def page(document: object, max_age: int | None, *, is_final: bool = False) -> Response:
    """A page, which is a dataclass, compressed and with its ETag; the rest as in `responses.document`."""
    return responses.document(responses.BodyBytes(to_json(document)), max_age=max_age, is_final=is_final)
