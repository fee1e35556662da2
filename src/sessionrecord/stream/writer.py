"""Writing a stream record by record, so that it is valid after each."""

from __future__ import annotations

import os
import threading
import weakref
from dataclasses import replace
from types import TracebackType
from typing import Self

from sessionrecord.diagnostics import Diagnostic, excerpt
from sessionrecord.errors import WriterError
from sessionrecord.lines import Appender, AppendTarget, FsyncPolicy
from sessionrecord.records import SessionHeader
from sessionrecord.records.envelope import EnvelopeModel
from sessionrecord.refs import SessionKey, SessionReference
from sessionrecord.stream.authoring import Author
from sessionrecord.stream.existing import read_existing
from sessionrecord.stream.linked import LinkedOrder

__all__ = ["StreamWriter"]


class StreamWriter(Author):
    """An author whose records go to a file, or to a binary file object, each in one unbuffered write.

    ::

        with StreamWriter("session.asr.jsonl") as writer:
            writer.session(agent="my-agent", session_id="s1", producer=Producer(method="native"))
            writer.user_message("What is in this folder?")

    A file is new or empty, unless `resume` says to continue it; a new one has mode 0600. A file object given must be
    empty, and stays open. Memory grows by the ID of each record, and the key of each message, call and compaction. Threads may share
    a writer.

    Refs: a `predecessor`, the `to` of a rewind and the `kept_from` of a compaction must name a message, call, result or compaction that the
    stream has already; with another one the method raises `WriterError`. `write` takes a record as it was recorded elsewhere.

    Lock: a file has one writer at a time, also among processes, from opening to `close`. With `wait=True` a second one
    waits, with a number for so many seconds, and without it `StreamLockedError` is raised at once. The kernel holds the
    lock and frees it when the process ends, however it ends.

    Durability: what a call has written outlives the process. What outlives a power loss is for `fsync` to say: `never`,
    what the system happens to have done; `close`, all, once the writer is closed; `record`, each record before its
    call returns; a number, each record so many seconds after its call. With all but `never` the directory of a file
    that is created is synced too.

    Resuming: the header is read and, if `key` is given, compared with it; `seq` and IDs go on. A torn last line is
    moved to a file beside the stream (`NAME.torn`), and a last line that lacks only its newline gets it; `diagnostics`
    tells. Where there is no file yet, or only a torn header, `header` is None and the header is still to be written.

    Raises `WriterError` if the target cannot be opened, is not empty, or cannot be resumed: then nothing in it was
    changed. A method raises what the file raises when a write fails; what was written of the line is cut off where that
    is possible, and from then on each call raises `WriterError` until `reopen`.
    """

    def __init__(
        self,
        target: AppendTarget,
        *,
        resume: bool = False,
        key: SessionKey | None = None,
        fsync: FsyncPolicy = "close",
        wait: bool | float = False,
    ) -> None:
        super().__init__()
        self._order = LinkedOrder()
        self._key = key
        self._fsync: FsyncPolicy = fsync
        self._wait = wait
        self._closed = False
        self.header: SessionHeader | None = None
        """The session header, once there is one."""
        self.diagnostics: list[Diagnostic] = []
        """What was found in a stream that is continued, and what was done to its end."""
        self._appender = Appender(target, fsync=fsync, wait=wait, resume=resume)
        if resume:
            try:
                self._continue(self._appender)
            except BaseException:
                self._appender.abandon()
                raise
        _writers.add(self)

    def _append(self, record: EnvelopeModel, line: bytes) -> None:
        self._appender.append(line)
        if isinstance(record, SessionHeader):
            self.header = record

    def _interrupted(self, error: BaseException) -> None:
        self._appender.fail(error)

    def _continue(self, appender: Appender) -> None:
        with appender.source() as source:
            existing = read_existing(source, appender.name)
        if self._key is not None and existing.header is not None and existing.header.key != self._key:
            found, wanted = (str(SessionReference(k)) for k in (existing.header.key, self._key))
            raise WriterError(f"{appender.name} is the stream of {excerpt(found, 120)}, not of {excerpt(wanted, 120)}")
        done = {}
        if existing.torn_at is not None:
            done["line-torn"] = f"moved to {os.fspath(appender.set_aside(existing.torn_at))!r}"
        elif not _ends_line(appender):
            appender.end_line()
            done["newline-missing"] = "added"
        self.header, self._order = existing.header, existing.order
        self.diagnostics = [
            replace(d, message=f"{d.message}; {done[d.code]}", severity="info") if d.code in done else d
            for d in existing.diagnostics
        ]

    def reopen(self) -> None:
        """Opens the file again after a write that failed, and continues the stream as `resume` does.

        Raises `WriterError`, and may be called again, where that is not possible: no room still, another writer has it
        or wrote another header, less is there than was written. A file object is for whoever opened it to mend.
        """
        with self._lock:
            old = self._appender
            if old.path is None:
                raise WriterError(f"{old.name} was not opened here: resume the stream from its path")
            if self._closed:
                raise WriterError("the writer is closed: open the stream with resume=True")
            old.abandon()
            self._key = self._key if self.header is None else self.header.key
            new = Appender(old.path, fsync=self._fsync, wait=self._wait, resume=True)
            try:
                if new.size < old.size:
                    raise WriterError(f"{new.name} holds {new.size} bytes, and {old.size} were written")
                self._continue(new)
            except BaseException:
                new.abandon()
                raise
            self._appender = new

    def close(self) -> None:
        """Syncs as `fsync` says and closes the file. Later calls raise `WriterError`; closing again does nothing.

        Raises `OSError` or `WriterError` if a sync fails; the file is closed all the same.
        """
        with self._lock:
            self._closed = True
            self._appender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


_writers: weakref.WeakSet[StreamWriter] = weakref.WeakSet()


def _renew_locks() -> None:
    # a thread that held the lock is not there in the child, where every call is refused anyway
    for writer in list(_writers):
        writer._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


def _ends_line(appender: Appender) -> bool:
    if not appender.size:
        return True
    with appender.source() as source:
        source.seek(-1, os.SEEK_END)
        return source.read() == b"\n"
