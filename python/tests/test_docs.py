"""The tutorial of docs/PYTHON.md does what it says."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_five_minutes_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "PYTHON.md").read_text().split("## Five minutes\n")[1].split("\nEverything has")[0]
    (tmp_path / "testdata").symlink_to(ROOT / "testdata")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(textwrap.dedent(text), "docs/PYTHON.md", "exec"), names)
    assert names["frame"].columns == ["name", "lat", "long"]  # type: ignore[attr-defined]
    assert [str(t) for t in names["frame"].dtypes] == ["String", "Float64", "Float64"]  # type: ignore[attr-defined]
    assert len(names["frame"]) == names["table"].num_rows > 1000  # type: ignore[arg-type,attr-defined]
    assert "UpdateReport(sequence=2, added=1" in capsys.readouterr().out
