"""What goes wrong in a method that Qt calls is told, rather than the end of the program.

Before 3.12, Python makes the object of an error that C raised, as `1 / 0` does, only when something
catches it. PySide6 takes the error of an override as it is and reads that object: without one the
process ends with a segmentation fault.
"""

from collections.abc import Callable
from functools import cache, wraps
from types import FunctionType
from typing import Any

from shiboken6 import Shiboken

QT = ("PySide6", "Shiboken")
"""Where classes of Qt's own come from."""
GUARDED = "is_guarded"


def guard_overrides() -> None:
    """Let the overrides of every class made from now on catch what they raise, and raise it again.

    pyqtgraph's are among them, where it is imported afterwards. Not reached are methods that an
    object, or a class when it was made, is given later. One that is mixed in becomes the class's
    own, before those of mixins behind it.
    """
    Shiboken.Object.__init_subclass__ = classmethod(_made)  # type: ignore[assignment, arg-type]


def _made(cls: type, **how: object) -> None:
    super(Shiboken.Object, cls).__init_subclass__(**how)  # type: ignore[misc]
    bases = cls.__mro__
    of_qt = [place for place, base in enumerate(bases) if base.__module__.startswith(QT)]
    left = _names(tuple(bases[place] for place in of_qt))
    for base in bases[: of_qt[0]]:  # what is mixed in behind it overrides nothing
        own = left & vars(base).keys()
        for name in own:
            method = vars(base)[name]
            if isinstance(method, FunctionType) and not hasattr(method, GUARDED):
                setattr(cls, name, _guarded(method))
        left -= own


@cache
def _names(kinds: tuple[type, ...]) -> frozenset[str]:
    """What classes of Qt's have, but for what every class has."""
    return frozenset(name for kind in kinds for name in vars(kind) if not name.startswith("__"))


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def guarded(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except BaseException:
            raise

    setattr(guarded, GUARDED, True)
    return guarded
