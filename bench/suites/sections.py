"""The kinds of section: each turns stored runs into Markdown and draws its figure, if any."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median
from typing import Any

from homeward.bench import figures
from suites import analysis, outside, pictures, store
from suites.results import Found, Results
from suites.tables import HEADS, NOTHING, fixed, line, number, seconds, table, theirs

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
            f"`{one.run['puzzle']}`, {one.markdown}",
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
    if found:
        pictures.trade(found, down, across, figure)
    counts = sorted({one.run["summary"]["count"] for one in found})
    note = (
        f"{' or '.join(map(str, counts))} instances in each cell: mean length of those solved, "
        "solved %, mean nodes, mean seconds, nodes/s."
    )
    return "\n\n".join([note, *texts])


def _grid_cell(found: Found | None) -> str:
    if found is None:
        return NOTHING
    told = found.run["summary"]
    parts = [
        fixed(told["mean_length"], 1),
        f"{told['solved_percent']:.0f} %",
        number(told["mean_generated"], 2),
        f"{seconds(told['mean_seconds'])} s",
        number(told["generated_per_second"], 2),
    ]
    return ", ".join(parts)


def estimates(section: Section, results: Results, figure: Path) -> str:
    """Estimates against exact distances."""
    found = results.runs(section["entries"])
    paper = results.paper(section["paper"]).facts
    keys = ("not_over_percent", "over_at_most_one_percent", "mean_over", "mean_error", "rms_error")
    lines = [[f"*{paper['label']}*", "*100,000*", *(theirs(paper.get(key)) for key in keys)]]
    for one in found:
        told = one.run["summary"]
        lines.append([one.markdown, f"{told['count']:,}", *(fixed(told[key]) for key in keys)])
    if found:
        pictures.estimates(found, figure)
    heads = ["not over %", "over by ≤ 1 %", "mean over", "mean error", "rms error"]
    return table(["", "states", *heads], lines)


def triplets(section: Section, results: Results, figure: Path) -> str:
    """Patterns of three moves."""
    lines = []
    for key in section["papers"]:
        paper = results.paper(key)
        lines.append([f"*{paper.label}*", *(theirs(paper.facts[p]) for p in analysis.PATTERNS)])
    for one in results.runs(section["entries"]):
        moves = [row["moves"] for row in one.rows() if row.get("moves")]
        shares = analysis.triplets(moves)
        lines.append([one.markdown, *(fixed(shares[p]) for p in analysis.PATTERNS)])
    return table(["", "aba⁻¹", "aba", "aab", "abb"], lines)


def symmetric(section: Section, results: Results, figure: Path) -> str:
    """Solutions of mirrored states."""
    lines = []
    for key in section["papers"]:
        facts = results.paper(key).facts
        cells = [theirs(facts.get(k)) for k in ("symmetric_percent", "same_length_percent")]
        lines.append([f"*{facts['label']}*", "*1000*", *cells])
    for original, image in section["pairs"]:
        for one in results.named(original):
            same = [other for other in results.named(image) if other.file == one.file]
            if one.skipped or not same or same[0].skipped:
                continue
            told = analysis.symmetric(one.rows(), same[0].rows())
            cells = [fixed(told["symmetric_percent"]), fixed(told["same_length_percent"])]
            lines.append([same[0].markdown, str(told["count"]), *cells])
    return table(["", "pairs", "symmetric %", "of the others, as long %"], lines)


def speed(section: Section, results: Results, figure: Path) -> str:
    """Bytes and seconds of heuristics, ours and the paper's."""
    lines = []
    for one in results.runs(section["entries"]):
        columns = one.run["columns"]
        for values in zip(*columns.values(), strict=True):
            lines.append(_speed_line(one, dict(zip(columns, values, strict=True)), results))
    heads = ["GB", "paper's GB", "s, one by one", "s, in batches of 1000", "paper's s"]
    return table(["heuristic", *heads], lines)


def _speed_line(found: Found, told: dict[str, Any], results: Results) -> list[str]:
    """One heuristic; the paper has seconds one by one and in batches for nets only."""
    puzzle, name = found.run["puzzle"], told["heuristic"]
    label = f"`{puzzle}`, {name}"
    if told["reason"]:
        return [f"{label}: not run: {told['reason']}", *[NOTHING] * 5]
    gpu = found.machine.get("gpu") if name == "net" else None
    kind = "pdb" if name != "net" else "net-gpu" if gpu else "net-cpu"
    sizes = results.paper("deepcubea.sizes").facts["net" if name == "net" else "pdb"]
    speeds = results.paper("deepcubea.speeds").facts
    known = [speeds[key].get(puzzle) for key in (kind, f"{kind}-batch") if key in speeds]
    theirs_too = name in ("net", "korf", "databases")
    return [
        f"{label}, on one {gpu}" if gpu else label,
        f"{told['bytes'] / 1e9:.4f}",
        theirs(sizes.get(puzzle) if theirs_too else None),
        number(told["single"]),
        number(told["batch"]),
        " / ".join(theirs(value) for value in known) if theirs_too else NOTHING,
    ]


