"""Asking DefiLlama for pools: what a server may do to a caller that must go on."""

from __future__ import annotations

import time

import pytest

from service.errors import SourceFailed
from service.sources import bounded_session, pools
from tests.sources.conftest import ExchangeServer, serve


@pytest.fixture
def llama():
    yield from serve(ExchangeServer(routes=lambda *_: {"status": "success", "data": []}))


def drip(handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while not handler.exchange.closing.wait(0.05):
        handler.wfile.write(b" ")


def hang(handler) -> None:
    handler.exchange.closing.wait()


def broken(handler) -> None:
    handler.reply(200, b"<html>busy</html>")


def endless(handler) -> None:
    handler.reply(200, b" " * 200_000)


def refusing(status: int):
    return lambda handler: handler.reply(status, b"{}")


def test_an_answer_is_told_as_it_stands(llama):
    assert pools.fetch(f"{llama.address}/pools", 5) == {"status": "success", "data": []}


@pytest.mark.parametrize("fault", [refusing(500), refusing(429), broken, endless])
def test_whatever_else_comes_is_a_source_that_failed(llama, fault, monkeypatch):
    """Also one that sends more than a list can hold."""
    monkeypatch.setattr(bounded_session, "MOST_BYTES", 100_000)
    llama.fault = fault
    with pytest.raises(SourceFailed, match="DefiLlama gave no pools"):
        pools.fetch(f"{llama.address}/pools", 5)


@pytest.mark.parametrize("fault", [hang, drip])
def test_the_deadline_is_one_for_the_whole_answer(llama, fault):
    llama.fault, began = fault, time.monotonic()
    with pytest.raises(SourceFailed):
        pools.fetch(f"{llama.address}/pools", 0.3)
    assert time.monotonic() - began < 1.5
