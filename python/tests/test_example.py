"""The notebook in examples/ says what comes out when it is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parents[1] / "examples" / "coins.ipynb"


def shown(notebook: Any) -> list[list[tuple[str, Any]]]:
    """What each cell shows: texts, and the data of values."""
    return [
        [(o.output_type, o.get("text") or {kind: o.data[kind] for kind in sorted(o.data)}) for o in cell.get("outputs", [])]
        for cell in notebook.cells
    ]


def test_the_notebook_is_as_it_was_run() -> None:
    kept = nbformat.read(NOTEBOOK, as_version=4)
    again = nbformat.read(NOTEBOOK, as_version=4)
    for cell in again.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    nbclient.NotebookClient(again, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    assert shown(again) == shown(kept)
