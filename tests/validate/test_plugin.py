"""`pytest --sessionrecord-corpus`: the corpus in place of other tests, and nothing imported without it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from sessionrecord_corpus import bundles, cases

CONFTEST = """
import json
from sessionrecord_corpus import root

MANIFEST = json.loads((root() / "manifest.json").read_text("utf-8"))
EXPECTED = {case["name"]: case["tolerant"] for case in MANIFEST["cases"]}
IN_BUNDLES = {case["name"]: case["findings"] for case in MANIFEST["bundles"]}

def pytest_sessionrecord_validate(path):
    return EXPECTED[path.stem]
"""
OF_BUNDLES = """
def pytest_sessionrecord_validate_bundle(path):
    return IN_BUNDLES[path.stem]
"""


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_the_corpus_stands_in_for_the_tests_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text("def test_other():\n    assert False\n")
    code, out = run(tmp_path, "--sessionrecord-corpus", "-k", "torn-tail or glued-three")
    assert code == 0, out
    assert "6 passed" in out
    code, out = run(tmp_path, "--sessionrecord-corpus", "-k", "torn-tail or zip-bomb or folder-link")
    assert code == 0, out
    assert "11 passed" in out  # three of the stream, two of each bundle: two names have the last one in them


def test_a_command_is_checked_by_the_findings_it_prints(tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m sessionrecord validate --json"
    arguments = ("--sessionrecord-corpus", "-k", "torn-tail or compaction-failed", "--sessionrecord-corpus-command")
    code, out = run(tmp_path, *arguments, command)
    assert code == 0, out
    assert "2 passed" in out
    code, out = run(tmp_path, *arguments, f"{shlex.quote(sys.executable)} -c 'print(1)'")
    assert code == 1
    assert "the command ended with 0 and printed no findings" in out


def test_a_command_for_bundles_is_checked_on_bundles_alone(tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m sessionrecord validate --level bundle --json"
    arguments = (
        "--sessionrecord-corpus",
        "-k",
        "torn-tail or tar-pipe or zip-cut",
        "--sessionrecord-corpus-bundle-command",
    )
    code, out = run(tmp_path, *arguments, command)
    assert code == 0, out
    assert "2 passed" in out


def test_a_function_of_a_conftest_is_checked(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    code, out = run(tmp_path, "--sessionrecord-corpus")
    assert code == 0, out
    assert "[bundle]" not in run(tmp_path, "--sessionrecord-corpus", "--collect-only")[1]
    (tmp_path / "conftest.py").write_text(CONFTEST + OF_BUNDLES)
    code, out = run(tmp_path, "--sessionrecord-corpus")
    assert code == 0, out
    assert f"{len(cases()) + len(bundles())} passed" in out
    (tmp_path / "conftest.py").write_text("def pytest_sessionrecord_validate(path):\n    return []\n")
    code, out = run(tmp_path, "--sessionrecord-corpus", "-k", "torn-tail or header-only")
    assert code == 1
    assert "1 failed, 1 passed" in out
    assert "line-torn" in out


def test_without_the_option_nothing_of_the_package_is_imported(tmp_path: Path) -> None:
    (tmp_path / "test_modules.py").write_text(
        "import sys\n\ndef test_modules():\n"
        "    assert 'sessionrecord_corpus.plugin' in sys.modules\n"
        "    assert not {'sessionrecord', 'pydantic', 'sessionrecord_corpus.checks'} & set(sys.modules)\n"
    )
    # other plugins of this environment import pydantic or not as they like
    code, out = run(tmp_path, "-p", "no:hypothesispytest", "-p", "no:xdist", "-p", "no:pytest_cov")
    assert code == 0, out
