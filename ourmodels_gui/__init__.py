"""Our Models Desktop: ceilings on how fast a machine can serve an open language model."""

__version__ = "0.1.0"
