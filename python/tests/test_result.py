"""Rows and columns of results, against what was put in."""

from __future__ import annotations

import datetime
import decimal
import math
import random
import string
from pathlib import Path

import pytest

import rdfgpu
from rdfgpu import BNode, IRI, Literal, Term
from rdfgpu._terms import XSD


def random_term(r: random.Random, place: int) -> Term:
    letters = string.ascii_letters + " \t\n\r\"'\\éß中🙂\x01\x7f\u200d{}<>|^`%"

    def text() -> str:
        return "".join(r.choice(letters) for _ in range(r.choice([0, 1, 3, 30])))

    def name() -> str:
        return "http://e/" + "".join(r.choice("abcé中%20#?") for _ in range(r.randrange(4)))

    kinds = [lambda: IRI(name()), lambda: BNode(r.choice(["a", "b", "x1", "Zz.9"]))]
    if place == 1:
        return IRI(name())
    if place == 2:
        kinds += [
            lambda: Literal(text()),
            lambda: Literal(text(), language=r.choice(["en", "de-AT", "zh-Hans"])),
            lambda: Literal(text(), name()),
            lambda: Literal(str(r.randrange(-5, 5)), XSD + "integer"),
            lambda: Literal(r.choice(["1.0", "+1", "1e3", "INF", "x", ""]), XSD + r.choice(["double", "decimal", "boolean", "dateTime"])),
        ]
    return r.choice(kinds)()


@pytest.mark.parametrize("seed", range(30))
def test_terms_come_back_as_they_were(store: rdfgpu.Store, seed: int, nothing_stays: None) -> None:
    r = random.Random(seed)
    triples = {tuple(random_term(r, i) for i in range(3)) for _ in range(r.choice([0, 1, 10, 300]))}
    store.patch("".join(f"A {s.n3()} {p.n3()} {o.n3()} .\n" for s, p, o in triples))
    answers = [store.query("SELECT ?s ?p ?o { ?s ?p ?o }"), store.query("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }")]
    if not any(isinstance(t, BNode) for triple in triples for t in triple):
        assert {tuple(row) for row in answers[1]} == triples
    result = answers[0]
    assert sorted(map(repr, result)) == sorted(map(repr, map(tuple, triples)))  # repr tells "1" from "01"
    table = result.arrow()
    assert table.num_rows == len(triples) == len(result)
    columns = table.to_pydict()
    kinds = {"iri": IRI, "bnode": BNode}

    def term(value: str, kind: str) -> Term:
        if kind in kinds:
            return kinds[kind](value)
        return Literal(value, language=kind[1:]) if kind[0] == "@" else Literal(value, kind)

    got = {tuple(term(columns[v][i], columns[v + ".type"][i]) for v in "spo") for i in range(table.num_rows)}
    assert got == triples
    for s, p, o in list(triples)[:20]:
        assert store.ask(f"ASK {{ {s.n3()} {p.n3()} {o.n3()} }}")


def test_long_strings_nul_and_unbound(store: rdfgpu.Store, nothing_stays: None) -> None:
    long = "é" * 3_000_000
    store.load(data=f'<http://e/a> <http://e/p> "{long}", "a\\u0000b", "" .', format="turtle")
    rows = {str(row.o) for row in store.query("SELECT ?o { ?s ?p ?o }")}
    assert rows == {long, "a\0b", ""}
    assert set(store.query("SELECT ?o { ?s ?p ?o }").pandas()["o"]) == rows
    assert set(store.query("SELECT ?o { ?s ?p ?o }").polars()["o"]) == rows
    result = store.query("SELECT ?x ?y ?z { VALUES (?x ?y) { (1 UNDEF) (UNDEF 2) (UNDEF UNDEF) } }")
    assert [tuple(t.value if t is not None else None for t in row) for row in result] == [(1, None, None), (None, 2, None), (None, None, None)]
    assert [row.asdict().keys() for row in result] == [{"x"}, {"y"}, set()]
    frame = result.pandas()
    assert frame["x"].isna().tolist() == [False, True, True] and frame["z"].isna().all() and list(frame) == ["x", "y", "z"]
    assert result.polars()["y"].to_list() == [None, 2, None]


def test_answers_without_rows_or_columns(store: rdfgpu.Store, nothing_stays: None) -> None:
    empty = store.query("SELECT ?a ?b { ?a <http://e/none> ?b }")
    assert len(empty) == 0 and not empty and empty.first() is None and list(empty) == [] and "<http://e/none>" in empty.unknown[0]
    assert list(empty.pandas()) == ["a", "b"] and empty.polars().shape == (0, 2) and empty.arrow().num_rows == 0
    assert len(store.query("SELECT * {}")) == 1 and list(store.query("SELECT * {}")) == [()]
    answer = store.query("ASK {}")
    assert bool(answer) and bool(answer) and "true" in answer._repr_html_()
    with pytest.raises(TypeError):
        list(answer)


def test_values_are_of_python() -> None:
    assert [Literal(lexical, XSD + kind).value for lexical, kind in (
        ("7", "integer"), (" 7 ", "int"), ("1.50", "decimal"), ("1e3", "double"), ("-INF", "float"), ("true", "boolean"), ("0", "boolean"),
        ("2026-11-23", "date"), ("2026-11-23T01:02:03", "dateTime"), ("x", "integer"), ("1_0", "integer"), ("١", "integer"), ("nan", "double"), ("x", "string"),
    )] == [
        7, 7, decimal.Decimal("1.50"), 1000.0, -math.inf, True, False, datetime.date(2026, 11, 23), datetime.datetime(2026, 11, 23, 1, 2, 3),
        "x", "1_0", "١", "nan", "x",
    ]
    assert math.isnan(Literal("NaN", XSD + "double").value)
    assert Literal("a", language="en") != Literal("a") != IRI("a")
    assert len({Literal("a"), Literal("a"), IRI("a"), BNode("a")}) == 3


