"""The kinds of section: each turns stored runs into Markdown and draws its figure, if any."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median
from typing import Any

from homeward.bench import figures
from suites import analysis, pictures
from suites.results import Results
from suites.tables import HEADS, NOTHING, fixed, line, number, seconds, table

Section = dict[str, Any]


def runs(section: Section, results: Results, figure: Path) -> str:
    """One line for each run and each row of a paper."""
    columns, walk = section["columns"], section.get("walk")
    lines = [line(entry, columns, walk) for entry in results.entries(section["entries"])]
    return table([HEADS.get(name, name) for name in columns], lines)


def lengths(section: Section, results: Results, figure: Path) -> str:
    """Distributions of lengths."""
    chosen = {found.label: found.rows() for found in results.runs(section["entries"])}
    figures.plot_lengths(chosen, figure)
    return ""


def anytime(section: Section, results: Results, figure: Path) -> str:
    """Length against seconds."""
    chosen = {found.label: found.rows() for found in results.runs(section["entries"])}
    figures.plot_anytime(chosen, figure)
    return ""


def scatter(section: Section, results: Results, figure: Path) -> str:
    """Each instance a dot."""
    pictures.scatter(results.runs(section["entries"]), figure)
    return ""


def walks(section: Section, results: Results, figure: Path) -> str:
    """By the number of moves of the scramble."""
    pictures.by_walk(results.runs(section["entries"]), figure)
    return ""


def excess(section: Section, results: Results, figure: Path) -> str:
    """How many solutions are so many moves too long."""
    found = results.runs(section["entries"])
    shares = [analysis.excess(one.rows()) for one in found]
    order = [str(n) for n in range(6)] + ["6 or more", "unsolved"]
    kinds = [name for name in order if any(name in share for share in shares)]
    lines = [
        [
            f"`{one.run['puzzle']}`, {one.label}",
            *(fixed(share.get(kind, 0.0), 1) for kind in kinds),
        ]
        for one, share in zip(found, shares, strict=True)
    ]
    heads = [f"+{kind} (%)" if kind[0].isdigit() else f"{kind} (%)" for kind in kinds]
    return table(["moves more than the shortest", *heads], lines)


def grid(section: Section, results: Results, figure: Path) -> str:
    """Length, nodes and seconds by two settings."""
    found = results.runs(section["entries"])
    down, across = section["rows"], section["across"]
    texts = []
    for where in sorted({one.file for one in found}):
        here = {(f.setting(down), f.setting(across)): f for f in found if f.file == where}
        heads = sorted({key[1] for key in here})
        lines = []
        for value in sorted({key[0] for key in here}):
            cells = [here.get((value, head)) for head in heads]
            lines.append([f"λ = {value:g}", *(_grid_cell(cell) for cell in cells)])
        texts.append(table(["", *(f"N = {head:,.0f}" for head in heads)], lines))
    note = "Each cell: mean length of those solved, solved %, mean seconds, nodes/s."
    return "\n\n".join([note, *texts])


def _grid_cell(found: Any) -> str:
    if found is None:
        return NOTHING
    told = found.run["summary"]
    parts = [
        fixed(told["mean_length"], 1),
        f"{told['solved_percent']:.0f} %",
        f"{seconds(told['mean_seconds'])} s",
        number(told["generated_per_second"], 2),
    ]
    return ", ".join(parts)


def estimates(section: Section, results: Results, figure: Path) -> str:
    """Estimates against exact distances."""
    found = results.runs(section["entries"])
    paper = results.paper(section["paper"]).facts
    keys = ("not_over_percent", "over_at_most_one_percent", "mean_over", "mean_error", "rms_error")
    lines = [[f"*{paper['label']}*", "*100,000*", *(_theirs(paper.get(key)) for key in keys)]]
    for one in found:
        told = one.run["summary"]
        lines.append([one.label, f"{told['count']:,}", *(fixed(told[key]) for key in keys)])
    if found:
        pictures.estimates(found, figure)
    heads = ["not over %", "over by ≤ 1 %", "mean over", "mean error", "rms error"]
    return table(["", "states", *heads], lines)


def _theirs(value: Any) -> str:
    return NOTHING if value is None else f"*{value:g}*"


def triplets(section: Section, results: Results, figure: Path) -> str:
    """Patterns of three moves."""
    lines = []
    for key in section["papers"]:
        paper = results.paper(key)
        lines.append([f"*{paper.label}*", *(_theirs(paper.facts[p]) for p in analysis.PATTERNS)])
    for one in results.runs(section["entries"]):
        moves = [row["moves"] for row in one.rows() if row.get("moves")]
        shares = analysis.triplets(moves)
        lines.append([one.label, *(fixed(shares[p]) for p in analysis.PATTERNS)])
    return table(["", "aba⁻¹", "aba", "aab", "abb"], lines)


def symmetric(section: Section, results: Results, figure: Path) -> str:
    """Solutions of mirrored states."""
    lines = []
    for key in section["papers"]:
        facts = results.paper(key).facts
        cells = [_theirs(facts.get(k)) for k in ("symmetric_percent", "same_length_percent")]
        lines.append([f"*{facts['label']}*", "*1000*", *cells])
    for original, image in section["pairs"]:
        for one in results.named(original):
            same = [other for other in results.named(image) if other.file == one.file]
            if one.skipped or not same or same[0].skipped:
                continue
            told = analysis.symmetric(one.rows(), same[0].rows())
            cells = [fixed(told["symmetric_percent"]), fixed(told["same_length_percent"])]
            lines.append([same[0].label, str(told["count"]), *cells])
    return table(["", "pairs", "symmetric %", "of the others, as long %"], lines)


def speed(section: Section, results: Results, figure: Path) -> str:
    """Bytes and seconds of heuristics, ours and the paper's."""
    sizes = results.paper("deepcubea.sizes").facts
    speeds = results.paper("deepcubea.speeds").facts
    lines = []
    for one in results.runs(section["entries"]):
        puzzle = one.run["puzzle"]
        columns = one.run["columns"]
        for name, size, single, batch, reason in zip(
            *(columns[k] for k in ("heuristic", "bytes", "single", "batch", "reason")), strict=True
        ):
            if reason:
                lines.append([f"`{puzzle}`, {name}: not run: {reason}", *[NOTHING] * 5])
                continue
            kind, where = ("net", "gpu" if one.machine.get("gpu") else "cpu")
            theirs = "pdb" if name != "net" else f"net-{where}"
            known = sizes[kind if name == "net" else "pdb"].get(puzzle)
            lines.append(
                [
                    f"`{puzzle}`, {name}"
                    + (
                        f", on one {one.machine['gpu']}" if where == "gpu" and name == "net" else ""
                    ),
                    f"{size / 1e9:.4f}",
                    _theirs(known if name in ("net", "korf", "databases") else None),
                    number(single),
                    number(batch),
                    " / ".join(
                        _theirs(speeds.get(key, {}).get(puzzle))
                        for key in ([theirs] if theirs == "pdb" else [theirs, f"{theirs}-batch"])
                    ),
                ]
            )
    heads = ["GB", "paper's GB", "s, one by one", "s, in batches of 1000", "paper's s"]
    return table(["heuristic", *heads], lines)


