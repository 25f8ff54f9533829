"""Renew the tables of options and endpoints in the documents, and `.env.example`. `make examples` calls it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from flask import Flask
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from service.api.openapi import routes
from service.config import PROVIDERS, Seat, Settings
from tests.running_service import running_service

DOCUMENTS = Path(__file__).parents[2] / "service" / "docs"
EXAMPLE = DOCUMENTS.parents[1] / ".env.example"
KEYS = {"required": "needed", "welcome": "optional", "unused": ""}


def main() -> None:
    """Write both tables into their documents."""
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder), history_days=240) as service:
        tables = {"options": options(), "endpoints": endpoints(service.runtime.application())}
    for name, file in (("options", "options.md"), ("endpoints", "api.md")):
        text = (DOCUMENTS / file).read_text(encoding="utf-8")
        text = re.sub(
            rf"(<!-- {name}.*? -->\n).*?(<!-- end -->)",
            lambda marks, rows=tables[name]: f"{marks[1]}{rows}\n{marks[2]}",
            text,
            flags=re.DOTALL,
        )
        (DOCUMENTS / file).write_text(text, encoding="utf-8")
    EXAMPLE.write_text(f"{example()}\n", encoding="utf-8")


def endpoints(application: Flask) -> str:
    """The endpoints as a Markdown table, in the order in which they are registered."""
    lines = [
        f"| `{route.method} {route.path}` | {KEYS[route.operation.key]} | {route.operation.summary} |"
        for route in routes(application)
    ]
    return "\n".join(["| endpoint | key | what it does |", "|---|---|---|", *lines])


def options() -> str:
    """The options as a Markdown table."""
    lines = ["| option | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        lines += [f"| {option} | {_default(default)} | {meaning} |" for option, default, meaning in _rows(name, field)]
    return "\n".join(lines)


def example() -> str:
    """The options as a file of which none is set."""
    lines = ["# Copy this file to .env, which every start reads; a variable of the environment counts more."]
    for name, field in Settings.model_fields.items():
        for option, default, meaning in _rows(name, field):
            value = _default(default).strip("`")
            lines += ["", f"# {meaning}", *(f"#{part}={value}" for part in re.findall(r"[A-Z_<>]{3,}", option))]
    return "\n".join(lines)


def _rows(name: str, field: FieldInfo) -> list[tuple[str, Any, str]]:
    """The rows of a field; the six seats share one set of rows, and all provider keys share one row."""
    if name == "oracle_seats":
        parts = Seat.model_fields.items()
        return [(f"`ORACLE_<SEAT>_{name.upper()}`", part.default, part.description or "") for name, part in parts]
    if name == "provider_keys":
        names = ", ".join(f"`{provider.upper()}_API_KEY`" for provider in PROVIDERS)
        return [(names, "", "API keys of the providers whose models you use")]
    return [(f"`{name.upper()}`", field.default, field.description or "")]


def _default(value: object) -> str:
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, tuple):
        value = ",".join(value)
    return f"`{value}`" if value not in ("", None) else ""


if __name__ == "__main__":
    main()
