"""What all tests agree on."""

import os

os.environ["LANGUAGE"] = "en"  # whatever the terminal of who runs them speaks
