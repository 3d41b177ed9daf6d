"""Results: rows of terms, and columns that other libraries share."""

from __future__ import annotations

import ctypes
import html
import threading
from ctypes import byref, c_int32
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, SupportsIndex, cast

from ._errors import RdfgpuError
from ._library import ArrowArray, Batch, Call, Told, stream_of
from ._terms import BNode, IRI, Literal, Term, term_of, terms_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

# How many rows a notebook shows.
_SHOWN = 20


class Row(tuple["Term | None", ...]):
    """One solution: a tuple of terms, None where unbound, that is also read by name: row["name"] and row.name."""

    __slots__ = ()
    _places: Mapping[str, int] = {}

    def __getitem__(self, key: str | SupportsIndex | slice) -> Any:
        return tuple.__getitem__(self, self._places[key] if isinstance(key, str) else key)

    def __getattr__(self, name: str) -> Term | None:
        try:
            return tuple.__getitem__(self, self._places[name])
        except KeyError:
            raise AttributeError(f"the answer has no variable ?{name}") from None

    def asdict(self) -> dict[str, Term]:
        """The bound variables with their terms."""
        return {name: term for name, place in self._places.items() if (term := self[place]) is not None}


class Result:
    """The answer of a query.

    Iterating gives rows of terms; `arrow`, `pandas` and `polars` give columns; `bool` is the answer of ASK, else whether there is a
    row; `len` reads everything. Rows are read as they are needed and kept, so that a result can be read more than once, unless the
    query was asked with keep=False. It may be used from several threads.
    """

    def __init__(self, call: Call, keep: bool) -> None:
        self._call = call
        self._keep = keep
        self._batches: list[Batch] = []
        self._ended = False
        self._begun = False
        self._lock = threading.RLock()
        head = next(call)
        assert isinstance(head, Told)
        #: "solutions", "boolean" or "triples"
        self.kind: str = head.value["kind"]
        #: the names of the columns, without question marks
        self.variables: tuple[str, ...] = tuple(head.value["variables"] or ())
        #: sentences about predicates of the query that the data do not have
        self.unknown: tuple[str, ...] = tuple(head.value.get("unknown") or ())
        self._row: type[Row] = type("Row", (Row,), {"__slots__": (), "_places": {v: i for i, v in enumerate(self.variables)}})

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.kind == "boolean":
            return f"<rdfgpu.Result {bool(self)}>"
        rows = f"{sum(b.rows for b in self._batches)} rows" if self._ended and self._keep else "rows as they are read"
        return f"<rdfgpu.Result of {self.kind}: {', '.join(self.variables)}; {rows}>"

    def close(self) -> None:
        """Ends the query and gives its rows back; tables that were made of them stay."""
        with self._lock:
            self._ended = True
            self._call.close()
            for batch in self._batches:
                batch.release()
            self._batches.clear()

    def cancel(self) -> None:
        """Ends the query soon, from any thread; whoever reads the result gets Cancelled."""
        self._call.cancel()

    @property
    def seconds(self) -> float | None:
        """How long the query took until its last row was read; None before."""
        return None if self._call.result is None else float(self._call.result["seconds"])

    def _pull(self) -> Batch | None:
        """The next batch that nobody has read; None at the end."""
        with self._lock:
            for event in self._call:
                if isinstance(event, Batch):
                    if self._keep:
                        self._batches.append(event)
                    return event
            self._ended = True
            return None

    def _batch(self, number: int) -> Batch | None:
        with self._lock:
            while len(self._batches) <= number and not self._ended:
                self._pull()
            return self._batches[number] if number < len(self._batches) else None

    def _read(self) -> Iterator[Batch]:
        if self.kind == "boolean":
            raise TypeError("ASK has no rows: bool(result) is its answer")
        if not self._keep:
            with self._lock:
                if self._begun:
                    raise RdfgpuError("the rows were read already, and not kept: ask with keep=True")
                self._begun = True
            while (batch := self._pull()) is not None:
                yield batch
            return
        number = 0
        while (batch := self._batch(number)) is not None:
            yield batch
            number += 1

    def __bool__(self) -> bool:
        if self.kind != "boolean":
            if not self._keep:
                raise RdfgpuError("rows that are not kept cannot be looked at before they are read")
            return any(batch.rows > 0 for batch in self._read())
        with self._lock:
            if self._call.result is None:
                self._pull()
            if self._call.result is None:
                raise RdfgpuError("the result was closed")
            return bool(self._call.result["boolean"])

    def __len__(self) -> int:
        if not self._keep:
            raise TypeError("rows that are not kept are not counted")
        return sum(batch.rows for batch in self._read())

    def __iter__(self) -> Iterator[Row]:
        for batch in self._read():
            yield from map(self._row, zip(*_columns(batch, len(self.variables)))) if self.variables else (self._row() for _ in range(batch.rows))

    def first(self) -> Row | None:
        """The first row; None where there is none."""
        return next(iter(self), None)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as the Arrow C stream interface has them, for every library that takes it: no byte is copied."""
        return stream_of(list(self._read()))

    def arrow(self, convert: bool = False) -> "pyarrow.Table":
        """The rows as a pyarrow.Table over the engine's own memory.

        For each variable ?x a column "x" of values and one "x.type" of kinds: "iri", "bnode", "@" and a language, or a datatype.
        With `convert`, as `pandas` has them.
        """
        import pyarrow

        table = pyarrow.RecordBatchReader.from_stream(self).read_all()
        return _converted(table, self.variables) if convert else table

    def pandas(self, convert: bool = True) -> "pandas.DataFrame":
        """The rows as a pandas.DataFrame.

        With `convert`, one column for each variable: numbers, booleans and times where all terms of a column are such and Arrow can
        read them, text where not. Without, the columns of `arrow`, as categories. Unbound is missing.
        """
        return cast("pandas.DataFrame", self.arrow(convert).to_pandas())

    def polars(self, convert: bool = True) -> "polars.DataFrame":
        """The rows as a polars.DataFrame, with the columns of `pandas`."""
        import polars

        return cast("polars.DataFrame", polars.from_arrow(self.arrow(convert)))

    def graph(self) -> Any:
        """The triples of CONSTRUCT or DESCRIBE as an rdflib.Graph."""
        import rdflib

        from .rdflib_store import to_rdflib

        if self.kind != "triples":
            raise TypeError("only CONSTRUCT and DESCRIBE make a graph")
        graph = rdflib.Graph()
        for row in self:
            graph.add(cast(Any, tuple(to_rdflib(term) for term in row)))
        return graph

    def _repr_html_(self) -> str:
        if self.kind == "boolean":
            return f"<b>{str(bool(self)).lower()}</b>"
        if not self._keep:
            return html.escape(repr(self))
        rows: list[Row] = []
        for row in self:
            if len(rows) == _SHOWN:
                break
            rows.append(row)
        else:
            return self._table(rows, f"{len(rows)} row{'' if len(rows) == 1 else 's'}")
        return self._table(rows, f"{len(self):,} rows" if self._ended else f"the first {_SHOWN} rows")

    def _table(self, rows: Sequence[Row], caption: str) -> str:
        head = "".join(f"<th>{html.escape(v)}</th>" for v in self.variables)
        body = "".join(f"<tr>{''.join(f'<td>{_cell(term)}</td>' for term in row)}</tr>" for row in rows)
        notes = "".join(f"<p><em>{html.escape(note)}</em></p>" for note in self.unknown)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{caption}</p>{notes}"


def _cell(term: Term | None) -> str:
    """A term as HTML."""
    if term is None:
        return ""
    if isinstance(term, Literal):
        text = term.lexical if len(term.lexical) <= 400 else term.lexical[:400] + "…"
        return html.escape(text) + (f" <small>@{html.escape(term.language)}</small>" if term.language else "")
    text = html.escape(term)
    if isinstance(term, IRI) and term.startswith(("http://", "https://")):
        return f'<a href="{text}" rel="noopener noreferrer" target="_blank">{text}</a>'
    return "_:" + text if isinstance(term, BNode) else text


def _columns(batch: Batch, width: int) -> list[list[Term | None]]:
    """The terms of a batch, column by column."""
    array = ArrowArray()
    batch.export(ctypes.addressof(array), None)
    try:
        return [_terms(array.children[2 * i].contents, array.children[2 * i + 1].contents) for i in range(width)]
    finally:
        array.release(byref(array))


def _terms(values: Any, kinds: Any) -> list[Term | None]:
    places, kind_places = _places(values), _places(kinds)
    texts, names = _texts(values.dictionary.contents), _texts(kinds.dictionary.contents)
    if len(names) == 1:  # the terms are those of the dictionary
        known: list[Term | None] = [*terms_of(texts, names[0]), None]
        return list(map(known.__getitem__, places))
    pairs = list(zip(places, kind_places))
    each = {pair: term_of(texts[pair[0]], names[pair[1]]) if pair[0] >= 0 else None for pair in set(pairs)}
    return list(map(each.__getitem__, pairs))


def _places(array: Any) -> list[int]:
    """Where each row's text is in the dictionary; -1 where there is none."""
    n, offset = array.length, array.offset
    if n == 0:
        return []
    places = memoryview((c_int32 * (offset + n)).from_address(array.buffers[1])).cast("B").cast("i")[offset:].tolist()
    if array.null_count != 0 and array.buffers[0]:
        bits = ctypes.string_at(array.buffers[0], (offset + n + 7) // 8)
        places = [p if bits[i >> 3] >> (i & 7) & 1 else -1 for i, p in enumerate(places, offset)]
    return places


def _texts(array: Any) -> list[str]:
    n = array.length
    if n == 0:
        return []
    ends = memoryview((c_int32 * (array.offset + n + 1)).from_address(array.buffers[1])).cast("B").cast("i")[array.offset :].tolist()
    text = ctypes.string_at(array.buffers[2], ends[-1]) if ends[-1] else b""
    if text.isascii():
        letters = text.decode("ascii")
        return [letters[i:j] for i, j in pairwise(ends)]
    return [text[i:j].decode("utf-8", "replace") for i, j in pairwise(ends)]


def _converted(table: "pyarrow.Table", variables: Sequence[str]) -> "pyarrow.Table":
    """One column for each variable, of the type that all its terms have."""
    import pyarrow

    columns = [_column(table.column(2 * i), table.column(2 * i + 1)) for i in range(len(variables))]
    if not columns:
        return table
    return pyarrow.table(columns, names=list(variables))


def _column(values: Any, kinds: Any) -> Any:
    import pyarrow
    import pyarrow.compute as compute

    used: set[str] = set()
    for chunk in kinds.chunks:
        used.update(compute.take(chunk.dictionary, compute.unique(chunk.indices).drop_null()).to_pylist())
    wanted = _arrow_type(used)
    if wanted is not None:
        try:
            chunks = [compute.take(_cast(chunk.dictionary, wanted), chunk.indices) for chunk in values.chunks]
            return pyarrow.chunked_array(chunks, type=wanted)
        except pyarrow.ArrowInvalid:  # ill-typed, or more than the type can hold
            pass
    text = pyarrow.large_string()
    return pyarrow.chunked_array([compute.take(chunk.dictionary.cast(text), chunk.indices) for chunk in values.chunks], type=text)


def _cast(texts: Any, wanted: Any) -> Any:
    """Lexical forms as values: XML Schema lets white space stand around them, and a plus before numbers."""
    import pyarrow
    import pyarrow.compute as compute

    try:
        return texts.cast(wanted)
    except pyarrow.ArrowInvalid:
        bare = compute.ascii_trim(texts, " \t\r\n")
        return compute.replace_substring_regex(bare, r"^\+([0-9.])", r"\1").cast(wanted)


def _arrow_type(kinds: set[str]) -> Any:
    """The type of Arrow for terms of these kinds; None is text."""
    import pyarrow

    from ._terms import _FLOATS, _INTEGERS, XSD

    if not kinds:
        return None
    if kinds <= _INTEGERS:
        return pyarrow.int64()
    if kinds <= _INTEGERS | _FLOATS | {XSD + "decimal"}:
        return pyarrow.float64()
    if kinds == {XSD + "boolean"}:
        return pyarrow.bool_()
    if kinds == {XSD + "date"}:
        return pyarrow.date32()
    return None
