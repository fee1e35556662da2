"""The pages on frames and plots say what the code has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from sessionrecord.display.frames import FRAMES, SESSIONS

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_page_lists_every_column_of_every_frame_with_its_type_and_meaning() -> None:
    page = (ROOT / "docs" / "frames.md").read_text("utf-8")
    found = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\| `(\w+)` \| `([^|]+)` \| ([^|]+) \|$", section, re.MULTILINE)
        if rows:
            found[section.partition("\n")[0].strip("`")] = rows
    wanted = {name: frame for name, (frame, _) in FRAMES.items()} | {"sessions": SESSIONS}
    assert found == {name: [(c.name, c.type, c.meaning) for c in frame.columns] for name, frame in wanted.items()}


def test_the_pictures_of_the_page_are_made_by_their_script_and_small(tmp_path: Path) -> None:
    script = ROOT / "docs" / "plots_pictures.py"
    subprocess.run(
        [sys.executable, "-W", "error", str(script), str(tmp_path)],
        check=True,
        capture_output=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
    )
    page = (ROOT / "docs" / "plots.md").read_text("utf-8")
    named = re.findall(r"\(assets/([\w-]+\.png)\)", page)
    assert sorted(named) == sorted(path.name for path in tmp_path.iterdir())
    for name in named:
        assert (ROOT / "docs" / "assets" / name).stat().st_size < 200_000