def beats(section: Section, results: Results, figure: Path) -> str:
    """How often a solver is shorter than a reference."""
    lines = []
    for one in results.runs(section["entries"]):
        near = [r for r in results.named(section["reference"]) if not r.skipped]
        if not near:
            continue
        told = analysis.beaten(one.rows(), near[0].rows())
        shares = [fixed(told[key], 1) for key in ("shorter", "equal", "longer")]
        lines.append([one.label, str(told["count"]), *shares])
    return table(["", "solved by both", "shorter %", "as long %", "longer %"], lines)


def graphs(section: Section, results: Results, figure: Path) -> str:
    """God's numbers and hardest states."""
    paper = results.paper(section["paper"]).facts
    lines = []
    for one in results.runs(section["entries"]):
        told, name = one.run["summary"], one.run["puzzle"]
        theirs = paper["hardest"].get(name)
        hardest = " or ".join(f"`{text}`" for text in one.run["columns"]["hardest"][:2])
        count = told["hardest"]
        more = f" and {count - 2:,} more" if count > 2 else ""
        agreed = ""
        if theirs:
            listed = theirs in one.run["columns"]["hardest"]
            agreed = f"*`{theirs}`*" + (" (the same)" if listed else "")
        lines.append(
            [
                f"`{name}`",
                f"{told['states']:,}",
                str(told["diameter"]),
                _theirs(paper["diameter"].get(name)),
                seconds(told["seconds"]),
                hardest + more,
                agreed or NOTHING,
            ]
        )
    heads = ["states", "God's number", "thesis", "s", "hardest", "thesis"]
    return table(["puzzle", *heads], lines)


