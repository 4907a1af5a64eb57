"""What a bundle runs."""

import sys

from ourmodels_gui.cli import main

if __name__ == "__main__":
    sys.exit(main())
