"""What this computer is, read without changing anything and without special rights.

`probe` asks the system, `candidates` says which machines of the catalog it is, or fills in one of
the user's own as far as that is known. What is not certain is said to be so, never guessed.
`bandwidth` measures what the processor sustains in reading main memory.
"""

from .candidates import Candidate, candidates
from .found import Computer, Gpu, Module
from .system import probe

__all__ = ["Candidate", "Computer", "Gpu", "Module", "candidates", "probe"]
