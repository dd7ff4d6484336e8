"""The command line's entry point: ``python -m turnsmith`` and ``turnsmith``. Ctrl-C counts while it is imported too."""

import os
import sys


def main() -> None:
    # NumPy's products here are small, and work is shared out among threads of our own: more of its own only spin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from turnsmith.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        raise SystemExit(130) from None
    run()


if __name__ == "__main__":
    main()
