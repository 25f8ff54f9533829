"""The page that other sites frame, and the script that inserts it."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from flask.testing import FlaskClient

from service.api.docs import STATIC

PAGE, SCRIPT = "/embed?asset=eth&theme=dark", "/embed.js"


def policy_of(client: FlaskClient) -> dict[str, str]:
    header = client.get(PAGE).headers["Content-Security-Policy"]
    return dict(part.strip().split(" ", 1) for part in header.split(";"))


def test_any_page_may_frame_it(client: FlaskClient):
    assert policy_of(client)["frame-ancestors"] == "*"
    assert "X-Frame-Options" not in client.get(PAGE).headers


def test_it_runs_its_own_script_and_calls_its_own_service(client: FlaskClient):
    policy = policy_of(client)
    (code,) = re.findall("<script>(.*?)</script>", client.get(PAGE).text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert (policy["default-src"], policy["connect-src"]) == ("'none'", "'self'")
    assert policy["script-src"] == f"'sha256-{digest}'"


def test_page_and_script_have_10_kb_and_name_no_other_host():
    files = [STATIC / "embed.html", STATIC / "embed.js"]
    assert sum(file.stat().st_size for file in files) <= 10_000
    assert not [file.name for file in files if re.search(r"https?://(?!…)", file.read_text())]


@pytest.mark.parametrize("path", [PAGE, SCRIPT])
def test_both_are_cached_and_renewed_by_their_etag(client: FlaskClient, path: str):
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (200, "gzip")
    assert client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("query", ["asset=doge", "theme=blue", "size=3"])
def test_an_unknown_asset_theme_or_option_is_refused(client: FlaskClient, query: str):
    assert client.get(f"/embed?{query}").status_code == 400


def test_a_page_that_isolates_itself_may_load_the_script(client: FlaskClient):
    assert client.get(SCRIPT).headers["Cross-Origin-Resource-Policy"] == "cross-origin"
