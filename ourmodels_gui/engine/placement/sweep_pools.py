"""A device kind with the memory of its host, many compositions x models at once.

The counterpart of `pools` for two pools in which every byte lies where it is best. A pool with room
r moves at most

    F(r) = min over densities d of d r + sum over parts of max(t_j - d s_j, 0)

the dual of the fractional knapsack, whose solution has the density of the part that the room cuts.
So an iteration takes the longest of a few times, each of them

    a t - (o + b v)          with all of the traffic t = A + b K + M, or
    a (A + b K) + M (c + b e)       where the room cuts the experts,

with M = S (1 - q^b) of the experts. Every aggregate b / time first falls and then rises, at most,
but for the one of the second kind when one pool works at a time. That one rises first up to the
root of its slope, falls to the next, and rises again.

References: Dantzig 1957, the fractional knapsack; docs/compositions.md.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..result import Binding
from ..setup import Composition
from ..speculation import ROUNDING
from .pool import pools_in
from .sweep_equal import link_columns
from .sweep_models import ModelColumns
from .sweep_search import highest_of_each, last_of_each
from .sweep_ways import Floats, Mask, Ways
