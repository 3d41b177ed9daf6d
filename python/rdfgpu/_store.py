"""Stores: open, query, update, load."""

from __future__ import annotations

import base64
import builtins
import os
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Literal as OneOf, Mapping, Sequence, Union

from ._errors import StoreClosed
from ._library import Call, in_use
from ._result import Result

Path = Union[str, "os.PathLike[str]"]
Semantics = OneOf["homomorphism", "isomorphism", "edge-isomorphism", "induced"]
Device = OneOf["auto", "cpu", "gpu"]
Format = OneOf["ntriples", "nquads", "turtle", "trig", "rdfxml"]


@dataclass(frozen=True)
class UpdateReport:
    """What an update did: the sequence of its commit, and the triples that came and went, in all graphs and by graph."""

    sequence: int
    added: int
    removed: int
    graphs: Mapping[str, tuple[int, int]]

    @staticmethod
    def _of(report: Mapping[str, Any]) -> "UpdateReport":
        graphs = {g.get("graph", ""): (g["added"], g["removed"]) for g in report.get("graphs") or []}
        return UpdateReport(report["sequence"], report["added"], report["removed"], graphs)


@dataclass(frozen=True)
class LoadReport:
    """What a load did: triples in the store now, those that were new, that were there, that stood in the input more than once;
    bytes of the store; seconds; lines that were skipped."""

    triples: int
    added: int
    already_there: int
    duplicates: int
    bytes: int
    seconds: float
    bad_lines: int

    @staticmethod
    def _of(r: Mapping[str, Any]) -> "LoadReport":
        return LoadReport(
            r["triples"], r["added"], r["alreadyThere"], r["duplicates"], r["bytes"], r["elapsedNanoseconds"] / 1e9, r.get("badLines", 0)
        )


@dataclass(frozen=True)
class Progress:
    """How far a load is: the phase, triples and bytes read, seconds since it began and that are likely left (0: unknown)."""

    phase: str
    triples: int
    bytes: int
    total_bytes: int
    elapsed: float
    remaining: float

    @staticmethod
    def _of(p: Mapping[str, Any]) -> "Progress":
        return Progress(p["phase"], p["triples"], p["bytes"], p["totalBytes"], p["elapsed"], p["remaining"])


def _files(files: Path | Iterable[Path]) -> list[str]:
    return [os.fspath(files)] if isinstance(files, (str, os.PathLike)) else [os.fspath(f) for f in files]


def load(
    store: Path, files: Path | Iterable[Path], *, format: Format | None = None, base: str = "", append: bool = False, memory: int = 0,
    skip_bad: int = 0, threads: int = 0, temp_dir: Path = "", progress: Callable[[Progress], None] | None = None,
) -> LoadReport:
    """Reads RDF files and folders into the store in a folder, in bulk; with `append` it keeps what is there.

    Names tell the format (.nt .nq .ttl .trig .rdf .owl, also .gz .zst .bz2) unless `format` does. `memory` bounds the load, in
    bytes, and `skip_bad` is how many bad lines of N-Triples or N-Quads are passed over. The store is the old one or the new one,
    whenever the load is interrupted. Raises DataError, with file and line.

    >>> rdfgpu.load("coins.store", ["coins.ttl", "dumps/"])  # doctest: +SKIP
    """
    call = Call(
        "load", path=os.fspath(store), files=_files(files), format=format or "", base=base, append=append, memory=memory, skipBad=skip_bad,
        threads=threads, tempDir=os.fspath(temp_dir), progress=progress is not None,
    )
    return LoadReport._of(call.finish((lambda p: progress(Progress._of(p))) if progress else None))


def compact(store: Path, *, memory: int = 0, threads: int = 0) -> LoadReport:
    """Makes the segments that appends and updates left one again; no process may write the store meanwhile."""
    return LoadReport._of(Call("compact", path=os.fspath(store), memory=memory, threads=threads).finish())


def open(
    path: Path, *, create: bool = False, writable: bool = False, threads: int = 0, device: Device | None = None, gpu_memory: int = 0,
    temp_dir: Path = "", durability: str = "sync", services: Sequence[str] = (),
    loads: Sequence[str] = (),
) -> "Store":
    """Opens the store in a folder; use it in a `with` block, or close it.

    `create` makes an empty one where there is none. `writable` allows updates, by this process alone. `threads` bounds a query
    (0: all cores). `durability` says when an update returns: when it is on the disk ("sync"), a few milliseconds later together
    with others ("group", or "group=5ms"), or once the system has it ("none"). `services` are the endpoints that SERVICE may ask, `loads` the
    prefixes of IRIs that LOAD may read; none by default.

    Raises StoreNotFound, StoreBusy, StoreDamaged.

    >>> with rdfgpu.open("coins.store") as store:  # doctest: +SKIP
    ...     store.query("SELECT * { ?s ?p ?o } LIMIT 3").pandas()
    """
    opened = Call(
        "open", path=os.fspath(path), create=create, writable=writable, threads=threads, device=device or "", gpuMemory=gpu_memory,
        tempDir=os.fspath(temp_dir), durability=durability, services=list(services), loads=list(loads),
    ).finish()
    return Store(os.fspath(path), opened["store"], writable)


