"""What the tests share: stores in temporary folders."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

try:
    import rdfgpu

    rdfgpu.version()
except ImportError as missing:
    pytest.skip(f"{missing}", allow_module_level=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator["rdfgpu.Store"]:
    """An empty store that can be written."""
    with rdfgpu.open(tmp_path / "s", create=True, writable=True, durability="none") as s:
        yield s


@pytest.fixture
def nothing_stays() -> Iterator[None]:
    """The library holds no more rows after the test than before."""
    import gc

    gc.collect()
    before = rdfgpu.allocated()
    yield
    gc.collect()
    assert rdfgpu.allocated() == before