def beats(section: Section, results: Results, figure: Path) -> str:
    """How often a solver is shorter than a reference."""
    lines = []
    for one in results.runs(section["entries"]):
        near = [r for r in results.named(section["reference"]) if not r.skipped]
        if not near:
            continue
        try:
            told = analysis.beaten(one.rows(), near[0].rows())
        except ValueError:  # measured elsewhere, before instances were drawn as they are now
            lines.append([one.markdown, "other states", *[NOTHING] * 3])
            continue
        shares = [fixed(told[key], 1) for key in ("shorter", "equal", "longer")]
        lines.append([one.markdown, str(told["count"]), *shares])
    return table(["", "solved by both", "shorter %", "as long %", "longer %"], lines)


def graphs(section: Section, results: Results, figure: Path) -> str:
    """God's numbers and hardest states."""
    paper = results.paper(section["paper"]).facts
    lines = []
    for one in results.runs(section["entries"]):
        told, name = one.run["summary"], one.run["puzzle"]
        printed = paper["hardest"].get(name)
        hardest = " or ".join(f"`{text}`" for text in one.run["columns"]["hardest"][:2])
        count = told["hardest"]
        more = f" and {count - 2:,} more" if count > 2 else ""
        agreed = ""
        if printed:
            listed = printed in one.run["columns"]["hardest"]
            agreed = f"*`{printed}`*" + (" (the same)" if listed else "")
        lines.append(
            [
                f"`{name}`",
                f"{told['states']:,}",
                str(told["diameter"]),
                theirs(paper["diameter"].get(name)),
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
    for other, ours in section["pairs"]:
        for peer in results.named(other):
            if peer.skipped:
                lines.append([f"{peer.markdown}: not run: {peer.skipped}", *[NOTHING] * 6])
                continue
            for own in results.named(ours):
                if own.file == peer.file and not own.skipped:
                    lines.append(_ratio_line(peer, own))
    heads = ["states", "length", "s", "homeward", "length", "s", "peer's s / ours, median"]
    return table(["peer", *heads], [[*one, *[NOTHING] * (8 - len(one))] for one in lines])


def _ratio_line(peer: Found, own: Found) -> list[str]:
    pairs = store.paired(peer.rows(), own.rows())
    both = [(a, b) for a, b in pairs if a["length"] is not None and b["length"] is not None]
    if not both:
        return [peer.markdown, "0"]
    ratio = median(a["seconds"] / b["seconds"] for a, b in both)
    version = peer.run["task"]["solver"]
    return [
        f"{peer.markdown} ({version})",
        str(len(both)),
        fixed(fmean(a["length"] for a, _ in both)),
        seconds(fmean(a["seconds"] for a, _ in both)),
        own.markdown,
        fixed(fmean(b["length"] for _, b in both)),
        seconds(fmean(b["seconds"] for _, b in both)),
        number(ratio),
    ]


def graph_ratios(section: Section, results: Results, figure: Path) -> str:
    """Whole graphs by a peer and by homeward."""
    lines = []
    for other, ours in section["pairs"]:
        for peer, own in zip(results.named(other), results.named(ours), strict=False):
            if peer.skipped or own.skipped:
                lines.append([peer.markdown, peer.skipped or own.skipped, *[NOTHING] * 3])
                continue
            a, b = peer.run["summary"], own.run["summary"]
            same = peer.run["columns"]["counts"] == own.run["columns"]["counts"]
            told = f"{a['states']:,}" + (", the same counts" if same else ", other counts")
            ratio = number(a["seconds"] / b["seconds"])
            lines.append([peer.markdown, told, seconds(a["seconds"]), seconds(b["seconds"]), ratio])
    return table(["peer", "states", "peer's s", "our s", "ratio"], lines)


def cluster(section: Section, results: Results, figure: Path) -> str:
    """Rows here and on a cluster that lost a worker."""
    lines = []
    for one in results.runs(section["entries"]):
        told = one.run["summary"]
        keys = ("count", "rows", "same_rows", "workers", "killed")
        times = [seconds(told[key]) for key in ("seconds_here", "seconds_cluster")]
        lines.append([one.markdown, *(str(told[key]) for key in keys), *times])
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
    "training": outside.training,
    "cluster": cluster,
    "heuristic-learning": outside.heuristic_learning,
}
