"""Renew the tables of the README that the code knows: its options and its endpoints. `make examples` calls it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from service import config
from service.api.openapi import routes
from tests.running_service import running_service

README = Path(__file__).parents[2] / "README.md"


def main() -> None:
    """Write both tables into the README."""
    text = README.read_text(encoding="utf-8")
    for name, table in (("options", config.table()), ("endpoints", endpoints())):
        text = re.sub(
            rf"(<!-- {name}.*? -->\n).*?(<!-- end -->)",
            lambda marks, rows=table: f"{marks[1]}{rows}\n{marks[2]}",
            text,
            flags=re.DOTALL,
        )
    README.write_text(text, encoding="utf-8")


def endpoints() -> str:
    """The endpoints as a Markdown table, in the order in which they are registered."""
    with tempfile.TemporaryDirectory() as folder, running_service(Path(folder), history_days=240) as service:
        rows = routes(service.runtime.application())
    lines = [f"| `{route.method} {route.path}` | {route.operation.summary} |" for route in rows]
    return "\n".join(["| endpoint | what it does |", "|---|---|", *lines])


if __name__ == "__main__":
    main()
