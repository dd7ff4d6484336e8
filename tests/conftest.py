"""What all tests agree on."""

import os
import signal

os.environ["LANGUAGE"] = "en"  # whatever the terminal of who runs them speaks
os.environ["TURNSMITH_QUIET"] = "1"  # stderr is compared, and a busy machine takes its time
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # a run in the background: commands that are tried would not hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)
