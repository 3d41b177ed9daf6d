"""rdfgpu as a Store of rdflib: `Graph("rdfgpu")`, `Dataset("rdfgpu")`.

    from rdflib import Dataset

    data = Dataset("rdfgpu")
    data.open("coins.store", create=True)
    data.parse("coins.trig")
    data.close()

The default graph of the store is rdflib's default graph, and any graph that a blank node names, as `Graph()` is named. What is added
and removed is written together: before the next reading, after ten thousand triples, by `commit()` and by `close()`.

Queries and updates are answered by the engine. rdflib's own evaluator answers, from `triples`, what the engine has no words for:
prepared queries, initBindings, and queries of the union of all graphs.
"""

from __future__ import annotations

import threading
from typing import Any, Generator, Iterable, Iterator, Mapping, Optional

import rdflib
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.query import Result as RdflibResult
from rdflib.store import NO_STORE, VALID_STORE, Store as RdflibStore
from rdflib.term import Identifier, Node, URIRef, Variable

from ._errors import RdfgpuError, StoreNotFound
from ._store import Store, open as open_store
from ._terms import BNode, IRI, Literal, Term, XSD

_Triple = tuple[Node, Node, Node]
_Pattern = tuple[Optional[Node], Optional[Node], Optional[Node]]

# How many changes are written together at most.
_TOGETHER = 10_000


def to_rdflib(term: Term | None) -> Identifier | None:
    """The term as rdflib has it, its lexical form as it is. A string has no datatype there."""
    if term is None:
        return None
    if isinstance(term, Literal):
        if term.language is not None:
            return rdflib.Literal(term.lexical, lang=term.language)
        datatype = None if term.datatype == XSD + "string" else URIRef(term.datatype)
        return rdflib.Literal(term.lexical, datatype=datatype, normalize=False)
    return rdflib.BNode(str(term)) if isinstance(term, BNode) else URIRef(str(term))


def from_rdflib(term: Node) -> Term:
    """The term as the engine has it."""
    if isinstance(term, rdflib.Literal):
        if term.language:
            return Literal(str(term), language=term.language)
        return Literal(str(term), str(term.datatype) if term.datatype is not None else XSD + "string")
    if isinstance(term, rdflib.BNode):
        return BNode(str(term))
    if isinstance(term, URIRef):
        return IRI(str(term))
    raise TypeError(f"{term!r} is no term of RDF")


