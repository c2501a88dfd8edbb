"""The models that ship: weights `NAME.safetensors` with their cards `NAME.json`.

Each is named after its puzzle. `homeward.heuristics.models` reads and writes them.
"""
