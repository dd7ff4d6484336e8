"""What all tests agree on."""

import os

os.environ["LANGUAGE"] = "en"  # whatever the terminal of who runs them speaks
os.environ["TURNSMITH_QUIET"] = "1"  # stderr is compared, and a busy machine takes its time
