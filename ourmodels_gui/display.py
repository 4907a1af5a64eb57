"""Whether a window can be opened here. As a program: exit status 0 yes, 1 no.

DISPLAY or WAYLAND_DISPLAY being set is not enough (a login over ssh may leave a dead one), so a
connection is opened and closed through the same libraries that Qt uses, which itself would abort.
"""

import ctypes
import os
import sys


def library(name: str) -> ctypes.CDLL | None:
    """The shared library, or None where the system has none: then Qt could not use it either."""
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def wayland() -> bool:
    client = library("libwayland-client.so.0")
    if client is None or not os.environ.get("WAYLAND_DISPLAY"):
        return False
    client.wl_display_connect.restype = ctypes.c_void_p
    client.wl_display_disconnect.argtypes = [ctypes.c_void_p]
    display = client.wl_display_connect(None)
    if display is None:
        return False
    client.wl_display_disconnect(display)
    return True


def x11() -> bool:
    xcb = library("libxcb.so.1")
    if xcb is None or not os.environ.get("DISPLAY"):
        return False
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    usable = bool(xcb.xcb_connection_has_error(connection) == 0)
    xcb.xcb_disconnect(connection)
    return usable


def found() -> list[str]:
    """Qt's names of the kinds of display that answer, the preferred first."""
    return [name for name, answers in (("wayland", wayland), ("xcb", x11)) if answers()]


def can_be_missing() -> bool:
    """Whether that is a question: on Linux, unless somebody has told Qt what to draw on."""
    return sys.platform == "linux" and not os.environ.get("QT_QPA_PLATFORM")


if __name__ == "__main__":
    sys.exit(0 if sys.platform != "linux" or found() else 1)
