"""The command line's entry point: ``python -m turnsmith`` and ``turnsmith``. Ctrl-C counts while it is imported too."""

import sys


def main() -> None:
    try:
        from turnsmith.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        raise SystemExit(130) from None
    run()


if __name__ == "__main__":
    main()
