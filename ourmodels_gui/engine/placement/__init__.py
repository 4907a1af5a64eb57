"""Several devices and two memory pools: where bytes lie, and the ceilings that follow.

One pool is the ordinary case and never comes here. A policy is one way of using the pools; each
answers with a gate and with one ceiling for every resource, of which the least binds.
"""

from .decode import decode
from .figures import in_use, policy
from .policy import Policy
from .prefill import prefill, prompt_policy
from .together import alone, device_count, overhead_bytes, pools_of, together

__all__ = [
    "Policy",
    "alone",
    "decode",
    "device_count",
    "in_use",
    "overhead_bytes",
    "policy",
    "pools_of",
    "prefill",
    "prompt_policy",
    "together",
]
