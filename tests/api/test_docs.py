"""The documents and pages for people: they list what is there, need no network and are in each language."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shlex
from datetime import UTC, datetime
from string import Formatter

import pytest
from flask.testing import FlaskClient

from bot.languages import catalogue
from service.api.errors import HTTP
from service.api.home import FILES, FOLDER, PAGES, PHRASES
from service.api.openapi_texts import KEY, ORIGIN, SampleCall, samples
from service.forecasting.apex.layers import LAYERS
from service.forecasting.voters.votes import LIKELIHOODS
from service.trading.lanes import LANES

DOCUMENTS = ["/api/v1/docs", "/api/openapi-lite.json", "/api/v1/openapi-lite.json", "/api/openapi.json", "/docs"]


def test_the_specified_paths_and_the_security_scheme_are_there(client: FlaskClient):
    document, lite = (client.get(f"/api/{name}.json") for name in ("openapi", "openapi-lite"))
    assert lite.data == client.get("/api/v1/openapi-lite.json").data
    for text in (document.json, lite.json):
        assert (text["info"]["version"], text["openapi"][:4]) == ("1.3.0", "3.1.")
    assert client.get("/api/v1/docs").json["version"] == "1.0"
    paths, components = document.json["paths"], document.json["components"]
    assert {"/api/v1/register", "/api/v1/docs", "/api/openapi-lite.json"} <= set(paths)
    assert components["securitySchemes"] == {"ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"}}
    assert paths["/api/v1/register"]["post"]["security"] == []
    assert paths["/api/v1/me"]["get"]["security"] == [{"ApiKey": []}]


@pytest.mark.parametrize("path", [*DOCUMENTS, "/embed?asset=eth&theme=dark", "/embed.js"])
def test_the_documentation_is_served_like_any_public_document(client: FlaskClient, path: str):
    """And so is the page that other sites embed."""
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (200, "gzip")
    assert answer.headers["X-RateLimit-Limit"] == "120"
    revalidation = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (revalidation.status_code, revalidation.headers["X-RateLimit-Remaining"]) == (304, "118")


def test_the_page_loads_its_own_script_and_nothing_else(client: FlaskClient):
    page = client.get("/docs")
    assert not re.search(r"(src|href|url)\s*[=(]\s*[\"']?(https?:)?//", page.text)
    assert 'load-fonts="false"' in page.text
    policy = dict(part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert not any("http" in sources or "*" in sources for sources in policy.values())
    (script,) = re.findall(r'<script[^>]* src="([^"]+)"', page.text)
    answer = client.get(script)
    assert (answer.status_code, answer.mimetype) == (200, "text/javascript")


def test_the_index_leads_to_addresses_that_are_there(client: FlaskClient):
    """Each answers something else than 404; to some of them one posts, and some wait for the first run."""
    index = client.get("/api/v1").json
    assert (index["name"], index["version"]) == ("Ninefold", "1.3.0")
    statuses = {path: client.get(path, query_string="limit=1").status_code for path in index["links"].values()}
    assert 404 not in statuses.values(), statuses


def test_what_is_deprecated_says_so_and_where_the_policy_is(client: FlaskClient):
    """By the header of RFC 9745."""
    answer = client.get("/api/v1/docs")
    assert answer.headers["Deprecation"] == f"@{int(datetime(2026, 11, 28, tzinfo=UTC).timestamp())}"
    assert answer.headers["Link"] == '</docs/policy>; rel="deprecation"'
    assert "Deprecation" not in client.get("/api/openapi.json").headers


def listed(paths: dict) -> set[tuple[str, str]]:
    return {(method.upper(), path) for path, methods in paths.items() for method in methods}


def test_all_three_documents_list_the_same_working_operations(client: FlaskClient):
    """Every operation that they list answers."""
    operations = listed(client.get("/api/openapi.json").json["paths"])
    assert listed(client.get("/api/openapi-lite.json").json["paths"]) == operations
    rows = client.get("/api/v1/docs").json["endpoints"]
    assert {(row["method"], row["path"]) for row in rows} == operations
    for method, path in operations:
        answer = client.open(re.sub("{.+?}", "1", path), method=method)
        assert answer.status_code not in (405, 500)
        assert answer.status_code != 404 or answer.json["detail"] != HTTP[404][1]


PLAIN = SampleCall("GET", f"{ORIGIN}/api/v1/prices", is_keyed=False, body=None, media="application/json")
BODY = {"question": "Is it Tom's?"}
QUESTION = SampleCall("POST", f"{ORIGIN}/api/v1/oracle", is_keyed=True, body=BODY, media="application/json")
STREAM = SampleCall("GET", f"{ORIGIN}/api/v1/events", is_keyed=False, body=None, media="text/event-stream")
DELETION = SampleCall("DELETE", f"{ORIGIN}/api/v1/keys", is_keyed=True, body=None, media=None)


def sources(call: SampleCall) -> list[str]:
    """The samples in curl, Python and JavaScript."""
    return [sample["source"] for sample in samples(call)]


def test_a_plain_call_is_short():
    curl, python, js = sources(PLAIN)
    assert curl == f"curl -s {PLAIN.url}"
    assert f'httpx.get("{PLAIN.url}")' in python
    assert python.endswith("print(response.json())")
    assert js.splitlines()[0] == f'const response = await fetch("{PLAIN.url}");'


def test_a_body_survives_the_quotes_of_a_shell():
    curl, python, js = sources(QUESTION)
    words = shlex.split(curl)
    assert json.loads(words[words.index("-d") + 1]) == BODY
    assert "X-API-Key: $KEY" in words
    assert "-X" not in words
    call = next(node for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Call) and node.keywords)
    options = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    assert options == {"headers": {"X-API-Key": KEY}, "json": BODY}
    assert f'"X-API-Key": "{KEY}"' in js
    assert "JSON.stringify(" in js


@pytest.mark.parametrize(
    ("call", "patterns"),
    [
        (STREAM, ("^curl -sN ", r"response\.iter_lines\(\)", "TextDecoderStream")),
        (DELETION, ("-X DELETE", r"httpx\.delete\(", 'method: "DELETE"')),
        (DELETION, ("^curl", r"print\(response\.status_code\)$", r"console\.log\(response\.status\);$")),
    ],
    ids=["a stream as it comes", "another method", "the status where there is no body"],
)
def test_each_language_says_what_a_call_needs(call: SampleCall, patterns: tuple[str, str, str]):
    for pattern, source in zip(patterns, sources(call), strict=True):
        assert re.search(pattern, source)


MOST_BYTES = 150_000
LANGUAGES = {"de", "es", "fr", "it", "pt", "tr", "ru", "zh", "ja"}
SCRIPTS = [(FOLDER / name).read_text(encoding="utf-8") for name in FILES if name.endswith(".js") and name != "uplot.js"]
INDEX = (FOLDER / "index.html").read_text(encoding="utf-8")
# The tables of the script whose values are translated where they are shown.
TABLES = ("WORLDS", "STATUS", "VERDICTS", "HEALTH", "EXAMPLES")
# House words that the page says otherwise than the bot.
OWN_PHRASES = {"Lanes", "backfilled"}


def phrases() -> set[str]:
    """Everything that the page says, in English."""
    code = "\n".join(SCRIPTS)
    texts = set(re.findall(r'\bt\("((?:[^"\\]|\\.)*)"', code))
    texts |= set(re.findall(r"data-t>([^<]+)<", INDEX)) | set(re.findall(r'data-t-label="([^"]+)"', INDEX))
    for name in TABLES:
        table = re.search(rf"const {name} = [{{\[](.*?)[}}\]];", code, re.DOTALL).group(1)
        texts |= set(re.findall(r'(?:: |\[|, |^|\n {2})"([^"]+)"(?!:)', table))
    labels = {label for _, label in LIKELIHOODS} | {lane.label for lane in LANES.values()} | set(LAYERS)
    return texts | labels


def test_a_visit_costs_little_and_asks_no_other_host(client: FlaskClient):
    """At most 150 KB before compression, and nothing that names another host but a licence and a vocabulary."""
    sizes = []
    for path in ("/", *(f"/home/{name}" for name in FILES)):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "script-src 'self'; style-src 'self'" in answer.headers["Content-Security-Policy"]
        hosts = set(re.findall(r"https?://([\w.]+)", answer.text))
        assert hosts <= {"github.com", "www.w3.org"}
        sizes.append(len(answer.data))
    assert sum(sizes) < MOST_BYTES


def test_the_library_of_charts_is_the_published_one():
    """uPlot 1.6.32 (MIT) as npm has it, with its licence."""
    digest = hashlib.sha256((FOLDER / "uplot.js").read_bytes()).hexdigest()
    assert digest == "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f"
    assert "MIT License" in (FOLDER / "uplot.txt").read_text()


def test_every_phrase_is_said_in_each_language(client: FlaskClient):
    """With the same values in it; no phrase is left that the page does not say any more."""
    assert set(PHRASES) == phrases()
    for text, forms in PHRASES.items():
        values = {name for _, name, _, _ in Formatter().parse(text) if name}
        for language, form in forms.items():
            assert {name for _, name, _, _ in Formatter().parse(form) if name} == values, (text, language)
        assert set(forms) == LANGUAGES, text
    for language in LANGUAGES:
        assert client.get(f"/home/words/{language}.json").json.keys() == PHRASES.keys()


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_page_and_the_bot_use_the_same_words(language: str):
    """Where both say the same in English."""
    messages = {message.id: message.string for message in catalogue(language)}
    in_both = {text: messages[text] for text in sorted(PHRASES.keys() & messages.keys() - OWN_PHRASES)}
    assert len(in_both) > 10
    assert {text: PHRASES[text][language] for text in in_both} == in_both


@pytest.mark.parametrize("path", ["/home/words/xx.json", "/home/words.json", "/home/../app.py", "/home/nothing.js"])
def test_what_is_no_file_of_the_page_is_not_found(client: FlaskClient, path: str):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("name", PAGES)
def test_each_document_is_a_page_with_whole_links(client: FlaskClient, name: str):
    """What it links to on this service is there, headings included; it needs no network."""
    answer = client.get(f"/docs/{name}")
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert "<h1 id=" in answer.text
    assert "<!--" not in answer.text.removeprefix("<!doctype html>")
    for link in re.findall(r'href="([\w.-]+\.md)', answer.text):
        assert client.get(f"/docs/{link}").status_code == 200, link
    assert client.get("/docs/nothing").status_code == 404
