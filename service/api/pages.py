"""Lists in pages: the parameters they share, and the link to the next page."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Response, request
from pydantic import Field, TypeAdapter

from service import canonical
from service.api import encoding, headers
from service.api.inputs import Begin, End, Query, require_order
from service.api.services import services
from service.store import cursors, sequences
from service.store.cursors import PageKey
from service.store.sequences import SequenceName
from service.store.snapshots import to_json

MOST = 200


class PageQuery(Query):
    """Which page."""

    limit: int = Field(100, ge=1, le=MOST, description="rows on a page")
    cursor: str | None = Field(
        None, min_length=1, max_length=cursors.LONGEST, description="the `next` of the page before; same filters only"
    )


class WindowQuery(PageQuery):
    """Which page of what happened in a window of time."""

    since: Begin | None = Field(None, description="date or instant, ISO 8601; without it the first that is stored")
    until: End | None = Field(None, description="date or instant, ISO 8601; without it now")

    def scope(self, *selection: str) -> str:
        """The name of this list for its cursors; `selection` is its name and what selects it besides the window."""
        return canonical.write([*selection, self.since, self.until])

    def after(self, scope: str) -> PageKey | None:
        """Where the page before ended, None for the first one; raises InvalidRequest for a cursor of another list."""
        return cursors.read(scope, self.cursor) if self.cursor else None

    def span(self, now: int) -> tuple[int, int]:
        """The window in unix seconds, which ends by `now`; raises InvalidRequest if it ends before it starts."""
        until = min(now, self.until or now)
        if self.since is not None:
            require_order(self.since, until)
        return self.since or 0, until


def link(following: str | int | None, parameter: str = "cursor") -> None:
    """Point the answer of this request to the page at `following`, the value of `parameter`, if there is one."""
    if following is None:
        return
    parameters = {name: value for name, value in request.args.items() if name != parameter} | {parameter: following}
    headers.add([("Link", f'<{request.path}?{urlencode(parameters)}>; rel="next"')])


def page(document: object, following: str | None, max_age: int) -> Response:
    """A page, which is a dataclass, compressed, with its ETag and its link to the next one."""
    link(following)
    return encoding.document(encoding.BodyBytes(to_json(document)), max_age=max_age)


def sequence_page(
    name: SequenceName, query: WindowQuery, kind: TypeAdapter, schema: str, rows: str, max_age: int
) -> Response:
    """A page of a stored sequence, newest first: a document of its kind, with the rows under their name."""
    parts = services()
    scope, (since, until) = query.scope(name), query.span(parts.clock.at(parts.now()))
    with parts.database.reading() as db:
        stored = sequences.newest(db, name, since, until, query.limit + 1, query.after(scope))
    next = cursors.following(scope, [row.key for row in stored], query.limit)
    bodies = [row.body for row in stored[: query.limit]]
    header = {"schema": schema, "world": parts.clock.world, "count": len(bodies), "next": next}
    return page(kind.validate_python(header | {rows: bodies}), next, max_age)
