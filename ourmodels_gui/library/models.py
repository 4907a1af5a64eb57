"""The shape of a model file."""

import msgspec


class ModelRecord(msgspec.Struct, frozen=True):
    name: str
