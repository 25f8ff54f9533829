"""The files of the public pages over HTTP."""

from __future__ import annotations

import gzip

import pytest
from flask.testing import FlaskClient

from notebooks.public_pages.publisher import NOT_FOUND, Site
from notebooks.public_pages.server import application


@pytest.fixture
def visitor() -> FlaskClient:
    site = Site()
    site.put("index.html", "home", "text/html; charset=utf-8")
    site.put("plotly-4.js", "code", "text/javascript; charset=utf-8", is_final=True)
    site.put(NOT_FOUND, "no such page", "text/html; charset=utf-8")
    return application(site).test_client()


def test_the_home_page_is_at_the_root(visitor: FlaskClient):
    response = visitor.get("/")
    assert (response.text, response.content_type) == ("home", "text/html; charset=utf-8")


def test_a_file_is_sent_compressed_to_a_browser(visitor: FlaskClient):
    response = visitor.get("/", headers={"Accept-Encoding": "gzip, br"})
    assert (response.content_encoding, gzip.decompress(response.data)) == ("gzip", b"home")
    assert response.vary.as_set() == {"accept-encoding"}


def test_an_unchanged_file_is_a_304(visitor: FlaskClient):
    etag = visitor.get("/").headers["ETag"]
    response = visitor.get("/", headers={"If-None-Match": etag})
    assert (response.status_code, response.data) == (304, b"")


def test_only_a_file_that_never_changes_is_kept(visitor: FlaskClient):
    """A browser asks for the others again, with their ETag."""
    assert visitor.get("/").headers["Cache-Control"] == "no-cache"
    assert visitor.get("/plotly-4.js").headers["Cache-Control"] == "max-age=31536000, immutable"


@pytest.mark.parametrize("path", ["/nothing", "/a/b", "/../site.py", "/%2e%2e%2fsite.py"])
def test_another_address_is_a_404_with_a_page(visitor: FlaskClient, path: str):
    response = visitor.get(path)
    assert (response.status_code, response.text) == (404, "no such page")


def test_a_page_may_load_nothing_from_another_host(visitor: FlaskClient):
    for path in ("/", "/nothing"):
        policy = visitor.get(path).headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "http" not in policy
        assert "unsafe-eval" not in policy
