"""The Store of rdflib against rdflib's own in memory: the same operations, the same answers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Iterator

import pytest

import rdfgpu

rdflib = pytest.importorskip("rdflib")

from rdflib import BNode, Dataset, Graph, Literal, URIRef, Variable  # noqa: E402
from rdflib.compare import isomorphic  # noqa: E402
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID  # noqa: E402
from rdflib.namespace import FOAF, XSD  # noqa: E402
from rdflib.plugins.sparql import prepareQuery  # noqa: E402
from rdflib.plugins.sparql.processor import SPARQLProcessor  # noqa: E402

from rdfgpu.rdflib_store import RdfgpuStore, from_rdflib, to_rdflib  # noqa: E402

E = rdflib.Namespace("http://e/")
NODES = [E.a, E.b, E.c, BNode("x"), BNode("y")]
PREDICATES = [E.p, E.q, E.r]
OBJECTS = [*NODES, Literal(1), Literal(2), Literal("1"), Literal("a", lang="en"), Literal("a"), Literal("é\n\"\\'\t", datatype=E.t), Literal(True)]
NAMES = [DATASET_DEFAULT_GRAPH_ID, E.g1, E.g2]


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Dataset]:
    store = RdfgpuStore(durability="none")
    dataset = Dataset(store=store)
    assert dataset.open(str(tmp_path / "s"), create=True) == rdflib.store.VALID_STORE
    yield dataset
    dataset.close()


def triple(r: random.Random) -> Any:
    return r.choice(NODES), r.choice(PREDICATES), r.choice(OBJECTS)


def pattern(r: random.Random) -> Any:
    return tuple(None if r.random() < 0.5 else t for t in triple(r))


def quads(d: Dataset) -> set[Any]:
    return set(d.quads((None, None, None, None)))


@pytest.mark.parametrize("seed", range(25))
def test_operations_do_what_they_do_in_memory(data: Dataset, seed: int) -> None:
    r = random.Random(seed)
    model = Dataset()
    for _ in range(60):
        name, t, p = r.choice(NAMES), triple(r), pattern(r)
        step, whole = r.randrange(11), r.random() < 0.3
        for d in (data, model):
            g = d.graph(name)
            if step < 4:
                g.add(t)
            elif step == 4:
                g.addN([(*triple(random.Random(seed * 1000 + i)), g) for i in range(5)])
            elif step == 5:
                g.remove(p)
            elif step == 6:
                g.set(t)
            elif step == 7:
                d.remove((*p, None))
            elif step == 8 and whole:
                d.remove_graph(name)
        if step == 9:
            assert set(data.graph(name).triples(p)) == set(model.graph(name).triples(p))
            assert (t in data.graph(name)) == (t in model.graph(name))
            assert (*t, data.graph(name)) in data or t not in model.graph(name)
        if step == 10:
            assert set(data.quads((*p, None))) == set(model.quads((*p, None)))
            assert len(data.graph(name)) == len(model.graph(name)) and len(data) == len(model)
    assert quads(data) == quads(model)
    assert {g.identifier for g in data.graphs() if len(g)} == {g.identifier for g in model.graphs() if len(g)}
    union = Dataset(store=data.store, default_union=True)
    other = Dataset(store=model.store, default_union=True)
    assert set(union.triples((None, None, None))) == set(other.triples((None, None, None))) and len(union) == len(other)
    assert sorted(map(repr, union.query("SELECT ?s { ?s <http://e/p> ?o }"))) == sorted(map(repr, other.query("SELECT ?s { ?s <http://e/p> ?o }")))


def query(r: random.Random) -> str:
    """A random SELECT over three variables."""

    def term(place: int) -> str:
        if r.random() < 0.6:
            return r.choice(["?x", "?y", "?z"]) if place != 1 or r.random() < 0.2 else r.choice(PREDICATES).n3()
        t = r.choice([PREDICATES, [n for n in OBJECTS if not isinstance(n, BNode)]][place != 1])
        return from_rdflib(t).n3() if place or isinstance(t, URIRef) else E.a.n3()  # rdflib does not read its own long quotes back

    def triples(n: int) -> str:
        return " . ".join(" ".join(term(i) for i in range(3)) for _ in range(n))

    where = triples(r.randrange(1, 4))
    extra = r.randrange(7)
    if extra == 0:
        where += f" OPTIONAL {{ {triples(1)} }}"
    elif extra == 1:
        where = f"{{ {where} }} UNION {{ {triples(1)} }}"
    elif extra == 2:
        where += f" FILTER NOT EXISTS {{ {triples(1)} }}"
    elif extra == 3:
        where += " FILTER(isIRI(?x) || ?y = 1)"
    elif extra == 4:
        where = f"GRAPH ?g {{ {where} }}"
    elif extra == 5:
        where += f" MINUS {{ {triples(1)} }}"
    return f"SELECT {r.choice(['', 'DISTINCT '])}?x ?y ?z {{ {where} }}"


@pytest.mark.parametrize("seed", range(40))
def test_queries_have_the_answers_of_rdflib(data: Dataset, seed: int) -> None:
    r = random.Random(seed)
    model = Dataset()
    for _ in range(r.randrange(5, 40)):
        name, t = r.choice(NAMES), triple(r)
        data.graph(name).add(t)
        model.graph(name).add(t)
    for _ in range(8):
        text = query(r)

        def rows(d: Any) -> list[str]:
            return sorted(repr([row.get(Variable(v)) for v in "xyz"]) for row in d.query(text).bindings)

        assert rows(data) == rows(model), text
        named = "SELECT ?x ?y ?z { ?x ?y ?z }"
        assert len(data.graph(E.g1).query(named)) == len(model.graph(E.g1).query(named))


def test_forms_of_queries_and_updates(data: Dataset) -> None:
    data.bind("e", E)
    data.update("INSERT DATA { e:a e:p 1, [ e:q 2 ] . GRAPH e:g1 { e:a e:p 3 } }")
    assert data.query("ASK { e:a e:p 1 }").askAnswer and bool(data.query("ASK { e:a e:p 1 }"))
    made = data.query("CONSTRUCT { ?s e:r ?o } { ?s e:p ?o }").graph
    assert len(made) == 2
    result = data.query("SELECT ?o { e:a e:p ?o FILTER isNumeric(?o) }")
    assert [row.o.toPython() for row in result] == [1] and [str(v) for v in result.vars] == ["o"]
    assert [r.o.toPython() for r in data.query("SELECT ?o { ?s e:p ?o }", initBindings={"o": Literal(1)})] == [1]
    assert len(data.query(prepareQuery("SELECT ?o { ?s <http://e/p> ?o }"))) == 2
    assert [r.o.toPython() for r in data.graph(E.g1).query("SELECT ?o { ?s e:p ?o }")] == [3]
    data.graph(E.g1).update("DELETE WHERE { ?s e:p 3 }")
    assert len(data.graph(E.g1)) == 0 and len(data.graph(DATASET_DEFAULT_GRAPH_ID)) == 3
    with pytest.raises(rdfgpu.QuerySyntaxError) as fault:
        data.query("SELECT * {\n ?s ?p }")
    assert fault.value.line == 2


@pytest.mark.parametrize("seed", range(20))
def test_descriptions_are_those_of_rdflib(data: Dataset, seed: int) -> None:
    r = random.Random(seed)
    memory = Graph()
    for t in {triple(r) for _ in range(25)}:
        memory.add(t)
        data.default_graph.add(t)
    thing = r.choice([E.a, E.b, E.c])
    own = SPARQLProcessor(memory).query(f"DESCRIBE <{thing}>")["graph"]
    assert isomorphic(own, memory.cbd(thing))
    assert isomorphic(data.query(f"DESCRIBE <{thing}>").graph, own)
    assert isomorphic(SPARQLProcessor(data).query(f"DESCRIBE <{thing}>")["graph"], own)


def test_graphs_are_parsed_serialized_and_opened_again(tmp_path: Path) -> None:
    turtle = """@prefix e: <http://e/> . e:a e:p [ e:q ( 1 2 "three"@en ) ] , "long"^^e:t ; e:r e:b ."""
    model = Graph().parse(data=turtle, format="turtle")
    g = Graph("rdfgpu")
    assert g.open(str(tmp_path / "s")) == rdflib.store.NO_STORE
    assert g.open(str(tmp_path / "s"), create=True) == rdflib.store.VALID_STORE
    g.parse(data=turtle, format="turtle")
    g.close()
    g = Graph(store=RdfgpuStore(writable=False))
    assert g.open(str(tmp_path / "s")) == rdflib.store.VALID_STORE
    assert len(g) == len(model) == 10 and isomorphic(g, model)
    assert isomorphic(Graph().parse(data=g.serialize(format="turtle"), format="turtle"), model)
    node = next(o for o in g.objects(E.a, E.p) if isinstance(o, BNode))
    assert [c.toPython() for c in g.collection(g.value(node, E.q))] == [1, 2, "three"]
    with pytest.raises(rdfgpu.ReadOnly):
        g.add((E.a, E.p, E.b))
        g.commit()
    g.store.rollback()
    g.close()
    with pytest.raises(rdfgpu.RdfgpuError):
        g.add((E.a, E.p, E.b))


