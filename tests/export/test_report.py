"""Loss reports and what carries them: counts, places, JSON, a bounded list for people, files written whole."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from sessionrecord.errors import WriterError
from sessionrecord.export import KINDS, Exported, Loss, LossReport, to_atif, to_markdown
from tests.export.sessions import agent, call, session, user


def test_a_report_counts_by_kind_and_names_the_place_of_each() -> None:
    made = session(
        call("c", arguments=[1]), {"type": "state", "state": "idle"}, agent("a", role="critic"), agentVersion="1"
    )
    report = to_atif(made).report
    assert report.to_dict() == {
        "target": "atif",
        "records": 4,
        "represented": 3,
        "folded": 0,
        "leftOut": 1,
        "counts": {"arguments_wrapped": 1, "role_mapped": 1, "no_place": 1},
        "losses": [
            {
                "kind": "arguments_wrapped", "what": "arguments", "why": KINDS["arguments_wrapped"],
                "seq": 2, "recordId": "r2", "pointer": "/arguments", "kept": True,
            },
            {
                "kind": "role_mapped", "what": "role", "why": KINDS["role_mapped"],
                "seq": 4, "recordId": "r4", "pointer": "/role", "kept": True,
            },
            {
                "kind": "no_place", "what": "state", "why": KINDS["no_place"],
                "seq": 3, "recordId": "r3", "pointer": "", "kept": False,
            },
        ],
    }  # fmt: skip


def test_a_report_for_people_lists_a_few_places_of_each_kind() -> None:
    report = LossReport("x", records=9)
    for seq in range(1, 6):
        report.losses.append(Loss("no_place", "state", KINDS["no_place"], seq, f"r{seq}", ""))
    report.losses.append(Loss("currency", "E\x1bUR", KINDS["currency"], kept=True))
    report.losses.append(Loss("folded", "usage", KINDS["folded"], 8, "r8", ""))
    report.losses.append(Loss("invalid_line", "line", KINDS["invalid_line"], None, None, ""))
    report.losses.append(Loss("block_elsewhere", "x", KINDS["block_elsewhere"], 7, "r7", "/content/0", kept=True))
    report.losses.append(Loss("block_elsewhere", "y" * 99, KINDS["block_elsewhere"], 9, "r9", "/content/0"))
    assert str(report).split("\n") == [
        "x: 2 of 9 records exported, 1 counted in totals and the like, 6 left out",
        f"  no_place 5: {KINDS['no_place']}",
        "    state (seq 1), state (seq 2), state (seq 3) and 2 more",
        f"  block_elsewhere 2, 1 still there: {KINDS['block_elsewhere']}",
        f"    x (seq 7), '{'y' * 59}… (seq 9)",
        f"  currency 1, still there for readers who know: {KINDS['currency']}",
        "    'E\\x1bUR'",
        f"  folded 1: {KINDS['folded']}",
        "    usage (seq 8)",
        f"  invalid_line 1: {KINDS['invalid_line']}",
        "    line (a line without seq)",
    ]


def test_a_lossless_export_has_an_empty_report() -> None:
    report = to_markdown(session(user("a"))).report
    assert (report.losses, report.counts, report.left_out) == ([], {}, 0)
    assert str(report) == "markdown: 2 of 2 records exported, 0 left out"


def test_an_export_is_written_whole_for_its_owner_only(tmp_path: Path) -> None:
    exported = to_atif(session(user("a")))
    path = tmp_path / "out.json"
    path.write_text("old")
    exported.write(path)
    assert json.loads(path.read_text()) == json.loads(exported.text) == exported.data
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_a_text_export_is_its_data() -> None:
    exported = to_markdown(session(user("a")))
    assert exported.text == exported.data


@pytest.mark.parametrize("name", ["nowhere/out.md", "", "a\0b"])
def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(WriterError, match="cannot write"):
        Exported("text", LossReport("x")).write(tmp_path / name)


def test_each_kind_of_loss_is_in_the_documentation() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "export.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []
