"""What holds for every test."""

import os

from hypothesis import settings

# In CI random setups are drawn from a fixed seed: a run there judges the change, not the draw.
# Everywhere else each run draws new ones.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# Tests read the texts of the code, whatever the system speaks.
os.environ["OURMODELS_LANGUAGE"] = "en"
