from pathlib import Path

import pytest

from ourmodels_gui.library.importers.opening import pasted_path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/models/a.gguf", "/models/a.gguf"),
        ("  '/models/a b.gguf'\n", "/models/a b.gguf"),
        ('"/models/a.gguf"', "/models/a.gguf"),
        ("file:///models/a%20b.gguf", "/models/a b.gguf"),
        ("file://localhost/models/a.gguf", "/models/a.gguf"),
        ("FILE:///models/gr%C3%BC%C3%9Fe.gguf", "/models/grüße.gguf"),
        ("file:///C:/models/a.gguf", "C:/models/a.gguf"),
        ("~/a.gguf", str(Path.home() / "a.gguf")),
    ],
)
def test_a_pasted_path_is_understood(text, path):
    assert pasted_path(text) == Path(path)
