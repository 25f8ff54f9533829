"""`python -m notebooks lab` opens JupyterLab on the notebooks, `python -m notebooks voila` serves them as pages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from notebooks import settings
from notebooks.launching import launch, say
from notebooks.settings import LaunchError


def main(words: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; what keeps it from opening is one sentence and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m notebooks", description=__doc__)
    parser.add_argument("what", choices=settings.PORTS)
    what = parser.parse_args(words).what
    try:
        return launch(what, settings.read(what))
    except LaunchError as error:
        say(str(error))
        return 2


if __name__ == "__main__":
    sys.exit(main())
