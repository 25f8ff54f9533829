"""`python -m notebooks lab` opens JupyterLab on the notebooks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from dotenv import load_dotenv

from notebooks import settings
from notebooks.launcher import launch, report
from notebooks.settings import LaunchError


def main(arguments: Sequence[str] | None = None) -> int:
    """Open JupyterLab; an error prints one sentence and returns 2."""
    parser = argparse.ArgumentParser(prog="python -m notebooks", description=__doc__)
    parser.add_argument("program", choices=["lab"])
    parser.parse_args(arguments)
    load_dotenv(".env")
    try:
        return launch(settings.read())
    except LaunchError as error:
        report(str(error))
        return 2


if __name__ == "__main__":
    sys.exit(main())
