"""Training logs for the report: a model's card in one line, then what its training logged.

    python3 bench/suites/logs.py RUN/log.jsonl src/homeward/models/cube3.json

writes docs/results/training-cube3.jsonl, if the log is that of the model: the card has its seconds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
KEPT = ("step", "seconds", "loss", "states_seen", "greedy")


def main(log: Path, card: Path, folder: Path = RESULTS) -> int:
    """Writes the log beside the other raw results; the exit status."""
    facts = json.loads(card.read_text(encoding="utf-8"))
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    if abs(rows[-1]["seconds"] - facts["seconds"]) > 1:
        print(f"{log} is not the log of {card}", file=sys.stderr)
        return 2
    head = {key: facts[key] for key in ("puzzle", "method", "command", "date", "device")}
    lines = [head, *({key: row[key] for key in KEPT} for row in rows)]
    path = folder / f"training-{card.stem}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*map(Path, sys.argv[1:3])))
