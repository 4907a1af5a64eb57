"""A measured bandwidth on a user's machine, and a probed machine among the user's own."""

import msgspec

from ..library.check_rates import measured_below_limits
from ..library.hardware import HardwareRecord
from ..problem import BadInput
from .bandwidth import Bandwidth


def with_bandwidth(record: HardwareRecord, found: Bandwidth) -> HardwareRecord:
    """The machine with the sustained figure beside its limit.

    Ceilings with `rates: measured` rest on it and are estimates from then on; the limit stays.
    Raises BadInput where the measurement lies above the limit: then the limit is wrong.
    """
    changed = msgspec.structs.replace(
        record, measured={**record.measured, "bandwidth": found.figure()}
    )
    for key, message in measured_below_limits(changed):
        if key == "measured.bandwidth":
            raise BadInput("memory.bandwidth", f"{message}; correct the limit first")
    return changed
