"""The files of the public pages in memory."""

from __future__ import annotations

import gzip

from notebooks.public_pages.site import Site


def test_an_unchanged_file_is_the_same_object():
    """It keeps its ETag and is not compressed again."""
    site = Site()
    site.put("a.html", "text", "text/html")
    before = site.find("a.html")
    site.put("a.html", "text", "text/html")
    assert site.find("a.html") is before


def test_a_changed_file_has_another_etag():
    site = Site()
    site.put("a.html", "text", "text/html")
    before = site.find("a.html")
    site.put("a.html", "other", "text/html")
    assert site.find("a.html").etag != before.etag
    assert gzip.decompress(site.find("a.html").compressed) == b"other"


def test_a_missing_file_is_none():
    assert Site().find("a.html") is None
