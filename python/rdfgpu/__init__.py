"""rdfgpu in the process: open a store, query it, update it, load files (docs/PYTHON.md).

    import rdfgpu

    rdfgpu.load("coins.store", ["coins.ttl"])
    with rdfgpu.open("coins.store") as store:
        frame = store.query("SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p").polars()

Calls let other Python threads run, and Ctrl-C ends them.
"""

from ._errors import (
    Cancelled,
    DataError,
    LimitExceeded,
    QuerySyntaxError,
    QueryTimeout,
    RdfgpuError,
    ReadOnly,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreNotFound,
    Unsupported,
)
from ._library import allocated
from ._result import Result, Row
from ._store import LoadReport, Progress, Store, UpdateReport, compact, load, open, version
from ._terms import BNode, IRI, Literal, Term

__version__ = "0.1.0"

__all__ = [
    "BNode", "Cancelled", "DataError", "IRI", "LimitExceeded", "Literal", "LoadReport", "Progress", "QuerySyntaxError", "QueryTimeout",
    "RdfgpuError", "ReadOnly", "Result", "Row", "Store", "StoreBusy", "StoreClosed", "StoreDamaged", "StoreNotFound", "Term",
    "Unsupported", "UpdateReport", "allocated", "compact", "load", "open", "version",
]


def load_ipython_extension(ipython: object) -> None:
    """Registers %%sparql and %sparql (`%load_ext rdfgpu`)."""
    from .notebook import register

    register(ipython)
