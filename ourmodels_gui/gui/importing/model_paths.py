"""Which of the things that are dropped or pasted on the window is a model's file."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl

from ...problem import BadInput

WEIGHTS = (".gguf", ".safetensors", ".safetensors.index.json")
LONGEST = 4096


def is_model(path: Path) -> bool:
    """Whether a path is a model's by its name, or a folder.

    >>> [is_model(Path(name)) for name in ("A-Q4_K.GGUF", "config.json", "a.ourmodels.json")]
    [True, True, False]
    """
    name = path.name.lower()
    return name.endswith(WEIGHTS) or name == "config.json" or path.is_dir()


def one_model(urls: Sequence[QUrl], *, any_file: bool = False) -> Path | None:
    """The model that dropped files are of: one file or folder, or the parts of one in one folder.

    any_file: a single file of another name is taken as well.
    """
    if not urls or not all(url.isLocalFile() for url in urls):
        return None
    paths = sorted(Path(url.toLocalFile()) for url in urls)
    if len(paths) == 1:
        return paths[0] if any_file or is_model(paths[0]) else None
    if {path.parent for path in paths} != {paths[0].parent}:
        return None
    ggufs = [path for path in paths if path.name.lower().endswith(".gguf")]
    shards = [path for path in paths if path.name.lower().endswith(WEIGHTS[1:])]
    if not ggufs or shards:
        return shards[0] if shards and not ggufs else None
    from ...library.importers.gguf_parts import parts_of  # noqa: PLC0415 - no start needs it

    try:
        return ggufs[0] if len({parts_of(path)[0] for path in ggufs}) == 1 else None
    except BadInput:  # reading it says which parts are missing
        return ggufs[0]


def pasted_model(data: QMimeData | None) -> Path | None:
    """The path that was copied, as files or as text; None when that is no path at all.

    data: what the clipboard holds; an empty one may have none. Raises BadInput for a web address.
    """
    if data is None:
        return None
    if data.hasUrls():
        return one_model(data.urls(), any_file=True)
    text = data.text().strip()
    if not text or len(text) > LONGEST or "\n" in text:
        return None
    from ...library.importers.opening import pasted_path  # noqa: PLC0415 - no start needs it

    path = pasted_path(text)
    return path if path.is_absolute() or is_model(path) else None
