"""The comparisons. None of them is chosen to look good: the peers get lines that are already split and in memory."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter

from benchmarks import data
from benchmarks.measure import Row, anonymous_memory, best, fresh, megabytes_per_second, without_collector
from sessionrecord import Session, StreamReader, StreamWriter
from sessionrecord.lines import Appender, FsyncPolicy
from sessionrecord.records import Record, parse_record

_APPENDED = 5_000
_WRITTEN = 50_000
_SYNCED = 500


def _drain(items: Iterable[object]) -> None:
    deque(items, maxlen=0)


def _size(count: int, form: str) -> str:
    return f"{count:,} {form}".strip()


def reading(path: Path, count: int, form: data.Form, rounds: int) -> Iterator[Row]:
    """Typed reading against plain pydantic, opening against bare orjson, what an open session keeps."""
    content = path.read_bytes()
    size = len(content)
    lines = content.splitlines()
    adapter: TypeAdapter[Any] = TypeAdapter(Record)
    adapter.validate_json(lines[0])

    def ours() -> None:
        _drain(StreamReader(path, strict=True))

    def plain() -> None:
        _drain(map(adapter.validate_json, lines))

    mine, peer, mine_off, peer_off = best(rounds, ours, plain, without_collector(ours), without_collector(plain))
    canonical = form == "canonical"
    where = _size(count, form)
    yield Row("strict typed read / plain validate_json, throughput", where, megabytes_per_second(size, mine),
              megabytes_per_second(size, peer), peer / mine, ">= 0.85" if canonical else "")  # fmt: skip
    yield Row("  the same, garbage collector off", where, megabytes_per_second(size, mine_off),
              megabytes_per_second(size, peer_off), peer_off / mine_off)  # fmt: skip

    def opening() -> None:
        Session.read(path)

    def bare() -> None:
        _drain(map(orjson.loads, lines))

    mine, peer = best(rounds, opening, bare)
    yield Row("Session.read / bare orjson.loads, throughput", where, megabytes_per_second(size, mine),
              megabytes_per_second(size, peer), peer / mine, ">= 0.45")  # fmt: skip
    yield from _memory(path, size, where)


def _memory(path: Path, size: int, where: str) -> Iterator[Row]:
    try:
        anonymous_memory()
    except OSError:
        return
    kept = json.loads(fresh("-m", "benchmarks.child", str(path)))
    for name, bound in (("opened", "<= 1.4"), ("maps", "<= 2.0")):
        label = (
            "memory of an open session + its file / file"
            if name == "opened"
            else "  the same, maps of IDs and entities built"
        )
        yield Row(
            label,
            where,
            f"{(kept[name] + size) / 1e6:.0f} MB",
            f"{size / 1e6:.0f} MB",
            (kept[name] + size) / size,
            bound,
        )


def _view(path: Path, rounds: int) -> float:
    session = Session.read(path)
    session.context_view()
    return best(rounds, session.context_view)[0]


def _append(path: Path, count: int, rounds: int) -> tuple[float, float]:
    """Seconds of the first append to a session just read, and of each one after it."""
    firsts, others = [], []
    for _ in range(rounds):
        session = Session.read(path)
        made = [
            parse_record(orjson.dumps({"type": "message", "seq": count + 1 + i, "id": f"a{i}", "messageId": f"a{i}", "role": "user",
                                       "content": [{"type": "text", "text": "go on"}]}))
            for i in range(_APPENDED)
        ]  # fmt: skip
        start = time.perf_counter()
        session.append(made[0])
        firsts.append(time.perf_counter() - start)
        start = time.perf_counter()
        for record in made[1:]:
            session.append(record)
        others.append((time.perf_counter() - start) / (_APPENDED - 1))
    return min(firsts), min(others)


def growth(
    paths: dict[int, Path], name: str, measure: Callable[[Path, int], float], bound: str, unit: str, factor: float
) -> Iterator[Row]:
    """How a time grows from the smallest size to the largest."""
    if len(paths) < 2:
        return
    small, large = min(paths), max(paths)
    first, last = measure(paths[small], small), measure(paths[large], large)
    yield Row(
        name,
        f"{small:,} -> {large:,}",
        f"{last * factor:.4g} {unit}",
        f"{first * factor:.4g} {unit}",
        last / first,
        bound,
    )


def views(paths: dict[int, Path], whole: dict[int, Path], rounds: int) -> Iterator[Row]:
    """The context view at the end, with compactions and with everything in context; appending."""
    yield from growth(paths, "context_view at the end, growth", lambda p, _: _view(p, rounds), "<= 12", "ms", 1e3)
    yield from growth(whole, "  the same, nothing compacted", lambda p, _: _view(p, rounds), "<= 12", "ms", 1e3)
    yield from growth(paths, "append one record, growth", lambda p, n: _append(p, n, rounds)[1], "<= 2", "us", 1e6)
    yield from growth(
        paths, "  the first append to a session just read", lambda p, n: _append(p, n, 1)[0], "", "ms", 1e3
    )


def writing(folder: Path, rounds: int) -> Iterator[Row]:
    """`StreamWriter` and the appender under it against an unbuffered file, and what each fsync policy costs."""
    values = list(data.records(_WRITTEN))
    records = [parse_record(orjson.dumps(value)) for value in values]
    lines = [orjson.dumps(value) for value in values]

    def bare() -> None:
        with (folder / "bare").open("wb", buffering=0) as file:
            for value in values:
                file.write(orjson.dumps(value) + b"\n")
        (folder / "bare").unlink()

    adapter: TypeAdapter[Any] = TypeAdapter(Record)

    def validated() -> None:
        with (folder / "bare").open("wb", buffering=0) as file:
            for value in values:
                adapter.validate_python(value)
                file.write(orjson.dumps(value) + b"\n")
        (folder / "bare").unlink()

    def serialised() -> None:
        with (folder / "bare").open("wb", buffering=0) as file:
            for record in records:
                file.write(record.__pydantic_serializer__.to_json(record, by_alias=True, exclude_unset=True) + b"\n")
        (folder / "bare").unlink()

    def dumped() -> None:
        with (folder / "bare").open("wb", buffering=0) as file:
            for record in records:
                file.write(orjson.dumps(record.to_wire()) + b"\n")
        (folder / "bare").unlink()

    def bare_lines() -> None:
        with (folder / "bare").open("wb", buffering=0) as file:
            for line in lines:
                file.write(line + b"\n")
        (folder / "bare").unlink()

    def ours(fsync: FsyncPolicy, count: int = _WRITTEN) -> None:
        with StreamWriter(folder / "ours", fsync=fsync) as writer:
            for record in records[:count]:
                writer.write(record)
        (folder / "ours").unlink()

    def appended() -> None:
        lines_of_ours = Appender(folder / "ours")
        for line in lines:
            lines_of_ours.append(line)
        lines_of_ours.close()
        (folder / "ours").unlink()

    def row(name: str, mine: float, peer: float, count: int = _WRITTEN, bound: str = "") -> Row:
        return Row(name, _size(count, ""), f"{mine / count * 1e6:.1f} us", f"{peer / _WRITTEN * 1e6:.1f} us",
                   peer / _WRITTEN / (mine / count), bound)  # fmt: skip

    mine, peer, typed, checked, unproved, appending, peer_lines = best(
        rounds, lambda: ours("never"), bare, dumped, validated, serialised, appended, bare_lines
    )
    yield row("StreamWriter.write / file.write(orjson.dumps(obj)), throughput", mine, peer, bound=">= 0.5")
    yield row("  the same, the peer starts from the same records", mine, typed)
    yield row("  the same, the peer validates each object first", mine, checked)
    yield row("  pydantic's to_json of each record, nothing proved, as the first", unproved, peer)
    yield row("  its appender / file.write(line)", appending, peer_lines)
    mine, each, peer = best(rounds, lambda: ours("close"), lambda: ours(1.0), bare)
    yield row("  the same as the first, fsync close", mine, peer)
    yield row("  the same as the first, fsync every second", each, peer)
    mine, peer = best(rounds, lambda: ours("record", _SYNCED), bare)
    yield row("  the same as the first, fsync record", mine, peer, _SYNCED)


def imports(rounds: int) -> Iterator[Row]:
    """Time inside a fresh interpreter, its own start left out."""

    def timed(code: str) -> float:
        script = f"import time; t = time.perf_counter()\n{code}\nprint(time.perf_counter() - t)"
        return float(fresh("-c", script))

    ours = "import sessionrecord"
    used = "from sessionrecord import Session, StreamReader, StreamWriter"
    peer = "import pydantic\nclass M(pydantic.BaseModel):\n    a: int\n    b: str | None = None"
    times = [[timed(code) for code in (ours, used, peer)] for _ in range(rounds)]
    bare, names, plain = (min(column) for column in zip(*times, strict=True))
    yield Row(
        "import sessionrecord / import pydantic and define a model",
        "",
        f"{bare * 1e3:.0f} ms",
        f"{plain * 1e3:.0f} ms",
        bare / plain,
        "<= 1.3",
    )
    yield Row(
        "  the same, Session, StreamReader and StreamWriter imported",
        "",
        f"{names * 1e3:.0f} ms",
        f"{plain * 1e3:.0f} ms",
        names / plain,
    )
