"""What tools/checks/imports must find: two imports upwards that are put off."""

import importlib


def call():
    from ..layers.one import name

    return name, importlib.import_module("qfuse.layers.other")
