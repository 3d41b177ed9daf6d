"""A million rows into Python, by several ways, in turns: python/bench/rows.py [--turns N] [--rdfgpu bin/rdfgpu]

The data are 100,000 subjects with ten triples each: two IRIs, four integers, four strings. The query is SELECT ?s ?p ?o { ?s ?p ?o }.
Ways over HTTP ask `rdfgpu serve` over loopback. What is printed is the median of the turns, and the ratio to the first way.
Needs pyarrow, pandas, polars, pyoxigraph, SPARQLWrapper.
"""

from __future__ import annotations

import argparse
import io
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable

import pandas
import pyarrow
import pyoxigraph
from SPARQLWrapper import CSV, JSON, SPARQLWrapper

import rdfgpu

QUERY = "SELECT ?s ?p ?o { ?s ?p ?o }"
ROWS = 1_000_000
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def line(i: int) -> str:
    subject, n = i // 10, i % 10
    if n < 2:
        value = f"<http://example.org/item/{subject * 7919 % 100_000}>"
    elif n < 6:
        value = f'"{subject * 31 + n}"^^<{INTEGER}>'
    else:
        value = f'"the {n}th text of {subject}"'
    return f"<http://example.org/item/{subject}> <http://example.org/property/{n}> {value} .\n"


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--turns", type=int, default=3)
    p.add_argument("--rdfgpu", default="bin/rdfgpu")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.nt"
        with open(file, "w") as out:
            out.writelines(map(line, range(ROWS)))
        rdfgpu.load(f"{folder}/store", file)
        peer = pyoxigraph.Store()
        peer.bulk_load(path=str(file), format=pyoxigraph.RdfFormat.N_TRIPLES)
        server = subprocess.Popen([a.rdfgpu, "serve", "--addr", "127.0.0.1:0", f"{folder}/store"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert server.stdout is not None
        address = ""
        for text in server.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", text):
                address = found[0]
                break
        try:
            with rdfgpu.open(f"{folder}/store") as store:
                measure(ways(store, peer, address), a.turns)
        finally:
            server.terminate()
            server.wait()


def ways(store: rdfgpu.Store, peer: pyoxigraph.Store, address: str) -> dict[str, Callable[[], int]]:
    def wrapped(kind: str) -> SPARQLWrapper:
        w = SPARQLWrapper(f"{address}/sparql")
        w.setQuery(QUERY)
        w.setReturnFormat(kind)
        return w

    def oxigraph_csv() -> int:
        out = io.BytesIO()
        peer.query(QUERY).serialize(out, pyoxigraph.QueryResultsFormat.CSV)  # type: ignore[union-attr]
        out.seek(0)
        return len(pandas.read_csv(out))

    def arrow_over_http() -> int:
        import urllib.parse
        import urllib.request

        request = urllib.request.Request(f"{address}/sparql?" + urllib.parse.urlencode({"query": QUERY}), headers={"Accept": "application/vnd.apache.arrow.stream"})
        with urllib.request.urlopen(request) as answer:
            return int(pyarrow.ipc.open_stream(answer.read()).read_all().num_rows)

    def solutions() -> int:
        return sum(1 for s in peer.query(QUERY) if (s["s"].value, s["p"].value, s["o"].value))  # type: ignore[union-attr]

    return {
        "rdfgpu: arrow()": lambda: int(store.query(QUERY).arrow().num_rows),
        "rdfgpu: polars()": lambda: store.query(QUERY).polars().height,
        "rdfgpu: polars(convert=False)": lambda: store.query(QUERY).polars(convert=False).height,
        "rdfgpu: pandas()": lambda: len(store.query(QUERY).pandas()),
        "rdfgpu: rows of terms": lambda: sum(1 for row in store.query(QUERY) if (row[0], row[1], row[2])),
        "rdfgpu serve: Arrow over HTTP to pyarrow": arrow_over_http,
        "rdfgpu serve: SPARQLWrapper CSV to pandas": lambda: len(pandas.read_csv(io.BytesIO(wrapped(CSV).queryAndConvert()))),  # type: ignore[arg-type]
        "rdfgpu serve: SPARQLWrapper JSON to dicts": lambda: len(wrapped(JSON).queryAndConvert()["results"]["bindings"]),  # type: ignore[index,call-overload]
        "pyoxigraph: rows of terms": solutions,
        "pyoxigraph: CSV to pandas": oxigraph_csv,
    }


def measure(ways: dict[str, Callable[[], int]], turns: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(turns + 1):
        for name, way in ways.items():
            began = time.perf_counter()
            rows = way()
            if turn > 0:  # the first is to warm up
                times[name].append(time.perf_counter() - began)
            assert rows == ROWS, (name, rows)
    first = statistics.median(next(iter(times.values())))
    for name, list_ in times.items():
        t = statistics.median(list_)
        print(f"{name:45s} {t:7.3f} s  {ROWS / t / 1e6:6.2f} M rows/s  {t / first:6.1f}")


if __name__ == "__main__":
    main()
