"""The C program of the boards' search, compiled here, with the signatures of the numba one."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from homeward.heuristics.tiles.tree.records import Kept, Patterns, Rules, Tables
from homeward.heuristics.tiles.tree.records import Path as Steps

SOURCE = Path(__file__).with_suffix(".c")
FLAGS = ["-O3", "-march=native", "-shared", "-fPIC"]

_WORLD = (
    "slides automaton *ways entries starts columns numbers *parts *most_tiles *width shifts "
    "shift_starts tiles maps owners *views *cells *symbols *patterns"
)
_WORK = "board sets columns costs blanks states lefts order moves "
_WORK += "kept_sets kept_columns kept_costs sums"


def _structure(names: str) -> type[ctypes.Structure]:
    """A structure of pointers, and of whole numbers where a name has a star."""
    fields = [
        (name.strip("*"), ctypes.c_int64 if name.startswith("*") else ctypes.c_void_p)
        for name in names.split()
    ]
    return type("Structure", (ctypes.Structure,), {"_fields_": fields})


World, Work = _structure(_WORLD), _structure(_WORK)


class Compiled:
    """`dive_manhattan` and `dive_patterns` in C."""

    def __init__(self, folder: Path) -> None:
        """Compiles into `folder`; `FileNotFoundError` if there is no compiler."""
        self.compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if self.compiler is None:
            raise FileNotFoundError("no C compiler was found")
        library = folder / "board_dive.so"
        subprocess.run([self.compiler, *FLAGS, "-o", library, SOURCE], check=True)
        self._code = ctypes.CDLL(str(library))
        for name in ("dive_manhattan", "dive_patterns"):
            getattr(self._code, name).restype = ctypes.c_int64

    def dive_manhattan(
        self,
        rules: Rules,
        changes: np.ndarray,
        board: np.ndarray,
        path: Steps,
        estimates: np.ndarray,
        limit: int,
        stop: np.ndarray,
        counts: np.ndarray,
    ) -> int:
        size = ctypes.c_int64
        found: int = self._code.dive_manhattan(
            _at(rules.slides),
            size(rules.slides.shape[1]),
            _at(rules.automaton),
            _at(changes),
            size(changes.shape[2]),
            *(_at(a) for a in (board, path.blanks, path.states, path.lefts, path.order, estimates)),
            size(limit),
            _at(stop),
            _at(counts),
        )
        return found

    def dive_patterns(
        self,
        rules: Rules,
        tables: Tables,
        board: np.ndarray,
        patterns: Patterns,
        path: Steps,
        kept: Kept,
        limit: int,
        stop: np.ndarray,
        counts: np.ndarray,
    ) -> int:
        parts, tiles, width = tables.numbers.shape
        sizes = {
            "ways": rules.slides.shape[1],
            "parts": parts,
            "most_tiles": tiles - 1,
            "width": width.bit_length() - 1,
            "views": len(tables.maps),
            "cells": tables.maps.shape[1],
            "symbols": tables.owners.shape[1],
            "patterns": len(tables.tiles),
        }
        arrays = {**rules._asdict(), **tables._asdict()}
        names = [name for name, kind in World._fields_ if kind is ctypes.c_void_p]
        world = World(**sizes, **{name: _at(arrays[name]) for name in names})
        work = Work(*(_at(array) for array in (board, *patterns, *path, *kept)))
        found: int = self._code.dive_patterns(
            ctypes.byref(world), ctypes.byref(work), ctypes.c_int64(limit), _at(stop), _at(counts)
        )
        return found


def _at(array: np.ndarray) -> Any:
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)
