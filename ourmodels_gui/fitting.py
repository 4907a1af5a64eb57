"""Plain values -> a struct, with the path of the key in every message.

Refused: unknown keys, wrong types, numbers out of range. ``true`` is not a number; a whole number
may be written as 1e5 or 100000.0. ``null`` for a key with a default means the default.
"""

import functools
import types
import typing
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from .language import tr
from .problem import BadInput, brief
from .strict_json import join
from .units import exact

MAX_TEXT = 2000
SMALLEST = 1e-12


class OneOf(msgspec.Struct, frozen=True):
    """Restricts an ``Annotated[str, ...]`` to some ids; as the key of a dict as well."""

    options: tuple[str, ...]


def fit(value: Any, wanted: Any, path: str = "") -> Any:
    """Plain values -> the wanted type: structs, unions, literals, tuples, dicts, ranges.

    Parameters: value, from `strict_json.parse`; wanted, a type as struct fields are annotated; path
    of value.
    Errors: BadInput naming the key and what to write.
    """
    origin, args = get_origin(wanted), get_args(wanted)
    if origin is Annotated:
        fitted = fit(value, args[0], path)
        for limit in args[1:]:
            if isinstance(limit, OneOf):
                _one_of(fitted, limit.options, path)
            else:
                _in_range(fitted, limit, path)
        return fitted
    if origin in (types.UnionType, typing.Union):
        return fit(value, _option(value, args, path), path)
    if wanted is Any or (wanted is types.NoneType and value is None):
        return value
    if origin is Literal:
        return _one_of(value, args, path)
    if not _matches(value, wanted):
        raise BadInput(
            path,
            tr("expected {wanted}, found {value}").format(
                wanted=_expected(wanted), value=_found(value)
            ),
        )
    if origin is tuple:
        return tuple(fit(item, args[0], f"{path}[{i}]") for i, item in enumerate(value))
    if origin is dict:
        return {
            fit(key, args[0], join(path, key)): fit(item, args[1], join(path, key))
            for key, item in value.items()
        }
    if wanted is bool:
        return value
    if wanted is str:
        if len(value) > MAX_TEXT:
            raise BadInput(
                path,
                tr("the text is longer than {max_text:,} characters").format(max_text=MAX_TEXT),
            )
        return value
    if wanted in (int, float):
        return _number(value, wanted, path)
    return _struct(value, wanted, path)


_fields = functools.cache(msgspec.structs.fields)  # it works out the annotations anew each time


def _struct(value: dict[str, Any], wanted: Any, path: str) -> Any:
    fields = {field.name: field for field in _fields(wanted)}
    for key in value:
        if key not in fields:
            raise BadInput(join(path, key), tr("unknown key{hint}").format(hint=_near(key, fields)))
    chosen = {}
    for name, field in fields.items():
        if name in value and (value[name] is not None or field.required):
            chosen[name] = fit(value[name], field.type, join(path, name))
        elif field.required:
            raise BadInput(
                join(path, name), tr("is missing; write {type}").format(type=_expected(field.type))
            )
    try:
        return wanted(**chosen)
    except BadInput as bad:
        raise BadInput(join(path, bad.problem.key), bad.problem.message) from None


def _option(value: Any, options: tuple[Any, ...], path: str) -> Any:
    """The member of a union that the value means; among structs, the one with most of its keys,
    and where none has any, with the most that look alike."""
    fitting = [option for option in options if _matches(value, option)]
    if not fitting:
        raise BadInput(
            path,
            tr("expected {options}, found {value}").format(
                options=_any_of(options), value=_found(value)
            ),
        )
    if isinstance(value, dict):
        fitting.sort(key=lambda option: -len(value.keys() & _field_names(option)))
        if not value.keys() & _field_names(fitting[0]):
            fitting.sort(key=lambda option: -_alike(value, _field_names(option)))
    return fitting[0]


def _alike(value: dict[str, Any], known: set[str]) -> int:
    """How many of the first keys look like one that is known: misspelt, all of them are."""
    return sum(bool(get_close_matches(key[:80], known, 1)) for key in list(value)[:8])


def _field_names(wanted: Any) -> set[str]:
    return set(getattr(wanted, "__struct_fields__", ()))


def _matches(value: Any, wanted: Any) -> bool:
    origin, args = get_origin(wanted), get_args(wanted)
    if origin is Annotated:
        return _matches(value, args[0])
    if wanted in (int, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if wanted is bool:
        return isinstance(value, bool)
    if wanted is str or origin is Literal:
        return isinstance(value, str)
    if wanted is types.NoneType:
        return value is None
    if origin is tuple:
        return isinstance(value, list)
    return isinstance(value, dict)


def _number(value: int | float, wanted: type[int] | type[float], path: str) -> int | float:
    if value != 0 and not SMALLEST <= abs(value) <= 1 / SMALLEST**2:
        raise BadInput(path, tr("{value} is not a sensible figure here").format(value=exact(value)))
    if wanted is float:
        return float(value)
    if value != int(value):
        raise BadInput(
            path, tr("expected a whole number, found {value}").format(value=exact(value))
        )
    return int(value)


def _in_range(value: Any, meta: msgspec.Meta, path: str) -> None:
    below = (meta.ge is not None and value < meta.ge) or (meta.gt is not None and value <= meta.gt)
    if not below and (meta.le is None or value <= meta.le):
        return
    least = meta.gt if meta.gt is not None else meta.ge
    wanted = (
        tr("must be above {least:g}").format(least=least)
        if meta.gt is not None
        else tr("must be at least {least:g}").format(least=least)
    )
    if not below:
        wanted = tr("must be at most {most}").format(most=f"{meta.le:,.16g}")
    raise BadInput(path, f"{exact(value)} {wanted}")


def _one_of(value: Any, options: tuple[str, ...], path: str) -> str:
    if isinstance(value, str) and value in options:
        return value
    listed = ", ".join(options)
    raise BadInput(
        path, tr("{value} is not one of: {listed}").format(value=_found(value), listed=listed)
    )


def _near(key: str, known: typing.Iterable[str]) -> str:
    near = get_close_matches(key[:80], list(known), 1)
    return (
        tr("; did you mean {near}?").format(near=near[0])
        if near
        else tr("; known here: {known}").format(known=", ".join(known))
    )


def _expected(wanted: Any) -> str:
    origin, args = get_origin(wanted), get_args(wanted)
    if origin is Annotated and isinstance(args[1], OneOf):
        return tr("one of: ") + ", ".join(args[1].options)
    if origin is Annotated:
        return _expected(args[0])
    if origin is Literal:
        return tr("one of: ") + ", ".join(args)
    if origin in (types.UnionType, typing.Union):
        return _any_of(args)
    if origin is tuple:
        return tr("a list")
    if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct):
        needed = [field.name for field in _fields(wanted) if field.required]
        if needed:
            return tr("an object with {needed}").format(needed=", ".join(needed))
        example = f'{{"{_fields(wanted)[0].name}": ...}}'
        return tr("an object such as {example}").format(example=example)
    names = {
        int: tr("a whole number"),
        float: tr("a number"),
        str: tr("a text"),
        bool: tr("true or false"),
    }
    return names.get(wanted, tr("an object {...}"))


def _any_of(options: tuple[Any, ...]) -> str:
    return tr(" or ").join(_expected(option) for option in options if option is not types.NoneType)


def _found(value: Any) -> str:
    if isinstance(value, str):
        return f'"{brief(value)}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return exact(value)
    return tr("a list") if isinstance(value, list) else tr("an object {...}")
