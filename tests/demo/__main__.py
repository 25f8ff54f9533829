"""`python -m tests.demo install` installs the small model; `python -m tests.demo` shows it in all six seats.

PORT is the port of the service (default: 8000).
"""

from __future__ import annotations

import signal
import sys
import tempfile
from pathlib import Path

from service import config
from service.client import ClientError
from tests.demo.small_model import InstallError, check_node, install, small_model
from tests.demo.tour import demo_service, show


def main(words: list[str]) -> int:
    """Run the command; what is missing is one sentence and returns exit code 2."""
    try:
        if words == ["install"]:
            install()
        else:
            _tour()
    except (InstallError, ClientError, config.SettingsError) as error:
        print(f"ninefold: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        pass
    return 0


def _tour() -> None:
    check_node()
    print("Starting the small model (SmolLM2-135M, no key, no network) and the service …")
    print("A model of this size shows how the service works; its forecasts are worth nothing.")
    with (
        tempfile.TemporaryDirectory() as folder,
        small_model() as model_url,
        demo_service(model_url, Path(folder), config.read().port) as service,
    ):
        show(service)
        print(f"Ask it your own questions at {service.address}/docs; its data is in {folder} until the end.")
        print("Ctrl-C ends the service and the model.", flush=True)
        signal.pause()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
