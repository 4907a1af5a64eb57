"""The headless commands, one module each: `add` declares the arguments, `run` does the work.

A module imports what it needs when it runs, so that `--help` stays quick.
"""
