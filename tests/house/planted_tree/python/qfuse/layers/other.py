"""The circle's other half, which is put off."""

name = "other"


def call():
    from . import one

    return one