def test_columns_get_the_type_of_all_their_terms(store: rdfgpu.Store) -> None:
    result = store.query(
        "SELECT * { VALUES (?i ?f ?b ?d ?mixed ?big ?wrong) { (1 1.5 true '2026-01-02'^^xsd:date 1 1 1) "
        "(2 2 false '1999-12-31'^^xsd:date 'a' 100000000000000000000 'x'^^xsd:integer) } }".replace("SELECT", f"PREFIX xsd: <{XSD}> SELECT", 1)
    )
    assert {f.name: str(f.type) for f in result.arrow(convert=True).schema} == {
        "i": "int64", "f": "double", "b": "bool", "d": "date32[day]", **{v: "large_string" for v in ("mixed", "big", "wrong")},
    }
    frame = result.pandas()
    assert frame["i"].sum() == 3 and frame["f"].sum() == 3.5 and frame["big"].tolist() == ["1", "100000000000000000000"]
    assert result.polars()["d"].to_list() == [datetime.date(2026, 1, 2), datetime.date(1999, 12, 31)]
    assert result.polars(convert=False).columns[:4] == ["i", "i.type", "f", "f.type"]


def test_white_space_and_signs_are_of_numbers(store: rdfgpu.Store) -> None:
    rows = f"(' 1 '^^<{XSD}decimal> '+2'^^<{XSD}int>) ('3'^^<{XSD}double> '-4'^^<{XSD}integer>)"
    frame = store.query(f"SELECT * {{ VALUES (?a ?b) {{ {rows} }} }}").polars()
    assert frame.rows() == [(1.0, 2), (3.0, -4)]


def test_many_rows_cross_in_batches(store: rdfgpu.Store, nothing_stays: None) -> None:
    n = 300_000
    store.load(data="".join(f'<http://e/{i % 1000}> <http://e/p{i % 7}> "{i}"^^<{XSD}integer> .\n' for i in range(n)), format="ntriples")
    result = store.query("SELECT * { ?s ?p ?o }")
    frame = result.polars()
    assert frame.height == n and frame["o"].sum() == n * (n - 1) // 2 and frame["s"].n_unique() == 1000
    assert result.pandas()["o"].sum() == n * (n - 1) // 2
    assert sum(row.o.value for row in result) == n * (n - 1) // 2  # type: ignore[union-attr]
    assert len(result._batches) > 1
    once = store.query("SELECT * { ?s ?p ?o }", keep=False)
    rows = iter(once)
    next(rows)
    held = rdfgpu.allocated()
    assert sum(1 for _ in rows) == n - 1 and rdfgpu.allocated() <= held + (32 << 20)
    with pytest.raises(rdfgpu.RdfgpuError):
        list(once)
    del rows, once


def test_tables_share_the_memory_and_outlive_everything(tmp_path: Path, nothing_stays: None) -> None:
    with rdfgpu.open(tmp_path / "s", create=True, writable=True) as s:
        s.load(data="".join(f'<http://e/{i}> <http://e/p> "value {i}" .\n' for i in range(10_000)), format="ntriples")
        before = rdfgpu.allocated()
        result = s.query("SELECT * { ?s ?p ?o }")
        table, again = result.arrow(), result.arrow()
        held = rdfgpu.allocated() - before
        addresses = [t.column("o").chunk(0).indices.buffers()[1].address for t in (table, again)]
        assert addresses[0] == addresses[1], "two tables of a result have copies"
        assert table.nbytes <= held < 1.5 * table.nbytes + 65536
        result.close()
    assert table.column("o").to_pylist()[0].startswith("value") and rdfgpu.allocated() - before == held
    capsule = result_capsule = None
    del table, again, capsule, result_capsule
    result = None  # type: ignore[assignment]


def test_a_stream_that_nobody_takes_is_freed(store: rdfgpu.Store, nothing_stays: None) -> None:
    store.update("INSERT DATA { <http://e/s> <http://e/p> 1 }")
    capsule = store.query("SELECT * { ?s ?p ?o }").__arrow_c_stream__()
    assert "arrow_array_stream" in repr(capsule)


def test_documents_are_written(store: rdfgpu.Store) -> None:
    store.update("INSERT DATA { <http://e/s> <http://e/p> 'é' }")
    assert store.serialize("SELECT ?o { ?s ?p ?o }", "csv").decode() == "o\r\né\r\n"
    assert store.serialize("CONSTRUCT WHERE { ?s ?p ?o }", "ntriples").decode() == '<http://e/s> <http://e/p> "é" .\n'
    import io

    import pyarrow

    assert pyarrow.ipc.open_stream(io.BytesIO(store.serialize("SELECT ?o { ?s ?p ?o }", "arrow"))).read_all().num_rows == 1


def test_notebooks_show_tables(store: rdfgpu.Store) -> None:
    store.update("INSERT DATA { <http://e/s?a=1&b=<x>> <http://e/p> '<script>'@en . <javascript:x> <http://e/p> 1 }".replace("<x>", "2"))
    text = store.query("SELECT * { ?s ?p ?o }")._repr_html_()
    assert "<script>" not in text and "&lt;script&gt; <small>@en</small>" in text and 'href="javascript' not in text and "2 rows" in text
    store.load(data="".join(f"<http://e/{i}> <http://e/q> 1 .\n" for i in range(100)), format="turtle")
    shown = store.query("SELECT * { ?s <http://e/q> ?o }")._repr_html_()
    assert shown.count("<tr>") == 21 and ("100 rows" in shown or "the first 20 rows" in shown)
