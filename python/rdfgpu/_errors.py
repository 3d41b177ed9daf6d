"""Errors, by what to do about them."""

from __future__ import annotations

from typing import Any, Mapping


class RdfgpuError(Exception):
    """What the engine says went wrong; `kind` is its word for it."""

    kind = "error"

    def __init__(self, message: str, failure: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        failure = failure or {}
        self.kind = failure.get("kind", self.kind)


class QuerySyntaxError(RdfgpuError):
    """A fault in the text of a query or an update.

    `line` and `column` count from 1, `column` in characters. `expected` lists what could have stood there, `hint` is a
    suggestion or "", `text` is the whole text.
    """

    def __init__(self, message: str, failure: Mapping[str, Any], text: str) -> None:
        self.line: int = failure.get("line", 0)
        self.column: int = failure.get("column", 0)
        self.expected: list[str] = failure.get("expected") or []
        self.hint: str = failure.get("hint", "")
        self.text = text
        super().__init__(message + self._pointer(), failure)
        self.message = message

    def _pointer(self) -> str:
        lines = self.text.split("\n")
        if not 1 <= self.line <= len(lines):
            return ""
        line = lines[self.line - 1].rstrip("\r")
        first, last = max(self.column - 61, 0), self.column + 59
        return f"\n  {line[first:last]}\n  {' ' * (self.column - 1 - first)}^"


class DataError(RdfgpuError):
    """A fault in RDF that was read. `file` is "" for data from memory; `column` is 0 where it is not known."""

    def __init__(self, message: str, failure: Mapping[str, Any]) -> None:
        super().__init__(message, failure)
        self.file: str = failure.get("file", "")
        self.line: int = failure.get("line", 0)
        self.column: int = failure.get("column", 0)


class QueryTimeout(RdfgpuError, TimeoutError):
    """The query or update ran longer than its time limit."""


class LimitExceeded(RdfgpuError):
    """The query needed more memory, disk or rows than it may have."""


class Cancelled(RdfgpuError):
    """The call was cancelled."""


class StoreClosed(RdfgpuError):
    """The store was closed before or while it was used."""


class ReadOnly(RdfgpuError):
    """The store was not opened with writable=True."""


class StoreBusy(RdfgpuError):
    """Another process has the store open for writing."""


class StoreNotFound(RdfgpuError, FileNotFoundError):
    """There is no store, or no file, at a path."""


class StoreDamaged(RdfgpuError):
    """A file of the store is not what was written."""


class Unsupported(RdfgpuError):
    """The query asks for what the engine does not have."""


_CLASSES: dict[str, type[RdfgpuError]] = {
    "timeout": QueryTimeout, "limit": LimitExceeded, "cancelled": Cancelled, "closed": StoreClosed, "read-only": ReadOnly,
    "busy": StoreBusy, "not-found": StoreNotFound, "not-store": StoreNotFound, "damaged": StoreDamaged,
    "unsupported": Unsupported,
}


def error_of(failure: Mapping[str, Any], text: str = "") -> RdfgpuError:
    """The exception for a failure, of a call about a text."""
    kind, message = failure.get("kind", "error"), failure.get("message", "")
    if kind == "syntax":
        return QuerySyntaxError(message, failure, text)
    if kind == "data":
        return DataError(message, failure)
    return _CLASSES.get(kind, RdfgpuError)(message, failure)
