"""A call of each operation in curl, Python and JavaScript, all written from one template a language."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

from service.api.auth import KEY_HEADER

ORIGIN = "http://127.0.0.1:8000"
KEY = "nf_live_YOUR_KEY"
STREAM = "text/event-stream"


@dataclass(frozen=True)
class SampleCall:
    """A request: `path` has its values, `body` is None without one; `media` is that of the answer, None for none."""

    method: str
    path: str
    is_keyed: bool
    body: dict[str, Any] | None
    media: str | None

    @property
    def url(self) -> str:
        return ORIGIN + self.path

    @property
    def is_json(self) -> bool:
        return self.media == "application/json"


def samples(call: SampleCall) -> list[dict[str, str]]:
    """The samples as `x-codeSamples` lists them."""
    written = (("shell", "curl", _curl(call)), ("python", "Python", _python(call)), ("js", "JavaScript", _js(call)))
    return [{"lang": lang, "label": label, "source": source} for lang, label, source in written]


def _curl(call: SampleCall) -> str:
    usual = "GET" if call.body is None else "POST"  # what curl sends without -X
    command = ["curl", "-sN" if call.media == STREAM else "-s"]
    command += ["-X", call.method] if call.method != usual else []
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
    shown = "response.json()" if call.is_json else "response.text" if call.media else "response.status_code"
    request = _call(f"httpx.{call.method.lower()}", arguments)
    return f"import httpx\n\nresponse = {request}\nresponse.raise_for_status()\nprint({shown})"


def _call(name: str, arguments: list[str]) -> str:
    if len(arguments) == 1:
        return f"{name}({arguments[0]})"
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"{name}(\n{lines})"


def _js(call: SampleCall) -> str:
    headers = {KEY_HEADER: KEY} if call.is_keyed else {}
    if call.body is not None:
        headers["Content-Type"] = "application/json"
    options = [f'  method: "{call.method}",'] if call.method != "GET" else []
    options += [f"  headers: {json.dumps(headers, ensure_ascii=False)},"] if headers else []
    if call.body is not None:
        options += [f"  body: JSON.stringify({json.dumps(call.body, ensure_ascii=False)}),"]
    more = ", {\n" + "\n".join(options) + "\n}" if options else ""
    begin = f'const response = await fetch("{call.url}"{more});\n'
    begin += "if (!response.ok) throw new Error((await response.json()).detail);\n"
    if call.media == STREAM:
        return begin + "for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);"
    shown = "await response.json()" if call.is_json else "await response.text()" if call.media else "response.status"
    return begin + f"console.log({shown});"