class Store:
    """An open store; `rdfgpu.open` makes one. It may be used from any number of threads, and is closed at the end of a `with`."""

    def __init__(self, path: str, number: int, writable: bool) -> None:
        self.path = path
        self.writable = writable
        self._number = number
        self._finalizer = weakref.finalize(self, _close, number)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self._finalizer.alive else " (closed)"
        return f"<rdfgpu.Store {self.path!r}{state}>"

    @property
    def closed(self) -> bool:
        """Whether the store was closed."""
        return not self._finalizer.alive

    def close(self) -> None:
        """Ends what runs and closes the store; rows that were read stay. Closing twice does nothing."""
        self._finalizer()

    def _call(self, method: str, text: str = "", **parameters: Any) -> Call:
        if self.closed:
            raise StoreClosed("the store is closed")
        return Call(method, text, store=self._number, **parameters)

    def query(
        self, text: str, *, semantics: Semantics | None = None, device: Device | None = None, timeout: float = 0, max_rows: int = 0,
        max_memory: int = 0, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = (), base: str = "", keep: bool = True,
    ) -> Result:
        """Asks a SPARQL query. It has begun when this returns, and its rows are read as they are asked for.

        `timeout` is in seconds and `max_memory` in bytes (0: the store's share); `max_rows` raises LimitExceeded beyond. The
        graphs replace FROM and FROM NAMED. Without `keep`, rows are given back once they are read: an answer of any length takes
        constant memory, and can be read once. Raises QuerySyntaxError here; what happens later is raised while rows are read.

        >>> for row in store.query("SELECT ?name { ?x foaf:name ?name }"):  # doctest: +SKIP
        ...     print(row.name.value)
        """
        call = self._call(
            "query", text, semantics=semantics or "", device=device or "", timeout=timeout, maxRows=max_rows, maxMemory=max_memory,
            defaultGraphs=list(default_graphs), namedGraphs=list(named_graphs), base=base,
        )
        return Result(call, keep)

    def ask(self, text: str, **options: Any) -> bool:
        """The answer of an ASK query; the options are those of `query`."""
        return bool(self.query(text, **options))

    def serialize(self, text: str, format: str, *, timeout: float = 0, **options: Any) -> bytes:
        """The answer of a query as a document: json, xml, csv, tsv or table for solutions, ntriples, turtle or rdfxml for graphs,
        arrow for both."""
        call = self._call("query", text, format=format, timeout=timeout, **options)
        try:
            return b"".join(part for part in call if isinstance(part, bytes))
        finally:
            call.close()

    def explain(self, text: str, *, analyze: bool = False, semantics: Semantics | None = None, device: Device | None = None, timeout: float = 0) -> str:
        """The plan of a query as text; with `analyze` the query is run and the plan says what each step measured."""
        call = self._call("explain", text, analyze=analyze, semantics=semantics or "", device=device or "", timeout=timeout)
        return str(call.finish()["text"])

    def update(
        self, text: str, *, timeout: float = 0, semantics: Semantics | None = None, device: Device | None = None, max_memory: int = 0,
        using_graphs: Sequence[str] = (), using_named_graphs: Sequence[str] = (), base: str = "", dry_run: bool = False,
    ) -> UpdateReport:
        """Runs a SPARQL Update as one transaction. With `dry_run` nothing changes, and the report says what would."""
        return UpdateReport._of(
            self._call(
                "update", text, timeout=timeout, semantics=semantics or "", device=device or "", maxMemory=max_memory, base=base,
                usingGraphs=list(using_graphs), usingNamedGraphs=list(using_named_graphs), dryRun=dry_run,
            ).finish()
        )

    def patch(self, text: str, *, dry_run: bool = False) -> UpdateReport:
        """Applies an RDF Patch as one transaction: lines `A s p o g .` add, `D s p o g .` remove. Blank nodes are the store's."""
        return UpdateReport._of(self._call("patch", text, dryRun=dry_run).finish())

    def load(
        self, file: Path | None = None, *, data: str | bytes | None = None, format: Format | None = None, graph: str = "", base: str = "",
        replace: bool = False,
    ) -> UpdateReport:
        """Puts a file, or a document in memory, into a graph ("" is the default graph) of a writable store, as one transaction.

        A file may be packed and its name tells the format; `data` needs `format`. With `replace` the graph has nothing else
        afterwards. Raises DataError. For many files, or ones with graphs of their own, close the store and use `rdfgpu.load`.
        """
        if (file is None) == (data is None):
            raise TypeError("give a file, or data")
        if data is not None and format is None:
            raise TypeError("data needs its format")
        raw = data.encode() if isinstance(data, str) else data or b""
        return UpdateReport._of(
            self._call(
                "put", file="" if file is None else os.path.abspath(os.fspath(file)), data=base64.b64encode(raw).decode(), format=format or "",
                graph=graph, base=base, replace=replace,
            ).finish()
        )

    def dump(self, file: Path, *, graph: str | None = None) -> int:
        """Writes the store, or one graph, as N-Quads; returns how many. What is committed meanwhile is not in it."""
        call = self._call("dump", graph=graph)
        try:
            with builtins.open(file, "wb") as out:
                for part in call:
                    if isinstance(part, bytes):
                        out.write(part)
        finally:
            call.close()
        return int(call.result["quads"])

    def info(self) -> dict[str, Any]:
        """What the store is: triples, terms, bytes, segments, and the sequence of the last commit."""
        return dict(self._call("info").finish())

    def schema(self, limit: int = 0) -> dict[str, Any]:
        """The classes, predicates and links between classes with their counts, at most `limit` of each (0: all)."""
        return dict(self._call("schema", limit=limit).finish())

    def __len__(self) -> int:
        return int(self.info()["triples"])

    def __bool__(self) -> bool:
        return True


def _close(number: int) -> None:
    if in_use():
        Call("close", store=number).finish()


def version() -> dict[str, Any]:
    """What the library was made of: version, commit, Go version, whether it has the GPU's kernels."""
    return dict(Call("version").finish())
