"""Systems that give the accelerator a share of their memory until a limit is raised."""

from ..units import size
from .result import Decode
from .setup import Setup


def memory_limit_caution(setup: Setup, decode: Decode) -> str:
    """Why a setup that fits needs a setting changed first; "" when it does not.

    The share lowers no ceiling. What is held against it is all that the best batch needs, or one
    session where no batch serves: C - spare.
    """
    share = setup.machine.default_share_bytes
    if share is None or decode.verdict in ("model does not fit", "no session fits"):
        return ""
    needed = setup.machine.capacity_bytes - decode.spare_bytes
    if needed <= share:
        return ""
    sessions = f"{decode.best_batch} sessions need"
    if decode.best_batch in (None, 1):
        sessions = "one session needs"
    return (
        f"Fits after raising the memory limit: {sessions} {size(needed)}, and the system gives "
        f"the accelerator {size(share)} until the limit is raised."
    )
