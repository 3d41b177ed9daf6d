"""Opening, loading, updating; errors; threads; ends."""

from __future__ import annotations

import gc
import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import rdfgpu
from rdfgpu import BNode, IRI, Literal

ENDLESS = "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h . ?i ?t ?j }"


def fill(store: rdfgpu.Store, n: int) -> None:
    store.load(data="".join(f'<http://e/{i}> <http://e/p> "{i}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n' for i in range(n)), format="ntriples")


def test_files_are_loaded_and_counted(tmp_path: Path) -> None:
    lines = [f"<http://e/{i}> <http://e/p> <http://e/{i + 1}> .\n" for i in range(2000)]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.nt").write_text("".join(lines[:1000]))
    (tmp_path / "in" / "b.nt.gz").write_bytes(gzip.compress("".join(lines[900:]).encode()))
    told: list[rdfgpu.Progress] = []
    report = rdfgpu.load(tmp_path / "s", tmp_path / "in", progress=told.append)
    assert (report.triples, report.duplicates) == (2000, 100)
    more = rdfgpu.load(str(tmp_path / "s"), [tmp_path / "in" / "a.nt"], append=True)
    assert (more.triples, more.added, more.already_there) == (2000, 0, 1000)
    with rdfgpu.open(tmp_path / "s") as s:
        assert len(s) == s.info()["triples"] == 2000
        assert s.schema()["predicates"][0]["triples"] == 2000
        assert len(s.query("SELECT * { ?a <http://e/p>/<http://e/p> ?c }")) == 1999
        with pytest.raises(rdfgpu.ReadOnly):
            s.update("INSERT DATA { <http://e/s> <http://e/p> 1 }")
    assert rdfgpu.compact(tmp_path / "s").triples == 2000


def test_updates_are_told_and_kept(tmp_path: Path) -> None:
    with rdfgpu.open(tmp_path / "s", create=True, writable=True) as s:
        assert s.update("INSERT DATA { <http://e/s> <http://e/p> 1, 2 . GRAPH <http://e/g> { <http://e/s> <http://e/p> 1 } }") == rdfgpu.UpdateReport(
            1, 3, 0, {"": (2, 0), "http://e/g": (1, 0)}
        )
        assert s.update("DELETE WHERE { ?s ?p 2 }", dry_run=True).removed == 1
        assert len(s) == 3
        with pytest.raises(rdfgpu.StoreBusy):
            rdfgpu.open(tmp_path / "s", writable=True)
        assert s.dump(tmp_path / "all.nq") == 3
    with rdfgpu.open(tmp_path / "s", create=True) as s:
        assert len(s) == 3
    rdfgpu.load(tmp_path / "t", tmp_path / "all.nq")
    with rdfgpu.open(tmp_path / "t") as s:
        assert s.ask("ASK { GRAPH <http://e/g> { ?s ?p 1 } }")


def test_documents_go_into_graphs(store: rdfgpu.Store, tmp_path: Path) -> None:
    (tmp_path / "x.ttl.gz").write_bytes(gzip.compress(b"<http://e/a> <http://e/p> [] , 'x' ."))
    assert store.load(tmp_path / "x.ttl.gz", graph="http://e/g").added == 2
    assert store.load(data="<http://e/b> <http://e/p> 1 .", format="turtle", graph="http://e/g", replace=True).removed == 2
    with pytest.raises(rdfgpu.DataError) as fault:
        store.load(data="<http://e/b>\n <http://e/p> .", format="turtle")
    assert fault.value.line == 2
    with pytest.raises(TypeError):
        store.load(data="x")
    with pytest.raises(rdfgpu.StoreNotFound):
        store.load(tmp_path / "none.nt")


def test_errors_say_what_and_where(store: rdfgpu.Store, tmp_path: Path) -> None:
    with pytest.raises(rdfgpu.QuerySyntaxError) as fault:
        store.query("SELECT * {\n  ?s ?p }")
    e = fault.value
    assert (e.line, e.column, e.kind) == (2, 9, "syntax") and "a variable" in e.expected and str(e).endswith("  ?s ?p }\n          ^")
    with pytest.raises(rdfgpu.QuerySyntaxError):
        store.update("INSERT")
    with pytest.raises(FileNotFoundError):
        rdfgpu.open(tmp_path / "none")
    with pytest.raises(rdfgpu.RdfgpuError, match="semantics"):
        store.query("ASK {}", semantics="nonsense")  # type: ignore[arg-type]
    with pytest.raises(rdfgpu.LimitExceeded):
        len(store.query("SELECT * { VALUES ?x { 1 2 3 } }", max_rows=2))
    fill(store, 2000)
    with pytest.raises(TimeoutError):
        store.query("SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER(?b = ?d + ?f) }", timeout=0.05).first()
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "manifest.json").write_bytes(b"\x00\xff")
    with pytest.raises(rdfgpu.RdfgpuError):
        rdfgpu.open(tmp_path / "junk")


