"""`python -m notebooks.public_pages --port 8866` serves the pages over the service at ORACLE_URL."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from notebooks.public_pages.publisher import Publisher
from notebooks.public_pages.server import HOST, open_server
from notebooks.public_pages.site import Site
from notebooks.widgets import connect


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the process is ended; 2 if the port is in use."""
    parser = argparse.ArgumentParser(prog="python -m notebooks.public_pages", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args(arguments).port
    site = Site()
    try:
        server = open_server(site, port)
    except OSError:
        print(f"ninefold: Port {port} is in use. Set VOILA_PORT to another one.", file=sys.stderr)
        return 2
    publisher = Publisher(site, connect())
    publisher.start()
    print(f"ninefold: The pages are on http://{HOST}:{port}/", file=sys.stderr, flush=True)
    server.run()
    publisher.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
