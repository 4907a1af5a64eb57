"""Ships the catalog, resources and licences in the wheel, where `ourmodels_gui.paths` looks first.

An editable install gets no copy: it reads them from the checkout, so they are never stale.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = ("catalog", "resources", "LICENSE", "NOTICE")


class ShippedData(BuildHookInterface):
    """Adds them to every wheel but an editable one; a missing one fails the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        for name in SHIPPED:
            place = Path(self.root, name)
            build_data["force_include"][str(place)] = f"ourmodels_gui/_data/{name}"