def test_an_open_store_is_shared(store: rdfgpu.Store) -> None:
    store.update("INSERT DATA { <http://e/a> <http://e/p> 1 }")
    g = Graph(store=RdfgpuStore(store=store))
    g.add((E.a, E.p, Literal(2)))
    assert len(store) == 1 and len(g) == 2 and len(store) == 2
    g.close()
    assert not store.closed and len(store.query("CONSTRUCT WHERE { ?s ?p ?o }").graph()) == 2


def test_prefixes_are_bound_as_in_memory() -> None:
    steps = [("a", E, True), ("b", E, True), ("a", FOAF, True), ("c", FOAF, False), ("b", XSD, False), ("d", XSD, True), ("d", E, True)]
    ours, theirs = RdfgpuStore(), rdflib.plugins.stores.memory.Memory()
    for prefix, namespace, override in steps:
        for s in (ours, theirs):
            s.bind(prefix, URIRef(namespace), override)
        assert sorted(ours.namespaces()) == sorted(theirs.namespaces()), (prefix, namespace)
        assert all(ours.prefix(n) == theirs.prefix(n) and ours.namespace(p) == theirs.namespace(p) for p, n, _ in steps)


def test_what_is_no_triple_is_refused(data: Dataset) -> None:
    for wrong in [(Literal("s"), E.p, E.a), (E.a, BNode(), E.a), (E.a, Literal("p"), E.a)]:
        with pytest.raises(ValueError):
            data.store.add(wrong, data.default_context)
        assert list(data.triples(wrong)) == [] and wrong not in data


def test_terms_cross_both_ways() -> None:
    for term in OBJECTS:
        assert to_rdflib(from_rdflib(term)) == term
    assert from_rdflib(Literal("a", datatype=XSD.string)) == from_rdflib(Literal("a"))
    assert str(to_rdflib(rdfgpu.Literal("01", str(XSD.integer)))) == "01"
