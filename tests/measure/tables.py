"""Renew the tables of options and endpoints in the documents, and `.env.example`. `make examples` calls it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from flask import Flask

from service import config
from service.api.openapi import routes
from tests.running_service import running_service

DOCUMENTS = Path(__file__).parents[2] / "service" / "docs"
EXAMPLE = DOCUMENTS.parents[1] / ".env.example"
KEYS = {"required": "needed", "welcome": "optional", "unused": ""}


def main() -> None:
    """Write both tables into their documents."""
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder), history_days=240) as service:
        tables = {"options": config.table(), "endpoints": endpoints(service.runtime.application())}
    for name, file in (("options", "options.md"), ("endpoints", "api.md")):
        text = (DOCUMENTS / file).read_text(encoding="utf-8")
        text = re.sub(
            rf"(<!-- {name}.*? -->\n).*?(<!-- end -->)",
            lambda marks, rows=tables[name]: f"{marks[1]}{rows}\n{marks[2]}",
            text,
            flags=re.DOTALL,
        )
        (DOCUMENTS / file).write_text(text, encoding="utf-8")
    EXAMPLE.write_text(f"{config.example()}\n", encoding="utf-8")


def endpoints(application: Flask) -> str:
    """The endpoints as a Markdown table, in the order in which they are registered."""
    lines = [
        f"| `{route.method} {route.path}` | {KEYS[route.operation.key]} | {route.operation.summary} |"
        for route in routes(application)
    ]
    return "\n".join(["| endpoint | key | what it does |", "|---|---|---|", *lines])


if __name__ == "__main__":
    main()
