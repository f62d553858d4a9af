"""The pages of docs/guide/python: every line runs, and prints what the page says.

Numbers may differ by a percent, as on another machine. COVARY_UPDATE_GUIDE=1 writes what they print into them.
"""

import contextlib
import io
import os
import pathlib
import re

import pytest

PAGES = sorted((pathlib.Path(__file__).parents[2] / "docs" / "guide" / "python").glob("*.md"))
BLOCK = re.compile(r"```python\n(?P<lines>.*?)```\n(?:\n```text\n(?P<printed>.*?)```\n)?", re.S)


def rewritten(page):
    """The page, with what its lines print now. They share their names, from the first to the last."""
    names = {"__name__": "__main__"}

    def run(block):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block["lines"], page.name, "exec"), names)
        printed = f"\n```text\n{out.getvalue()}```\n" if out.getvalue() else ""
        return f"```python\n{block['lines']}```\n{printed}"

    return BLOCK.sub(run, page.read_text())


NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def alike(text, page):
    """The same words, and numbers within a percent."""
    pairs = zip(map(float, NUMBER.findall(text)), map(float, NUMBER.findall(page)))
    return NUMBER.sub("#", text) == NUMBER.sub("#", page) and all(a == pytest.approx(b, rel=0.01) for a, b in pairs)


def test_there_are_pages():
    assert PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_page(page, tmp_path, monkeypatch):
    for package in ("sklearn", "pandas", "matplotlib"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = rewritten(page)
    if os.environ.get("COVARY_UPDATE_GUIDE"):
        page.write_text(text)
    assert alike(text, page.read_text()), text
