"""Nine voters answer questions about crypto and markets: the service and its tools as one command.

ninefold run                 the service and its home page on http://127.0.0.1:8000
ninefold web|work …          one kind of process alone, several of them on PostgreSQL
ninefold operator …          keys, backups, status and more
ninefold verify FILE …       check an exported ledger
ninefold mcp                 the service as tools for agents
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
# Each command: the module that runs it, and the words that stand before those of the user.
COMMANDS = {
    "run": ("app", []),
    "web": ("app", ["web"]),
    "work": ("app", ["work"]),
    "operator": ("service.operator", []),
    "verify": ("service.ledger", ["verify"]),
    "mcp": ("service.client.mcp_server", []),
}


def main() -> None:
    """Run a command as its module runs; without one, say which there are."""
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        print(__doc__)
        sys.exit(0 if sys.argv[1:] in ([], ["--help"], ["-h"]) else 2)
    module, words = COMMANDS[sys.argv[1]]
    sys.argv[1:2] = words
    sys.path.insert(0, str(FOLDER))
    # Processes that are started by this one find the modules too.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
