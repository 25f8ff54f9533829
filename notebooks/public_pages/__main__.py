"""`python -m notebooks.public_pages --port PORT --service ADDRESS` serves the pages over the service at an address."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from notebooks.public_pages.publisher import Publisher, Site
from notebooks.public_pages.server import HOST, open_server
from service.client import Client

ANSWER_S = 15.0  # a document that takes longer is reported as missing, and the other pages go on


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the process is ended; 2 if the port is in use."""
    parser = argparse.ArgumentParser(prog="python -m notebooks.public_pages", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--service", required=True)
    options = parser.parse_args(arguments)
    site = Site()
    try:
        server = open_server(site, options.port)
    except OSError:
        print(f"ninefold: Port {options.port} is in use. Set VOILA_PORT to another one.", file=sys.stderr)
        return 2
    publisher = Publisher(site, Client(options.service, timeout_s=ANSWER_S))
    publisher.start()
    print(f"ninefold: The pages are on http://{HOST}:{options.port}/", file=sys.stderr, flush=True)
    server.run()
    publisher.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
