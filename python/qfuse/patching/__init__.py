"""Replaces functions of other libraries: through the libraries' own hooks (hook.py) and by patches (patch.py)."""
