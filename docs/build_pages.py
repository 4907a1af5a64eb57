"""Writes the pages that are computed from the catalog: audit.md and catalog-sizes.md.

Run from the repository root after a change to the catalog: make pages
A test holds both pages to what this computes.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ourmodels_gui.library.audit_page import audit_page, cell
from ourmodels_gui.library.formats import WEIGHT_FORMATS, file_bytes, tolerance
from ourmodels_gui.library.load import Library, load

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SIZES = ROOT / "tests" / "data" / "model_sizes.json"
HEAD = "<!-- Written by docs/build_pages.py; change the catalog or that file, not this one. -->\n"


def pages() -> dict[str, str]:
    """Every computed page by the name of its file."""
    library = load(ROOT / "catalog")
    return {
        "audit.md": "\n".join([HEAD, *audit_page(library, sizes="catalog-sizes.md")]) + "\n",
        "catalog-sizes.md": "\n".join([HEAD, *sizes(library)]) + "\n",
    }


def sizes(library: Library) -> Iterator[str]:
    """Stated sizes of files against the bytes computed for their tensors."""
    stated = json.loads(SIZES.read_text(encoding="utf-8"))
    compared = [row for row in stated if "model" in row]
    others = [row for row in stated if "model" not in row]
    exceptions = [row for row in compared if "exception" in row]
    rows, total = _rows(compared), _rows(stated)
    yield "# Computed and published sizes of model files\n"
    yield (
        f"{total} published rows state the size of a file, {len(stated)} different statements. "
        f"{rows} rows ({len(compared)} statements) are of a model and a format that the catalog "
        "has. Computed are the bytes of all tensors in the file, draft layers and towers included "
        "where the file holds them. They must meet the statement within 1 %, or 2.5 % where a "
        "GGUF format mixes blocks.\n"
    )
    yield (
        f"{rows - _rows(exceptions)} rows meet it; {_rows(exceptions)} do not "
        f"({_rows(exceptions) / rows:.1%}). `tests/data/model_sizes.json` holds every statement "
        "with its source.\n"
    )
    yield "## Exceptions\n\n| file | rows | stated | computed | difference | reason |"
    yield "|---|---:|---:|---:|---:|---|"
    for row in exceptions:
        yield f"| {row['file']} | {row['rows']} | {_sizes(library, row)} | {row['exception']} |"
    yield "\n## Not compared\n\nFormats that the catalog does not have.\n"
    yield "| file | rows | reason |\n|---|---:|---|"
    for row in others:
        yield f"| {cell(row['file'])} | {row['rows']} | {row['not_compared']} |"
    yield "\n## By format\n\n| format | statements | rows | largest difference | allowed |"
    yield "|---|---:|---:|---:|---:|"
    for weights in dict.fromkeys(["native", *WEIGHT_FORMATS]):
        held = [row for row in compared if row["weights"] == weights and "exception" not in row]
        if held:
            worst = max((_difference(library, row) for row in held), key=abs)
            yield (
                f"| {weights} | {len(held)} | {_rows(held)} | {worst:+.2%} | "
                f"{tolerance(weights):.1%} |"
            )


def _rows(statements: list[dict]) -> int:
    return sum(row["rows"] for row in statements)


def _difference(library: Library, row: dict) -> float:
    return file_bytes(library.models[row["model"]].record, row["weights"]) / row["bytes"] - 1


def _sizes(library: Library, row: dict) -> str:
    computed = file_bytes(library.models[row["model"]].record, row["weights"])
    stated = row["bytes"]
    return f"{stated / 1e9:.2f} GB | {computed / 1e9:.2f} GB | {computed / stated - 1:+.1%}"


def main() -> None:
    """Write every page."""
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
