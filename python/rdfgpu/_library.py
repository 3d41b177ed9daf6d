"""The engine as a C library: calls that are started, waited for and cancelled (python/lib)."""

from __future__ import annotations

import ctypes
import json
import os
import threading
import weakref
from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Sequence

from ._errors import RdfgpuError, error_of

_TOLD, _ROWS, _BYTES, _DONE, _FAILED = 1, 2, 3, 4, 5

# How long a thread stays in the library before it looks whether Python has a signal for it, in milliseconds.
_PATIENCE = 100


class ArrowSchema(Structure):
    """struct ArrowSchema of the Arrow C data interface."""


class ArrowArray(Structure):
    """struct ArrowArray of the Arrow C data interface."""


_ReleaseSchema = ctypes.CFUNCTYPE(None, POINTER(ArrowSchema))
_ReleaseArray = ctypes.CFUNCTYPE(None, POINTER(ArrowArray))

ArrowSchema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(ArrowSchema))), ("dictionary", POINTER(ArrowSchema)), ("release", _ReleaseSchema),
    ("private_data", c_void_p),
]
ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(ArrowArray))), ("dictionary", POINTER(ArrowArray)),
    ("release", _ReleaseArray), ("private_data", c_void_p),
]


class _Event(Structure):
    _fields_ = [("kind", c_int32), ("rows", c_int64), ("records", c_uint64), ("text", c_void_p), ("length", c_uint64)]


class _Library:
    """The functions of the border."""

    def __init__(self, path: str) -> None:
        lib = ctypes.CDLL(path)  # which releases the interpreter's lock while a function runs
        self.start = lib.rdfgpu_start
        self.start.argtypes, self.start.restype = [c_char_p, c_uint64], c_uint64
        self.wait = lib.rdfgpu_wait
        self.wait.argtypes, self.wait.restype = [c_uint64, c_int64, POINTER(_Event)], c_int32
        self.cancel = lib.rdfgpu_cancel
        self.cancel.argtypes, self.cancel.restype = [c_uint64], None
        self.end = lib.rdfgpu_end
        self.end.argtypes, self.end.restype = [c_uint64], None
        self.free = lib.rdfgpu_free
        self.free.argtypes, self.free.restype = [c_void_p], None
        self.export = lib.rdfgpu_export
        self.export.argtypes, self.export.restype = [c_uint64, c_void_p, c_void_p], c_int32
        self.forget = lib.rdfgpu_forget
        self.forget.argtypes, self.forget.restype = [c_uint64], None
        self.stream = lib.rdfgpu_stream
        self.stream.argtypes, self.stream.restype = [POINTER(c_uint64), c_uint64], c_void_p
        self.free_stream = lib.rdfgpu_free_stream
        self.free_stream.argtypes, self.free_stream.restype = [c_void_p], None
        self.allocated = lib.rdfgpu_allocated
        self.allocated.argtypes, self.allocated.restype = [], c_uint64


_loaded: _Library | None = None
_loading = threading.Lock()
_owner = 0


def library() -> _Library:
    """The library, loaded when it is first needed. A forked child cannot use its parent's."""
    global _loaded, _owner
    if _loaded is None:
        with _loading:
            if _loaded is None:
                path = os.environ.get("RDFGPU_LIBRARY") or str(Path(__file__).with_name("librdfgpu.so"))
                try:
                    loaded = _Library(path)
                except OSError as error:
                    raise ImportError(f"rdfgpu's library cannot be loaded: {error} (build it with `make wheel`)") from error
                _owner, _loaded = os.getpid(), loaded
    if os.getpid() != _owner:
        raise RdfgpuError(
            "rdfgpu was used before this process was forked, and its threads are not in the child: "
            'start workers with multiprocessing.get_context("spawn") or "forkserver", or fork before the first use'
        )
    return _loaded


def in_use() -> bool:
    """Whether the library was loaded by this process."""
    return _loaded is not None and os.getpid() == _owner


def allocated() -> int:
    """How many bytes of rows the library holds, for results that are still there."""
    return int(library().allocated())


