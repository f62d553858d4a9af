"""The package as it is installed: stubs, names, and what the page says."""

import importlib.resources
import pathlib
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest

import covary

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("name, make", [("kernels.pyi", "kernels"), ("_covary.pyi", "compiled")])
def test_stubs_are_those_of_the_module(name, make):
    pytest.importorskip("nanobind")
    made = runpy.run_path(str(HERE.parent / "tools" / "stubs.py"))[make]()
    assert made == (HERE.parent / "covary" / name).read_text(), "run python/tools/stubs.py python/covary"


def test_it_is_typed():
    assert importlib.resources.files("covary").joinpath("py.typed").is_file()


def test_the_version_is_the_core_s():
    project = (HERE.parent.parent / "CMakeLists.txt").read_text()
    assert re.search(r"project\(covary VERSION (\S+)", project)[1] == covary.__version__


def test_every_name_is_there():
    assert all(hasattr(covary, name) for name in covary.__all__)


def test_it_needs_numpy_alone():
    program = "import sys, covary; print(*sorted({m.split('.')[0] for m in sys.modules} - sys.stdlib_module_names))"
    out = subprocess.run([sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True).stdout
    assert {"covary", "numpy"} <= set(out.split())
    assert not {"pandas", "scipy", "sklearn", "nanobind", "matplotlib"} & set(out.split())


def test_the_page_s_lines_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (HERE.parent / "README.md").read_text()
    lines = page.split("```python\n")[1].split("```")[0]
    names = {}
    exec(compile(lines, "README.md", "exec"), names)
    assert len([line for line in lines.splitlines() if line.strip()]) <= 12
    assert np.isfinite(names["mean"]).all() and (names["lower"] < names["upper"]).all()
    assert (tmp_path / "model.json").is_file()


def test_the_machine_is_the_commands(command):
    assert covary.machine() in command("--version")
