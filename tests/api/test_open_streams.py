"""The event streams of a process: so many of a caller, so many in all, none after the end."""

from __future__ import annotations

import pytest

from service.access.quota import EVENT_STREAMS
from service.api import open_streams
from service.api.open_streams import OpenStreams
from service.errors import Busy
from tests.api.web import Web


def test_streams_are_bounded_per_caller_and_in_all():
    """A caller's fifth ends the oldest, whose place is free once it is closed."""
    streams = OpenStreams(EVENT_STREAMS + 2)
    opened = [streams.open("a") for _ in range(EVENT_STREAMS + 1)]
    assert [stream.wait(0) for stream in opened] == [False] + [True] * EVENT_STREAMS
    streams.open("b")
    with pytest.raises(Busy):
        streams.open("c")
    for _ in range(2):
        opened[0].close()
    streams.open("c")


@pytest.mark.parametrize("several", range(1, EVENT_STREAMS + 1))
def test_no_stream_ends_for_the_last_that_a_caller_may_open(several: int):
    streams = OpenStreams(EVENT_STREAMS)
    opened = [streams.open("a") for _ in range(several)]
    assert all(stream.wait(0) for stream in opened)


def test_a_closed_stream_gives_its_place_back(web: Web):
    """Also one whose caller goes before it begins."""
    for method in ("HEAD", "GET") * EVENT_STREAMS:
        with web.send(method, "/api/v1/events") as answer:
            assert answer.status_code == 200


def test_a_stopping_server_ends_its_streams(web: Web):
    open_streams.of(web.app).stop()
    refused = web.send("GET", "/api/v1/events")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "10")