class Batch:
    """Rows in the library's memory, which other libraries may share without a copy."""

    def __init__(self, records: int, rows: int) -> None:
        self.rows = rows
        self._records = records
        self._finalizer = weakref.finalize(self, _forget, records)
        self._finalizer.atexit = False

    def export(self, array: int, schema: int | None) -> None:
        """Fills in the structs at two addresses; whoever has them releases them."""
        if library().export(self._records, array, schema) != 0:
            raise RdfgpuError("these rows were given back")

    def release(self) -> None:
        """Gives the rows back; what was exported stays."""
        self._finalizer()


def stream_of(batches: Sequence[Batch]) -> object:
    """A capsule with a struct ArrowArrayStream of batches, of which there is one at least."""
    numbers = (c_uint64 * len(batches))(*(b._records for b in batches))
    stream = library().stream(numbers, len(batches))
    if not stream:
        raise RdfgpuError("these rows were given back")
    return _new_capsule(stream, _STREAM, ctypes.cast(_drop_capsule, c_void_p))


_STREAM = b"arrow_array_stream"
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes, _new_capsule.restype = [c_void_p, c_char_p, c_void_p], ctypes.py_object
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.argtypes, _capsule_pointer.restype = [c_void_p, c_char_p], c_void_p


def _drop(capsule: int) -> None:
    """The destructor of a capsule: what took the stream out of it has marked it as released."""
    if in_use():
        library().free_stream(_capsule_pointer(capsule, _STREAM))


_drop_capsule = ctypes.PYFUNCTYPE(None, c_void_p)(_drop)


def _forget(records: int) -> None:
    if in_use():
        library().forget(records)


class Told(NamedTuple):
    """What a call tells while it goes on."""

    value: Any


class Call:
    """A request that goes on: an iterator over what it tells, batches and bytes. `result` is there once that has ended."""

    def __init__(self, method: str, text: str = "", **parameters: Any) -> None:
        lib = library()
        request = json.dumps({"method": method, **({"text": text} if text else {}), **parameters}).encode()
        self.result: Any = None
        self._text = text
        self._open = True
        self._number: int = lib.start(request, len(request))
        self._finalizer = weakref.finalize(self, _end, self._number)
        self._finalizer.atexit = False
        self._turn = threading.Lock()

    def __iter__(self) -> Iterator[Told | Batch | bytes]:
        return self

    def __next__(self) -> Told | Batch | bytes:
        with self._turn:
            return self._next()

    def _next(self) -> Told | Batch | bytes:
        if not self._open:
            raise StopIteration
        lib, event = library(), _Event()
        while True:
            try:
                kind = lib.wait(self._number, _PATIENCE, byref(event))
            except BaseException:  # KeyboardInterrupt, which ctypes lets through between two waits
                self.close()
                raise
            if kind == _ROWS:
                return Batch(event.records, event.rows)
            if kind == 0:
                continue
            text = b""
            if event.text:
                text = ctypes.string_at(event.text, event.length)
                lib.free(event.text)
            if kind == _BYTES:
                return text
            if kind == _TOLD:
                return Told(json.loads(text))
            self.close()
            if kind == _DONE:
                self.result = json.loads(text)
                raise StopIteration
            if kind == _FAILED:
                raise error_of(json.loads(text), self._text)
            raise RdfgpuError("the call has ended")

    def finish(self, told: Callable[[Any], None] | None = None) -> Any:
        """Reads to the end and returns the result; what is told meanwhile goes to a function."""
        try:
            for event in self:
                if isinstance(event, Told) and told is not None:
                    told(event.value)
        finally:
            self.close()
        return self.result

    def cancel(self) -> None:
        """Ends the call soon; whoever reads it gets Cancelled. From any thread."""
        if self._open:
            library().cancel(self._number)

    def close(self) -> None:
        """Ends the call and gives back what it holds."""
        self._open = False
        self._finalizer()


def _end(number: int) -> None:
    if in_use():
        library().end(number)
