"""`python -m homeward` is the command `homeward`."""

import sys


def main() -> int:
    """Runs the command; Ctrl-C ends it quietly even while it is still being imported."""
    try:
        from homeward import cli

        return cli.main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
