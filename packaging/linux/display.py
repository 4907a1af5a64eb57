"""Tells whether a window can be opened here: exit status 0 yes, 1 no.

DISPLAY or WAYLAND_DISPLAY being set is not enough (a login over ssh may leave a dead one), so a
connection is opened and closed through the same libraries that Qt uses.
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
    usable = xcb.xcb_connection_has_error(connection) == 0
    xcb.xcb_disconnect(connection)
    return usable


if __name__ == "__main__":
    sys.exit(0 if sys.platform != "linux" or wayland() or x11() else 1)
