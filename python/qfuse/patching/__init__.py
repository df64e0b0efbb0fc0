"""How functions of other libraries are replaced: by their own hooks (hook.py), and by patches (patch.py)."""
