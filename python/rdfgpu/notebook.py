"""Notebooks: `%load_ext rdfgpu`, then `%sparql_store coins.store` and cells that begin with `%%sparql`."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import Any, NoReturn

from ._errors import RdfgpuError
from ._store import Store, open as open_store


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RdfgpuError(f"{message}\n{self.format_usage()}")


def _sparql_arguments() -> argparse.ArgumentParser:
    p = _Arguments(prog="%%sparql", add_help=False)
    p.add_argument("-o", "--out", help="the name of a variable for the result, which is then not shown")
    p.add_argument("-s", "--store", help="the name of a variable with an open rdfgpu.Store")
    p.add_argument("-t", "--timeout", type=float, default=0, help="seconds")
    p.add_argument("--semantics", choices=["homomorphism", "isomorphism", "edge-isomorphism", "induced"])
    p.add_argument("--pandas", action="store_true", help="a pandas.DataFrame")
    p.add_argument("--polars", action="store_true", help="a polars.DataFrame")
    p.add_argument("--explain", action="store_true", help="the plan instead of the answer")
    p.add_argument("--update", action="store_true", help="the cell is an update")
    return p


class Magics:
    """The store that cells ask, and what they may say."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.store: Store | None = None

    def sparql_store(self, line: str) -> Store:
        """%sparql_store PATH [--writable]: opens a store for the cells that follow; a variable with one will do, too."""
        p = _Arguments(prog="%sparql_store", add_help=False)
        p.add_argument("store")
        p.add_argument("--writable", action="store_true")
        a = p.parse_args(shlex.split(line))
        there = self.shell.user_ns.get(a.store)
        self.store = there if isinstance(there, Store) else open_store(a.store, writable=a.writable)
        return self.store

    def sparql(self, line: str, cell: str | None = None) -> Any:
        """%%sparql [options]: asks the text of the cell; %sparql QUERY asks the line."""
        if cell is None:
            line, cell = "", line
        a = _sparql_arguments().parse_args(shlex.split(line))
        store = self.shell.user_ns.get(a.store) if a.store else self.store
        if not isinstance(store, Store):
            raise RdfgpuError("which store? open one: %sparql_store PATH, or name a variable that has one: %%sparql --store NAME")
        value = self._run(store, cell, a)
        if a.out:
            self.shell.user_ns[a.out] = value
            return None
        return value

    def _run(self, store: Store, text: str, a: argparse.Namespace) -> Any:
        if a.explain:
            plan = store.explain(text, semantics=a.semantics, timeout=a.timeout)
            if a.out:
                return plan
            print(plan)
            return None
        if a.update:
            return store.update(text, semantics=a.semantics, timeout=a.timeout)
        result = store.query(text, semantics=a.semantics, timeout=a.timeout)
        for note in result.unknown:
            print(note, file=sys.stderr)
        if a.pandas:
            return result.pandas()
        return result.polars() if a.polars else result


def register(shell: Any) -> Magics:
    """Registers the magics with a shell of IPython."""
    magics = Magics(shell)
    shell.register_magic_function(magics.sparql, "line_cell", "sparql")
    shell.register_magic_function(magics.sparql_store, "line", "sparql_store")
    return magics
