"""Reading the output of benchmark programs, pasted or from a file.

`read` is the way in. Each program has a module that turns what it prints into runs; nothing that
looks like a measurement and was not understood is passed over in silence.
"""

from .reading import Reading, Unread, read, read_file

__all__ = ["Reading", "Unread", "read", "read_file"]
