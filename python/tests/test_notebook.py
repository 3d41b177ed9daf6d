"""%%sparql in a shell of IPython."""

from __future__ import annotations

from pathlib import Path

import pytest

import rdfgpu

pytest.importorskip("IPython")


def test_cells_ask_and_update(tmp_path: Path) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    rdfgpu.open(tmp_path / "s", create=True).close()
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "rdfgpu")
    with pytest.raises(rdfgpu.RdfgpuError, match="which store"):
        shell.run_cell_magic("sparql", "", "ASK {}")
    opened = shell.run_line_magic("sparql_store", f"{tmp_path / 's'} --writable")
    report = shell.run_cell_magic("sparql", "--update", "INSERT DATA { <http://e/s> <http://e/p> 1, 2 }")
    assert report.added == 2
    assert len(shell.run_cell_magic("sparql", "", "SELECT * {\n ?s ?p ?o }")) == 2
    assert bool(shell.run_line_magic("sparql", "ASK { ?s ?p 2 }"))
    assert shell.run_cell_magic("sparql", "-o found --pandas", "SELECT ?o { ?s ?p ?o }") is None
    assert shell.user_ns["found"]["o"].sum() == 3
    shell.user_ns["other"] = opened
    assert shell.run_cell_magic("sparql", "--store other --polars", "SELECT ?o { ?s ?p ?o }").height == 2
    assert "semantics" in (shell.run_cell_magic("sparql", "--explain -o plan", "SELECT * { ?s ?p ?o }") or shell.user_ns["plan"])
    with pytest.raises(rdfgpu.RdfgpuError, match="usage"):
        shell.run_cell_magic("sparql", "--nonsense", "ASK {}")
    opened.close()