@pytest.mark.parametrize("text", ["", "\x00", "é" * 1000, "SELECT * {" + "{" * 10_000, "\ud800"[:0] + "ASK { ?s ?p '\\uD800' }"])
def test_odd_texts_are_refused(store: rdfgpu.Store, text: str) -> None:
    with pytest.raises(rdfgpu.RdfgpuError):
        store.query(text)


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    s = rdfgpu.open(tmp_path / "s", create=True, writable=True)
    fill(s, 1000)
    read, half = s.query("SELECT * { ?s ?p ?o }"), s.query(ENDLESS)
    assert len(read) == 1000
    s.close()
    s.close()
    assert s.closed and len(list(read)) == 1000
    with pytest.raises(rdfgpu.StoreClosed):
        len(half)
    with pytest.raises(rdfgpu.StoreClosed):
        s.ask("ASK {}")


def test_threads_ask_at_the_same_time(store: rdfgpu.Store) -> None:
    fill(store, 5000)
    wrong: list[object] = []

    def ask(n: int) -> None:
        try:
            for i in range(20):
                rows = list(store.query(f"SELECT ?s {{ ?s ?p {100 * n + i} }}"))
                if [str(r.s) for r in rows] != [f"http://e/{100 * n + i}"]:
                    wrong.append(rows)
        except Exception as e:
            wrong.append(e)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_other_threads_run_while_a_query_does(store: rdfgpu.Store) -> None:
    fill(store, 3000)
    result = store.query("SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER(?b = ?d + ?f) }")
    ended: list[BaseException] = []

    def read() -> None:
        try:
            result.first()
        except rdfgpu.Cancelled as e:
            ended.append(e)

    reader = threading.Thread(target=read)
    reader.start()
    turns = 0
    for _ in range(10):
        time.sleep(0.01)
        turns += 1
    result.cancel()
    reader.join(20)
    assert turns == 10 and not reader.is_alive() and len(ended) == 1


def test_ctrl_c_ends_a_query(store: rdfgpu.Store) -> None:
    fill(store, 3000)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        store.query("SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER(?b = ?d + ?f) }").first()
    timer.join()
    assert store.ask("ASK { ?s ?p 7 }")


def test_many_stores_are_opened(tmp_path: Path) -> None:
    rdfgpu.load(tmp_path / "s", [_file(tmp_path)])
    stores = [rdfgpu.open(tmp_path / "s") for _ in range(50)]
    assert all(s.ask("ASK { ?s ?p ?o }") for s in stores)
    del stores
    gc.collect()
    for _ in range(100):
        with rdfgpu.open(tmp_path / "s") as s:
            assert len(s.query("SELECT * { ?s ?p ?o }")) == 1


def _file(folder: Path) -> Path:
    file = folder / "one.nt"
    file.write_text("<http://e/s> <http://e/p> <http://e/o> .\n")
    return file


def test_memory_does_not_grow(store: rdfgpu.Store, nothing_stays: None) -> None:
    fill(store, 20_000)

    def once() -> None:
        store.query("SELECT * { ?s ?p ?o }").arrow()
        next(iter(store.query(ENDLESS, keep=False)))
        store.query("SELECT * { ?s ?p ?o }")  # not read
        len(store.query("SELECT * { ?s ?p ?o }"))

    def resident() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(20):
        once()
    before = resident()
    for _ in range(60):
        once()
    assert resident() - before < 64 << 20


def test_a_forked_child_is_told(store: rdfgpu.Store) -> None:
    child = os.fork()
    if child == 0:
        try:
            store.ask("ASK {}")
        except rdfgpu.RdfgpuError as e:
            os._exit(7 if "forked" in str(e) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_process_ends_whatever_is_open(tmp_path: Path) -> None:
    script = f"""
import rdfgpu
s = rdfgpu.open({str(tmp_path / "s")!r}, create=True, writable=True)
s.update("INSERT DATA {{ <http://e/s> <http://e/p> 1, 2, 3, 4, 5, 6, 7, 8, 9 }}")
r = s.query({ENDLESS!r})
print(next(iter(r)) is not None)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_plans_are_told(store: rdfgpu.Store) -> None:
    fill(store, 10)
    assert "semantics isomorphism" in store.explain("SELECT * { ?s ?p ?o }", semantics="isomorphism")
    assert "10 rows" in store.explain("SELECT * { ?s <http://e/p> ?o }", analyze=True)


def test_blank_nodes_of_the_store_have_names(store: rdfgpu.Store) -> None:
    store.load(data="<http://e/a> <http://e/p> [ <http://e/q> 1 ], [ <http://e/q> 2 ] .", format="turtle")
    for row in store.query("SELECT ?b ?n { <http://e/a> <http://e/p> ?b . ?b <http://e/q> ?n }"):
        assert isinstance(row.b, BNode) and isinstance(row.n, Literal)
        assert list(store.query(f"SELECT ?n {{ {row.b.n3()} <http://e/q> ?n }}")) == [(row.n,)]
        assert list(store.query(f"SELECT ?n {{ ?x <http://e/q> ?n FILTER(?x = {row.b.n3()}) }}")) == [(row.n,)]
        assert len(store.query(f"DESCRIBE {row.b.n3()}")) == 1
    assert len(store.query("SELECT * { <_:nobody> ?p ?o }")) == 0
    assert store.patch(f"D {row.b.n3()} <http://e/q> {row.n.n3()} .\nA {row.b.n3()} <http://e/q> 'x' <http://e/g> .\n".replace("'", '"')).removed == 1
    with pytest.raises(rdfgpu.QuerySyntaxError):
        store.update(f"INSERT DATA {{ {row.b.n3()} <http://e/q> 3 }}")
    assert IRI("http://e/a") == "http://e/a" != BNode("http://e/a")
