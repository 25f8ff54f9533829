"""The home page: its files, what it may load, and its words in each language."""

from __future__ import annotations

import hashlib
import re
from string import Formatter

import pytest
from flask.testing import FlaskClient

from bot.languages.catalogues import catalogue
from service.api.home import FILES, FOLDER, PAGES, PHRASES
from service.forecasting.apex.layers import LAYERS
from service.forecasting.voters.votes import LIKELIHOODS
from service.trading.lanes import LANES

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


def test_the_page_names_no_file_that_is_absent():
    names = set(re.findall(r'"/home/([\w.]+)"', INDEX + "\n".join(SCRIPTS)))
    assert names <= set(FILES)


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
