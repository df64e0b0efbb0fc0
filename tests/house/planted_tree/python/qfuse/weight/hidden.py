"""tools/checks/imports must find two deferred imports of a higher layer."""

import importlib


def call():
    from ..layers.one import name

    return name, importlib.import_module("qfuse.layers.other")
