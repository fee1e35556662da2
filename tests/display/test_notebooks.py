"""The notebooks in `examples/` run, without a warning, and hold no outputs that could grow old."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
SHOWN = {"inspect_session.ipynb": 1, "cost_over_sessions.ipynb": 1, "before_and_after_compaction.ipynb": 1}
"""Notebook to the pictures in it."""


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_there_is_a_notebook_for_each_question() -> None:
    assert {path.name for path in NOTEBOOKS} == set(SHOWN)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_and_shows_its_pictures(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES / "data", tmp_path / "data")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # nbformat has none
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    found = outputs(notebook)
    assert not [o for o in found if o.output_type == "error"]
    said = "".join(o.text for o in found if o.get("name") == "stderr")
    assert all(line.startswith("sessions: ") for line in said.replace("\r", "\n").split("\n") if line.strip()), said
    assert ("| 4/4 [" in said) == (path.name == "cost_over_sessions.ipynb"), (
        "the bar of many sessions is shown in a notebook"
    )
    assert sum("image/png" in o.get("data", {}) for o in found) == SHOWN[path.name]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = json.loads(path.read_bytes())
    for cell in notebook["cells"]:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
    nbformat.validate(notebook)


def test_the_sample_sessions_are_what_their_script_writes(tmp_path: Path) -> None:
    script = EXAMPLES / "sample_sessions.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, capture_output=True)
    kept = EXAMPLES / "data" / "sessions"
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {p.name: p.read_bytes() for p in kept.iterdir()}


@pytest.mark.soak
def test_the_notebooks_run_in_a_fresh_environment_with_the_extra_alone(tmp_path: Path) -> None:
    """Nothing but the extra `notebook`, and what runs a notebook anywhere: needs a package index."""
    venv.create(tmp_path / "fresh", with_pip=True)
    python = tmp_path / "fresh" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, f"{ROOT}[notebook]", "ipykernel", "nbclient"], check=True, cwd=tmp_path)
    listed = subprocess.run(
        [str(python), "-m", "pip", "list", "--format=json"], check=True, capture_output=True, text=True
    ).stdout
    assert not {p["name"].lower() for p in json.loads(listed)} & {
        "polars",
        "duckdb",
        "typer",
        "rich",
        "zstandard",
        "pytest",
    }
    shutil.copytree(EXAMPLES / "data", tmp_path / "data")
    code = (
        "import sys, nbformat; from nbclient import NotebookClient\n"
        "for path in sys.argv[1:]: NotebookClient(nbformat.read(path, as_version=4), timeout=300, kernel_name='python3').execute()"
    )
    # the kernel is that of the fresh interpreter, and none that the machine has
    kernels = {
        "JUPYTER_PATH": str(tmp_path / "fresh" / "share" / "jupyter"),
        "JUPYTER_DATA_DIR": str(tmp_path / "none"),
    }
    subprocess.run(
        [str(python), "-c", code, *map(str, NOTEBOOKS)],
        check=True,
        cwd=tmp_path,
        env={**os.environ, **kernels, "PYTHONPATH": ""},
    )
