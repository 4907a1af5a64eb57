"""Ships `catalog/` and `resources/` inside the wheel, where `ourmodels_gui.paths` looks first.

An editable install gets no copy: it reads both folders from the checkout, so they are never stale.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = ("catalog", "resources")


class ShippedData(BuildHookInterface):
    """Adds the folders to every wheel but an editable one; a missing folder fails the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        for name in SHIPPED:
            folder = Path(self.root, name)
            build_data["force_include"][str(folder)] = f"ourmodels_gui/_data/{name}"
