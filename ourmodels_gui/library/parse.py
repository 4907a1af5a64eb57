"""The content of one file of the catalog, or what is wrong with it in words.

msgspec reads it, because a start reads hundreds of such files; what it says of a bad one is turned
into the key's path and what to do.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec
import msgspec.inspect

from ..language import mark, tr
from ..problem import BadInput, brief

T = TypeVar("T")


def parse(data: bytes, kind: type[T], *, strict: bool = False) -> T:
    """The content of one file as the struct it should be.

    Parameters: data; kind; strict refuses a key that stands twice in one object.
    Raises BadInput with the key's path and what to do.
    """
    data = data.removeprefix(BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as bad:
        message = tr("byte {start} is not UTF-8 text; save the file as UTF-8").format(
            start=bad.start
        )
        raise BadInput("", message) from None
    try:
        if strict:
            json.loads(text, object_pairs_hook=_without_twins, parse_int=str)
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as bad:
        raise BadInput(*_explain(_named(str(bad), data, kind), kind)) from None
    except (msgspec.DecodeError, json.JSONDecodeError) as bad:
        message = tr(
            "this is not complete JSON ({bad}); repair it there, or remove the file"
        ).format(bad=bad)
        raise BadInput("", message) from None
    except RecursionError:
        raise BadInput(
            "", tr("the file nests too deeply; it cannot be what it should be")
        ) from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        twin = next(key for key in keys if keys.count(key) > 1)
        raise BadInput(
            twin, tr("“{twin}” stands twice in one object; keep one of them").format(twin=twin)
        )
    return dict(pairs)


_PATH = re.compile(r" - at (?:`key` in )?`\$\.?(.*)`$")
_REMEDIES = (
    ("contains unknown field", mark("the key is unknown; remove it, or check its spelling")),
    ("missing required field", mark("a key is missing; add it")),
    ("> 0", mark("must be above 0; leave the key out when it is unknown")),
    ("Number out of range", mark("is too large to be a number; check it")),
    ("matching regex", mark("write small letters, digits and single hyphens")),
)


def _named(text: str, data: bytes, kind: Any) -> str:
    """msgspec's words with the name of a dict's key where they say only `[...]`.

    The key at fault is the one that alone still gives the same words.
    """
    match = _PATH.search(text)
    first, *rest = match.group(1).split("[...]") if match else [""]
    if not rest:
        return text
    path = first
    try:
        content = place = msgspec.json.decode(data)
    except msgspec.DecodeError:  # a number too large for any type
        return text
    for later in rest:
        for step in re.findall(r"[^.\[\]]+", first):
            place = place[int(step) if isinstance(place, list) else step]
        for key, value in dict(place).items():
            place.clear()
            place[key] = value
            if _complaint(content, kind) == text:
                break
        place, first = place[key], later
        path += f".{brief(key)}{later}"
    return f"{_PATH.sub('', text)} - at `$.{path}`"


def _complaint(content: Any, kind: Any) -> str:
    """What msgspec says against some content; "" when nothing."""
    try:
        msgspec.convert(content, kind)
    except msgspec.ValidationError as bad:
        return str(bad)
    return ""


def _explain(text: str, wanted: Any) -> tuple[str, str]:
    """Key path and sentence from msgspec's own words about a value that is not as wanted."""
    match = _PATH.search(text)
    key = match.group(1) if match else ""
    said = brief(_PATH.sub("", text), 160)
    for words, remedy in _REMEDIES:
        if words in said:
            return key, f"{tr(remedy)} ({said})"
    if said.startswith("Invalid enum value") and (known := _words(wanted, key)):
        return key, tr("{said} is unknown; one of {known}").format(
            said=said[len("Invalid enum value ") :], known=", ".join(known)
        )
    return key, tr("{said}; write that instead").format(said=said)


def _words(wanted: Any, key: str) -> list[str]:
    """What may stand at a key that takes one of a few words, or at the keys of a table there."""
    types = [msgspec.inspect.type_info(wanted)]
    for name in re.findall(r"\.{3}|[^.\[\]]+", key):
        types = [inner for one in types for inner in _inside(one, name)]
    words = [getattr(one, "key_type", one) for one in types]
    return [str(word) for one in words for word in getattr(one, "values", ())]


def _inside(outer: msgspec.inspect.Type, name: str) -> Iterator[msgspec.inspect.Type]:
    """The types that the value under a name, or in a list or a table, may have."""
    found: list[msgspec.inspect.Type] = []
    if isinstance(outer, msgspec.inspect.StructType):
        found = [field.type for field in outer.fields if field.encode_name == name]
    elif isinstance(outer, msgspec.inspect.DictType):
        found = [outer.value_type]
    elif isinstance(outer, msgspec.inspect.VarTupleType):
        found = [outer.item_type]
    for one in found:
        yield from one.types if isinstance(one, msgspec.inspect.UnionType) else (one,)
