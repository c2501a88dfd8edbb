"""Builds docs/results.md and its figures from the raw JSON in docs/results, and from nothing else.

    PYTHONPATH=src python3 bench/report.py [--results docs/results] [--page docs/results.md]

Every table and figure says which runs it is made of, when and on what they ran, and the command
that repeats them. The papers' numbers come from bench/papers.toml and stand in italics.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from suites import plan, sections
from suites.results import Found, Results

DOCS = Path(__file__).resolve().parents[1] / "docs"
ORDER = (
    "quick", "deepcubea", "deepcube", "thesis", "heuristic-learning", "cubes", "peers", "cluster",
)  # fmt: skip

HEAD = """# Results

Every table and figure here is built by `python3 bench/report.py` from the raw JSON in
[docs/results](results), which `python3 bench/suite.py SUITE` writes, one suite at a time. *Numbers
in italics are the papers'.* Means of lengths have 95 % bootstrap intervals. Times are wall-clock
seconds after loading; on a machine that is shared they are upper bounds. Nodes are states generated
unless the table says expanded. Lengths are means over the solved instances of their own row: with
fewer instances, or fewer of them solved, they are of other and mostly of easier ones. Two results
of `homeward bench` are compared by `homeward bench --compare a.json b.json`.
"""


def main(arguments: list[str] | None = None) -> int:
    """Writes the page; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=DOCS / "results")
    parser.add_argument("--page", type=Path, default=DOCS / "results.md")
    wanted = parser.parse_args(arguments)
    parts = [HEAD, *(suite_text(name, wanted.results, wanted.page) for name in ORDER), sources()]
    wanted.page.write_text("\n".join(parts), encoding="utf-8")
    print(f"{wanted.page}: {len(ORDER)} suites")
    return 0


def suite_text(name: str, folder: Path, page: Path) -> str:
    """A suite's part of the page."""
    suite, results = plan.load(name), Results(name, folder)
    parts = [f"## {suite.title}", suite.text]
    if suite.runs:
        parts.append(f"    python3 bench/suite.py {name}")
    for section in suite.sections:
        parts.append(section_text(section, results, folder, page))
    return "\n\n".join(parts) + "\n"


def section_text(section: dict[str, Any], results: Results, folder: Path, page: Path) -> str:
    """One table or figure with where it comes from."""
    parts = [f"### {section['title']}"]
    if section.get("paper") and section["kind"] not in ("estimates", "graphs"):
        paper = results.paper(section["paper"])
        parts.append(
            f"*{section['paper'].partition('.')[0]}, {paper.facts['where']}: {paper.label}*"
        )
    chosen = _chosen(section, results)
    if section["kind"] not in ("training", "heuristic-learning") and not any(
        not found.skipped for found in chosen
    ):
        reasons = sorted({found.skipped for found in chosen if found.skipped})
        parts.append("Not run: " + ("; ".join(reasons) if reasons else "no raw results yet") + ".")
        return "\n\n".join(parts)
    figure = folder / f"{section.get('figure', 'none')}.svg"
    text = sections.KINDS[section["kind"]](section, results, figure)
    parts += [text] if text else []
    if "figure" in section and figure.exists():
        link = figure.relative_to(page.parent) if page.parent in figure.parents else figure
        parts.append(f"![{section['title']}]({link})")
    parts.append(_origin(results.suite, section, chosen))
    return "\n\n".join(part for part in parts if part)


def _chosen(section: dict[str, Any], results: Results) -> list[Found]:
    """The runs that a section is made of."""
    names = [name for pair in section.get("pairs", []) for name in pair]
    entries = [*section.get("entries", []), *(f"run:{name}" for name in names)]
    return [found for found in results.entries(entries) if isinstance(found, Found)]


def _origin(suite: str, section: dict[str, Any], chosen: list[Found]) -> str:
    """When, on what, from which file, by which command."""
    made = [found for found in chosen if not found.skipped]
    if not made:
        return ""
    dates = sorted({found.run["date"] for found in made})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    machines = sorted({_machine(found) for found in made})
    files = sorted({found.file for found in made})
    raw = ", ".join(f"[{name}](results/{name})" for name in files)
    names = [text.partition(":")[2] for text in section.get("entries", []) if text[:4] == "run:"]
    names += [name for pair in section.get("pairs", []) for name in pair]
    only = " ".join(f"'{name}'" if "*" in name else name for name in dict.fromkeys(names))
    limits = sorted({found.run["command"].partition(found.name)[2].strip() for found in made})
    given = f" {limits[0]}" if len(limits) == 1 and limits[0] else ""
    mixed = " (limits differ from run to run; the raw file has each command)" * (len(limits) > 1)
    older = ", ".join(found.name for found in made if found.older)
    before = f"; with an earlier net than ships now: {older}" if older else ""
    return (
        f"<sub>{when}, {'; '.join(machines)}; raw: {raw}; "
        f"`python3 bench/suite.py {suite} --only {only}{given}`{mixed}{before}</sub>"
    )


def _machine(found: Found) -> str:
    facts = found.machine
    told = f"{facts.get('processor', '?')}, {facts.get('cores', '?')} cores"
    used = facts.get("cores_used")
    told += f" ({used} used)" if used else ""
    return f"{facts['gpu']} with {told}" if facts.get("gpu") else told


def sources() -> str:
    """The papers."""
    found = Results("", DOCS / "none").papers["sources"]
    return "\n".join(["## Sources", "", *(f"- **{key}**: {text}" for key, text in found.items())])


if __name__ == "__main__":
    raise SystemExit(main())