class RdfgpuStore(RdflibStore):
    """A store of rdflib over an rdfgpu.Store: one that it opens, by `open` or `configuration`, or one that is open already."""

    context_aware = True
    formula_aware = False
    transaction_aware = False
    graph_aware = True

    def __init__(
        self, configuration: str | None = None, identifier: Identifier | None = None, *, store: Store | None = None, writable: bool = True,
        **options: Any,
    ) -> None:
        self._store = store
        self._owned = False
        self._writable = writable
        self._options = options
        self._pending: list[str] = []
        self._lock = threading.RLock()
        self._empty: dict[Identifier, Graph] = {}
        self._namespace_of: dict[str, URIRef] = {}
        self._prefix_of: dict[URIRef, str] = {}
        super().__init__(configuration, identifier)

    @property
    def engine(self) -> Store:
        """The open store, with all that was added in it."""
        if self._store is None:
            raise RdfgpuError("open the store first: graph.open(path), with create=True for a new one")
        self.commit()
        return self._store

    def open(self, configuration: str | tuple[str, str], create: bool = False) -> int | None:
        """Opens the store in a folder; NO_STORE where there is none and `create` is not asked for."""
        if self._store is not None:
            raise RdfgpuError("a store is open already")
        if not isinstance(configuration, str):
            raise TypeError("the configuration is the path of a folder")
        try:
            self._store = open_store(configuration, create=create, writable=self._writable, **self._options)
        except StoreNotFound:
            return NO_STORE
        self._owned = True
        return VALID_STORE

    def close(self, commit_pending_transaction: bool = False) -> None:
        """Writes what is to be written, and closes a store that `open` opened."""
        if self._store is None:
            return
        try:
            self.commit()
        finally:
            store, self._store = self._store, None
            if self._owned:
                store.close()

    def commit(self) -> None:
        """Writes what was added and removed."""
        with self._lock:
            if self._pending and self._store is not None:
                lines, self._pending = self._pending, []
                self._store.patch("".join(lines))

    def rollback(self) -> None:
        """Drops what was not written yet."""
        with self._lock:
            self._pending.clear()

    # What is added and removed

    def _note(self, sign: str, triple: _Triple, graph: str) -> None:
        line = f"{sign} {' '.join(from_rdflib(term).n3() for term in triple)} {graph}.\n"
        with self._lock:
            self._pending.append(line)
            if len(self._pending) >= _TOGETHER:
                self.commit()

    def add(self, triple: _Triple, context: Any, quoted: bool = False) -> None:
        """Adds a triple to a graph."""
        if quoted:
            raise ValueError("rdfgpu has no formulas")
        if self._store is None:
            raise RdfgpuError("open the store first: graph.open(path), with create=True for a new one")
        if isinstance(triple[0], rdflib.Literal) or not isinstance(triple[1], URIRef):
            raise ValueError(f"{triple!r} is no triple of RDF")
        super().add(triple, context, quoted)
        self._note("A", triple, _named(context))

    def remove(self, triple: _Pattern, context: Any = None) -> None:
        """Removes what matches from a graph, or from all."""
        super().remove(triple, context)
        if all(term is None for term in triple):
            name = _named(context)
            self.engine.update("CLEAR ALL" if context is None else f"CLEAR SILENT GRAPH {name}" if name else "CLEAR DEFAULT")
            return
        found = list(self.triples(triple, context))
        for match, graphs in found:
            for graph in graphs if context is None else [context]:
                self._note("D", match, _named(graph))

    # What is read

    def triples(self, triple_pattern: _Pattern, context: Any = None) -> Iterator[tuple[_Triple, Iterator[Any]]]:
        """The triples that match, of a graph or of all, each with its graphs."""
        where = _where(triple_pattern)
        if where is None:
            return
        engine = self.engine
        free = [v for v, term in zip("spo", triple_pattern) if term is None]
        given = {v: term for v, term in zip("spo", triple_pattern) if term is not None}

        def whole(row: Any) -> Any:
            return tuple(given[v] if v in given else to_rdflib(row[v]) for v in "spo")

        if context is not None:
            name = _named(context)
            where = f"GRAPH {name} {{ {where} }}" if name else where
            # a SELECT names a variable at least
            for row in engine.query(f"SELECT {' '.join('?' + v for v in free) or '(1 AS ?one)'} {{ {where} }}", keep=False):
                yield whole(row), iter([context])
            return
        names = " ".join("?" + v for v in [*free, "g"])
        graphs: dict[Any, list[Graph]] = {}
        for row in engine.query(f"SELECT {names} {{ {{ {where} }} UNION {{ GRAPH ?g {{ {where} }} }} }}", keep=False):
            graphs.setdefault(whole(row), []).append(self._graph(to_rdflib(row["g"])))
        for triple, contexts in graphs.items():
            yield triple, iter(contexts)

    def _graph(self, name: Identifier | None) -> Graph:
        return Graph(store=self, identifier=DATASET_DEFAULT_GRAPH_ID if name is None else name)

    def __len__(self, context: Any = None) -> int:
        """How many triples a graph has, or all have: one that is in several counts once."""
        name = _named(context)
        if context is None:
            where = "{ SELECT DISTINCT ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } } }"
        else:
            where = f"GRAPH {name} {{ ?s ?p ?o }}" if name else "?s ?p ?o"
        row = self.engine.query(f"SELECT (COUNT(*) AS ?n) {{ {where} }}").first()
        assert row is not None and isinstance(row[0], Literal)
        return int(row[0].lexical)

    def contexts(self, triple: Any = None) -> Generator[Any, None, None]:
        """The graphs, those that a triple is in; empty ones that were added by name, too, where no triple is given."""
        where = _where(triple or (None, None, None))
        if where is None:
            return
        engine = self.engine
        seen: set[Identifier] = set()
        if engine.ask(f"ASK {{ {where} }}"):
            yield self._graph(None)
        for row in engine.query(f"SELECT DISTINCT ?g {{ GRAPH ?g {{ {where} }} }}"):
            name = to_rdflib(row[0])
            assert name is not None
            seen.add(name)
            yield self._graph(name)
        if triple is None or triple == (None, None, None):
            yield from [graph for name, graph in list(self._empty.items()) if name not in seen]

    def add_graph(self, graph: Graph) -> None:
        """Notes a graph, which the store keeps once it has triples."""
        if _named(graph):
            self._empty[graph.identifier] = graph

    def remove_graph(self, graph: Graph) -> None:
        """Removes a graph with its triples."""
        self.remove((None, None, None), graph)
        self._empty.pop(graph.identifier, None)

    # Queries and updates

    def query(
        self, query: Any, initNs: Mapping[str, Any] | None = None, initBindings: Mapping[str, Identifier] | None = None,
        queryGraph: Any = None, **options: Any,
    ) -> RdflibResult:
        """Answers a query by the engine, with the options of rdfgpu.Store.query."""
        if not isinstance(query, str) or initBindings or str(queryGraph) == "__UNION__":
            raise NotImplementedError  # rdflib's own evaluator goes on from here
        if queryGraph is not None and _named(queryGraph):
            options["default_graphs"] = [str(queryGraph)]
        answer = self.engine.query(_prologue(initNs) + query, **options)
        if answer.kind == "boolean":
            result = RdflibResult("ASK")
            result.askAnswer = bool(answer)
        elif answer.kind == "triples":
            result = RdflibResult("CONSTRUCT")
            result.graph = answer.graph()
        else:
            result = RdflibResult("SELECT")
            result.vars = [Variable(v) for v in answer.variables]
            names = result.vars
            result.bindings = [{v: t for v, t in zip(names, map(to_rdflib, row)) if t is not None} for row in answer]
        return result

    def update(
        self, update: Any, initNs: Mapping[str, Any] | None = None, initBindings: Mapping[str, Identifier] | None = None,
        queryGraph: Any = None, **options: Any,
    ) -> None:
        """Runs an update by the engine, with the options of rdfgpu.Store.update."""
        if not isinstance(update, str) or initBindings or str(queryGraph) == "__UNION__" or queryGraph is not None and _named(queryGraph):
            raise NotImplementedError
        self.engine.update(_prologue(initNs) + update, **options)

    # Prefixes, which are this object's and not in the store

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Binds a prefix; without `override` only where neither it nor the namespace is bound."""
        if not override and (prefix in self._namespace_of or namespace in self._prefix_of):
            return
        old_namespace, old_prefix = self._namespace_of.pop(prefix, None), self._prefix_of.pop(namespace, None)
        if old_namespace is not None:
            self._prefix_of.pop(old_namespace, None)
        if old_prefix is not None:
            self._namespace_of.pop(old_prefix, None)
        self._namespace_of[prefix], self._prefix_of[namespace] = namespace, prefix

    def prefix(self, namespace: URIRef) -> str | None:
        """The prefix of a namespace."""
        return self._prefix_of.get(namespace)

    def namespace(self, prefix: str) -> URIRef | None:
        """The namespace of a prefix."""
        return self._namespace_of.get(prefix)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """The prefixes with their namespaces."""
        yield from list(self._namespace_of.items())


def _named(context: Any) -> str:
    """The name of a graph as a query, or a line of a patch, has it; "" for the default graph."""
    identifier = getattr(context, "identifier", context)
    if identifier is None or identifier == DATASET_DEFAULT_GRAPH_ID or isinstance(identifier, rdflib.BNode):
        return ""
    return IRI(str(identifier)).n3()


def _where(pattern: _Pattern) -> str | None:
    """The pattern as a query has it; None where no triple of RDF can match."""
    subject, predicate, object_ = pattern
    if isinstance(subject, rdflib.Literal) or predicate is not None and not isinstance(predicate, URIRef):
        return None
    if not all(term is None or isinstance(term, (URIRef, rdflib.BNode, rdflib.Literal)) for term in (subject, object_)):
        return None
    return " ".join("?" + v if term is None else from_rdflib(term).n3() for v, term in zip("spo", pattern)) + " ."


def _prologue(prefixes: Mapping[str, Any] | None) -> str:
    """Declarations of prefixes, on the first line, so that errors tell the line that was written."""
    return "".join(f"PREFIX {prefix}: {IRI(str(iri)).n3()} " for prefix, iri in (prefixes or {}).items())
