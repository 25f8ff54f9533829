"""A call in curl, Python and JavaScript, from one template each."""

from __future__ import annotations

import ast
import json
import shlex

import pytest

from service.api.openapi_texts import KEY, SampleCall, samples

PLAIN = SampleCall("GET", "/api/v1/prices", is_keyed=False, body=None, media="application/json")
QUESTION = SampleCall(
    "POST", "/api/v1/oracle", is_keyed=True, body={"question": "Is it Tom's?"}, media="application/json"
)
STREAM = SampleCall("GET", "/api/v1/events", is_keyed=False, body=None, media="text/event-stream")
DELETION = SampleCall("DELETE", "/api/v1/keys", is_keyed=True, body=None, media=None)


def sources(call: SampleCall) -> list[str]:
    """The samples in curl, Python and JavaScript."""
    return [sample["source"] for sample in samples(call)]


def test_a_plain_call_is_short():
    curl, python, js = sources(PLAIN)
    assert curl == "curl -s http://127.0.0.1:8000/api/v1/prices"
    assert 'httpx.get("http://127.0.0.1:8000/api/v1/prices")' in python
    assert python.endswith("print(response.json())")
    assert js.splitlines()[0] == 'const response = await fetch("http://127.0.0.1:8000/api/v1/prices");'


def test_a_body_survives_the_quotes_of_a_shell():
    curl, python, js = sources(QUESTION)
    words = shlex.split(curl)
    assert json.loads(words[words.index("-d") + 1]) == QUESTION.body
    assert "X-API-Key: $KEY" in words
    assert "-X" not in words
    call = next(node for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Call) and node.keywords)
    assert {word.arg: ast.literal_eval(word.value) for word in call.keywords} == {
        "headers": {"X-API-Key": KEY},
        "json": QUESTION.body,
    }
    assert f'"X-API-Key": "{KEY}"' in js
    assert "JSON.stringify(" in js


def test_a_stream_is_read_as_it_comes():
    curl, python, js = sources(STREAM)
    assert curl.startswith("curl -sN ")
    assert "response.iter_lines()" in python
    assert "TextDecoderStream" in js


@pytest.mark.parametrize(("place", "method"), [(0, "-X DELETE"), (1, "httpx.delete("), (2, 'method: "DELETE"')])
def test_another_method_is_named(place: int, method: str):
    assert method in sources(DELETION)[place]


def test_without_a_body_the_status_is_shown():
    _, python, js = sources(DELETION)
    assert python.endswith("print(response.status_code)")
    assert js.endswith("console.log(response.status);")
