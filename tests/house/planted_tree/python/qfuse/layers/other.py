"""The cycle's other half, a deferred import."""

name = "other"


def call():
    from . import one

    return one