def tuning(section: Section, results: Results, figure: Path) -> str:
    """One setting, all else the same."""
    found, key = results.runs(section["entries"]), section["key"]
    values = sorted({one.setting(key) for one in found})
    lines = []
    for name, group in pictures.grouped(found, key).items():
        here = {one.setting(key): one.run["summary"] for one in group}
        cells = [
            f"{fixed(here[v]['mean_length'], 1)}, {here[v]['solved_percent']:.0f} %"
            if v in here
            else NOTHING
            for v in values
        ]
        lines.append([name, *cells])
    if found:
        pictures.tuning(found, key, figure)
    note = "Each cell: mean length of those solved, solved %."
    return f"{note}\n\n" + table(["", *(f"{key} = {v:g}" for v in values)], lines)


def ratios(section: Section, results: Results, figure: Path) -> str:
    """A peer and homeward on the same states, row by row."""
    lines = []
    for theirs, ours in section["pairs"]:
        for peer in results.named(theirs):
            if peer.skipped:
                lines.append([f"{peer.run['label']}: not run: {peer.skipped}", *[NOTHING] * 6])
                continue
            for own in results.named(ours):
                if own.file == peer.file and not own.skipped:
                    lines.append(_ratio_line(peer, own))
    heads = ["states", "length", "s", "homeward", "length", "s", "peer's s / ours, median"]
    return table(["peer", *heads], [[*one, *[NOTHING] * (8 - len(one))] for one in lines])


def _ratio_line(peer: Any, own: Any) -> list[str]:
    there = {row["index"]: row for row in own.rows()}
    pairs = [(row, there[row["index"]]) for row in peer.rows() if row["index"] in there]
    both = [(a, b) for a, b in pairs if a["length"] is not None and b["length"] is not None]
    if not both:
        return [peer.label, "0"]
    ratio = median(a["seconds"] / b["seconds"] for a, b in both)
    version = peer.run["task"]["solver"]
    return [
        f"{peer.label} ({version})",
        str(len(both)),
        fixed(fmean(a["length"] for a, _ in both)),
        seconds(fmean(a["seconds"] for a, _ in both)),
        own.label,
        fixed(fmean(b["length"] for _, b in both)),
        seconds(fmean(b["seconds"] for _, b in both)),
        number(ratio),
    ]


def graph_ratios(section: Section, results: Results, figure: Path) -> str:
    """Whole graphs by a peer and by homeward."""
    lines = []
    for theirs, ours in section["pairs"]:
        for peer, own in zip(results.named(theirs), results.named(ours), strict=False):
            if peer.skipped or own.skipped:
                lines.append([peer.run["label"], peer.skipped or own.skipped, *[NOTHING] * 3])
                continue
            a, b = peer.run["summary"], own.run["summary"]
            same = peer.run["columns"]["counts"] == own.run["columns"]["counts"]
            told = f"{a['states']:,}" + (", the same counts" if same else ", other counts")
            ratio = number(a["seconds"] / b["seconds"])
            lines.append([peer.label, told, seconds(a["seconds"]), seconds(b["seconds"]), ratio])
    return table(["peer", "states", "peer's s", "our s", "ratio"], lines)


def training(section: Section, results: Results, figure: Path) -> str:
    """Training logs that lie in the folder as training-NAME.jsonl."""
    import json

    logs, lines = {}, []
    for path in sorted(results.folder.glob("training-*.jsonl")):
        head, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        name = path.stem.removeprefix("training-")
        logs[name] = rows
        last = [row["greedy"] for row in rows if row.get("greedy")][-1]
        shares = ", ".join(f"{depth}: {100 * share:.0f} %" for depth, share in last.items())
        told = [head["command"], f"{rows[-1]['seconds'] / 60:.1f}", head["device"], head["date"]]
        lines.append([f"`{name}`", f"`{told[0]}`", *told[1:], shares])
    if not logs:
        return "No training logs are in docs/results (training-NAME.jsonl)."
    pictures.training(logs, figure)
    note = (
        "Share of scrambles of each length that the net solves without search, greedily, as it "
        "learns. As in the paper, near states are learned first."
    )
    heads = ["command", "minutes", "device", "date", "solved greedily at the end, by scramble"]
    return f"{note}\n\n" + table(["model", *heads], lines)


