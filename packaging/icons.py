"""Draws the icon in every size and form that systems ask for, from the one SVG."""

import os
import sys

from bundle import ROOT

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRectF
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SVG = ROOT / "resources" / "icons" / "ourmodels.svg"
FOLDER = ROOT / "build" / "icons"
"""Nothing drawn is kept in the repository."""
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)


def drawn(renderer: QSvgRenderer, size: int) -> QImage:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


def main() -> int:
    application = QGuiApplication(sys.argv[:1])
    renderer = QSvgRenderer(str(SVG))
    FOLDER.mkdir(parents=True, exist_ok=True)
    written = [drawn(renderer, size).save(str(FOLDER / f"{size}.png")) for size in SIZES]
    # Windows and macOS scale down well enough from one large picture.
    written.append(drawn(renderer, 256).save(str(FOLDER / "ourmodels.ico")))
    written.append(drawn(renderer, 512).save(str(FOLDER / "ourmodels.icns")))
    del application
    return 0 if renderer.isValid() and all(written) else 1


if __name__ == "__main__":
    sys.exit(main())
