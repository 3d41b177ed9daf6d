"""RDF terms as Python values."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Callable, Iterable, Union

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"

_INTEGERS = frozenset(
    XSD + name
    for name in (
        "integer", "nonPositiveInteger", "negativeInteger", "long", "int", "short", "byte", "nonNegativeInteger", "unsignedLong",
        "unsignedInt", "unsignedShort", "unsignedByte", "positiveInteger",
    )
)
_FLOATS = frozenset({XSD + "double", XSD + "float"})


class IRI(str):
    """An IRI; it is a str.

    >>> IRI("http://example.org/a").n3()
    '<http://example.org/a>'
    """

    __slots__ = ()

    @property
    def value(self) -> str:
        """The IRI as a plain str."""
        return str(self)

    def n3(self) -> str:
        """The term in N-Triples syntax."""
        return "<" + "".join(_escape_iri(c) for c in self) + ">"

    def __repr__(self) -> str:
        return f"IRI({str.__repr__(self)})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, BNode):
            return False
        return str.__eq__(self, other) if isinstance(other, str) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class BNode(str):
    """A blank node by its label in the store. In a query's patterns `<_:label>` names it (`n3()`); elsewhere it is `_:label`."""

    __slots__ = ()

    @property
    def value(self) -> str:
        """The label."""
        return str(self)

    def n3(self) -> str:
        """The term as a query of the store, or an RDF Patch, may name it."""
        return f"<_:{self}>"

    def __repr__(self) -> str:
        return f"BNode({str.__repr__(self)})"

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) if isinstance(other, BNode) else False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(("_:", str(self)))


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal: its lexical form, datatype and language.

    >>> Literal("42", XSD + "integer").value
    42
    >>> Literal("chat", language="fr").n3()
    '"chat"@fr'
    """

    lexical: str
    datatype: str = XSD + "string"
    language: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None:
            object.__setattr__(self, "datatype", RDF_LANG_STRING)

    @property
    def value(self) -> Any:
        """The value in Python: int, float, Decimal, bool, date, time or datetime where the lexical form is one of these, else
        the lexical form."""
        convert = _CONVERT.get(self.datatype)
        if convert is None:
            return self.lexical
        try:
            return convert(self.lexical.strip(" \t\r\n"))
        except (ValueError, InvalidOperation, OverflowError):
            return self.lexical

    def n3(self) -> str:
        """The term in N-Triples syntax."""
        text = '"' + "".join(_ESCAPES.get(c, c) if c >= " " else _ESCAPES.get(c, f"\\u{ord(c):04X}") for c in self.lexical) + '"'
        if self.language is not None:
            return f"{text}@{self.language}"
        return text if self.datatype == XSD + "string" else f"{text}^^{IRI(self.datatype).n3()}"

    def __str__(self) -> str:
        return self.lexical


_new, _set_lexical, _set_datatype, _set_language = (
    object.__new__, *(getattr(Literal, name).__set__ for name in ("lexical", "datatype", "language"))
)


def _literal(lexical: str, datatype: str, language: str | None) -> Literal:
    """Literal, in a third of the time: its own way in is the slow one of frozen classes."""
    term = _new(Literal)
    _set_lexical(term, lexical)
    _set_datatype(term, datatype)
    _set_language(term, language)
    return term


Term = Union[IRI, BNode, Literal]

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape_iri(c: str) -> str:
    return f"\\u{ord(c):04X}" if c <= " " or c in '<>"{}|^`\\' else c


def term_of(value: str, kind: str) -> Term:
    """The term of a cell: its value, and its kind as the columns of kinds have it (docs/PYTHON.md)."""
    if kind == "iri":
        return IRI(value)
    if kind == "bnode":
        return BNode(value)
    if kind.startswith("@"):
        return _literal(value, RDF_LANG_STRING, kind[1:])
    return _literal(value, kind, None)


def terms_of(values: list[str], kind: str) -> Iterable[Term]:
    """The terms of values that are of one kind."""
    if kind == "iri":
        return map(IRI, values)
    return (term_of(value, kind) for value in values)


def _float(text: str) -> float:
    if text in ("INF", "+INF"):
        return math.inf
    if text == "-INF":
        return -math.inf
    if text == "NaN":
        return math.nan
    if not set(text) <= set("0123456789+-.eE"):
        raise ValueError(text)
    return float(text)


def _integer(text: str) -> int:
    if not set(text) <= set("0123456789+-") or len(text) > 4000:  # int() takes underscores and other scripts' digits
        raise ValueError(text)
    return int(text)


def _decimal(text: str) -> Decimal:
    if not set(text) <= set("0123456789+-."):
        raise ValueError(text)
    return Decimal(text)


def _boolean(text: str) -> bool:
    return {"true": True, "1": True, "false": False, "0": False}[text] if text in ("true", "1", "false", "0") else _no(text)


def _no(text: str) -> bool:
    raise ValueError(text)


_CONVERT: dict[str, Callable[[str], Any]] = {
    **{name: _integer for name in _INTEGERS}, **{name: _float for name in _FLOATS}, XSD + "decimal": _decimal, XSD + "boolean": _boolean,
    XSD + "date": datetime.date.fromisoformat, XSD + "dateTime": datetime.datetime.fromisoformat,
    XSD + "time": datetime.time.fromisoformat,
}