def heuristic_learning(section: Section, results: Results, figure: Path) -> str:
    """Solved instances, nodes and lengths of the six heuristics by walk length."""
    found = results.other("heuristic-learning.json")
    if found is None:
        command = "python3 bench/heuristic_learning.py --out docs/results/heuristic-learning.json"
        return f"Not run yet: `{command}`."
    rows, paper = found["rows"], found["paper"]["solved"]
    names = list(dict.fromkeys(row["heuristic"] for row in rows))
    lengths = sorted({row["walk"] for row in rows})
    texts = [
        f"{found['settings']['time']:g} s for each search (the paper: 300 s), "
        f"{found['machine']['cores']} cores."
    ]
    counts: dict[str, dict[int, int]] = {}
    solved = [row for row in rows if row["length"] is not None]
    for title, cell in (
        ("solved", lambda own: str(len(own))),
        ("mean nodes expanded", lambda own: number(fmean(r["expanded"] for r in own))),
        ("mean length", lambda own: fixed(fmean(r["length"] for r in own))),
    ):
        lines = []
        for name in names:
            groups = [
                [r for r in solved if (r["heuristic"], r["walk"]) == (name, walk)]
                for walk in lengths
            ]
            counts[name] = {walk: len(g) for walk, g in zip(lengths, groups, strict=True)}
            total = [r for r in solved if r["heuristic"] == name]
            cells = [cell(own) if own else NOTHING for own in [*groups, total]]
            extra = [_theirs(paper.get(name))] if title == "solved" else []
            lines.append([name, *cells, *extra])
        heads = [title, *map(str, lengths), "all"] + ["paper, of 320"] * (title == "solved")
        texts.append(table(heads, lines))
    longer = {name: told.get("longer_percent") for name, told in found.get("summary", {}).items()}
    said = ", ".join(f"{name} {value:g} %" for name, value in longer.items() if value)
    texts.append(f"Longer than the shortest, where that is known: {said} (*paper: hNN 8.75 %*).")
    accuracy = results.other("heuristic-learning-accuracy.json")
    if accuracy is not None:
        texts.append(_accuracy(accuracy))
    pictures.solved_by_walk(counts, figure)
    return "\n\n".join(texts)


def _accuracy(found: dict[str, Any]) -> str:
    keys = [key for key in found["paper"] if key in found]
    lines = [
        ["*paper*", NOTHING, *(f"*{found['paper'][key]:g}*" for key in keys)],
        ["homeward", f"{found['count']:,}", *(number(found[key]) for key in keys)],
    ]
    return table(["the net's error", "states", *(key.replace("_", " ") for key in keys)], lines)


def cluster(section: Section, results: Results, figure: Path) -> str:
    """Rows here and on a cluster that lost a worker."""
    lines = []
    for one in results.runs(section["entries"]):
        told = one.run["summary"]
        keys = ("count", "rows", "same_rows", "workers", "killed")
        times = [seconds(told[key]) for key in ("seconds_here", "seconds_cluster")]
        lines.append([one.label, *(str(told[key]) for key in keys), *times])
    heads = ["instances", "rows", "the same", "workers", "killed", "s in one process", "s on Ray"]
    return table(["", *heads], lines)


KINDS: dict[str, Callable[[Section, Results, Path], str]] = {
    "runs": runs,
    "lengths": lengths,
    "anytime": anytime,
    "scatter": scatter,
    "walks": walks,
    "excess": excess,
    "grid": grid,
    "estimates": estimates,
    "triplets": triplets,
    "symmetric": symmetric,
    "speed": speed,
    "beats": beats,
    "graphs": graphs,
    "tuning": tuning,
    "ratios": ratios,
    "graph-ratios": graph_ratios,
    "training": training,
    "cluster": cluster,
    "heuristic-learning": heuristic_learning,
}
