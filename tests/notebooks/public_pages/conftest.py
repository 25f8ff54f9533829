"""Publishers over the seeded service, without a key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import httpx
import pytest

from notebooks.public_pages.catalogue import TOPICS, PageTopic
from notebooks.public_pages.publisher import Publisher, Site
from service.client import Client
from service.market.instants import utc
from tests.notebooks.conftest import ADDRESSES, InterceptedClient
from tests.running_service import RunningService

BuildPublisher = Callable[..., tuple[Publisher, Site, InterceptedClient]]


@pytest.fixture(scope="module")
def build_publisher(running: RunningService) -> Iterator[BuildPublisher]:
    """Builds publishers whose panels have requested their documents once; `fault` is raised instead of them."""
    with ExitStack() as stack:

        def build(topics: Sequence[PageTopic] = TOPICS, fault: Exception | None = None):
            transport = httpx.WSGITransport(running.client.application, remote_addr=next(ADDRESSES))
            client = InterceptedClient(stack.enter_context(Client("http://ninefold", transport=transport)))
            client.fault, site = fault, Site()
            publisher = Publisher(site, client, topics=topics, now=lambda: utc(running.wall))
            stack.callback(publisher.close)
            for name, panel in publisher.panels.items():
                assert panel.wait_until_loaded()
                publisher.publish(name)
            return publisher, site, client

        yield build


@pytest.fixture(scope="module")
def published(build_publisher: BuildPublisher) -> tuple[Publisher, Site]:
    """All pages."""
    publisher, site, _client = build_publisher()
    return publisher, site
