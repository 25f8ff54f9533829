"""What the OpenAPI documents say in words and in code: about the API, its tags and addresses, and sample calls."""

from __future__ import annotations

import json
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service import __version__
from service.api.auth import KEY_HEADER
from service.market.assets import ASSETS
from service.trading.strategies import STRATEGIES

NAME = "Ninefold"
VERSION = __version__

_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
QUESTION_FORMS: list[list[str]] = _TEXTS["questions"]
DESCRIPTION: str = _TEXTS["description"].format(
    assets=", ".join(f"`{code}` ({asset.name})" for code, asset in ASSETS.items()),
    questions="\n".join(f"* {kind}: *{example}*" for kind, example in QUESTION_FORMS),
)
TAGS: dict[str, str] = {tag: text.format(strategies=len(STRATEGIES)) for tag, text in _TEXTS["tags"].items()}
PATH_PARAMETERS: dict[str, tuple[str, str]] = {
    name: (text.format(assets=", ".join(ASSETS)), example)
    for name, (text, example) in _TEXTS["path_parameters"].items()
}
LINKS: dict[str, str] = _TEXTS["links"]
HEADERS: dict[str, dict[str, tuple[str, str]]] = _TEXTS["headers"]
WHAT_IT_PROVES: str = _TEXTS["what_it_proves"]

ORIGIN = "http://127.0.0.1:8000"
KEY = "nf_live_YOUR_KEY"
JSON, STREAM = "application/json", "text/event-stream"


@dataclass(frozen=True)
class SampleCall:
    """A request: `url` has its values, `body` is None without one; `media` is that of the answer, None for none."""

    method: str
    url: str
    is_keyed: bool
    body: dict[str, Any] | None
    media: str | None


def samples(call: SampleCall) -> list[dict[str, str]]:
    languages = (("shell", "curl", _curl(call)), ("python", "Python", _python(call)), ("js", "JavaScript", _js(call)))
    return [{"lang": lang, "label": label, "source": source} for lang, label, source in languages]


def _curl(call: SampleCall) -> str:
    default_method = "GET" if call.body is None else "POST"  # what curl sends without -X
    command = ["curl", "-sN" if call.media == STREAM else "-s"]
    command += ["-X", call.method] if call.method != default_method else []
    parts = [" ".join((*command, shlex.quote(call.url)))]
    parts += [f'-H "{KEY_HEADER}: $KEY"'] if call.is_keyed else []
    if call.body is not None:
        text = json.dumps(call.body, ensure_ascii=False).replace("'", r"'\''")
        parts += ["-H 'Content-Type: application/json'", f"-d '{text}'"]
    return " \\\n  ".join(parts)


def _python(call: SampleCall) -> str:
    arguments = [f'"{call.url}"']
    arguments += [f'headers={{"{KEY_HEADER}": "{KEY}"}}'] if call.is_keyed else []
    arguments += [f"json={json.dumps(call.body, ensure_ascii=False)}"] if call.body is not None else []
    if call.media == STREAM:
        stream = f'httpx.stream("{call.method}", {", ".join(arguments)})'
        loop = "    for line in response.iter_lines():\n        print(line)"
        return f"import httpx\n\nwith {stream} as response:\n{loop}"
    result = {JSON: "response.json()", None: "response.status_code"}.get(call.media, "response.text")
    name = f"httpx.{call.method.lower()}"
    if len(arguments) == 1:
        request = f"{name}({arguments[0]})"
    else:
        lines = "".join(f"    {argument},\n" for argument in arguments)
        request = f"{name}(\n{lines})"
    return f"import httpx\n\nresponse = {request}\nresponse.raise_for_status()\nprint({result})"


def _js(call: SampleCall) -> str:
    headers = {KEY_HEADER: KEY} if call.is_keyed else {}
    if call.body is not None:
        headers["Content-Type"] = "application/json"
    options = [f'  method: "{call.method}",'] if call.method != "GET" else []
    options += [f"  headers: {json.dumps(headers, ensure_ascii=False)},"] if headers else []
    if call.body is not None:
        options += [f"  body: JSON.stringify({json.dumps(call.body, ensure_ascii=False)}),"]
    arguments = ", {\n" + "\n".join(options) + "\n}" if options else ""
    statement = f'const response = await fetch("{call.url}"{arguments});\n'
    statement += "if (!response.ok) throw new Error((await response.json()).detail);\n"
    if call.media == STREAM:
        loop = "for await (const text of response.body.pipeThrough(new TextDecoderStream()))"
        return f"{statement}{loop} console.log(text);"
    result = {JSON: "await response.json()", None: "response.status"}.get(call.media, "await response.text()")
    return statement + f"console.log({result});"
