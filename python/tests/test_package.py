"""The package as it is installed: stubs, names, and what the page says."""

import importlib.resources
import importlib.util
import pathlib
import re
import runpy
import shutil
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


@pytest.fixture
def configured(tmp_path):
    """What configuring the module prints, with some definitions."""
    cmake, nanobind = shutil.which("cmake"), importlib.util.find_spec("nanobind")
    if not cmake or not nanobind or not (HERE.parent.parent / "build" / "covaryTargets.cmake").is_file():
        pytest.skip("needs CMake, nanobind and a build of the checkout")

    def configure(*definitions):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        where = [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.submodule_search_locations[0]}/cmake"]
        call = [cmake, "-S", HERE.parent, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *where, *definitions]
        said = subprocess.run(call, check=True, capture_output=True, text=True).stdout
        return said, (folder / "core").exists()

    return configure


def test_a_build_of_the_checkout_is_linked_and_not_compiled_again(configured):
    said, compiled = configured()
    assert not compiled and "/build is linked; the binding alone is compiled, about a minute on two cores" in said


@pytest.mark.parametrize("why", ["-DCOVARY_BUILD=none", "-DCMAKE_CXX_FLAGS=-fsanitize=address"])
def test_without_one_it_says_how_long_it_takes(configured, why):
    said, compiled = configured(why)
    assert compiled and "the core is compiled too, some minutes on two cores; after `make build`" in said


def test_the_machine_is_the_commands(command):
    assert covary.machine() in command("--version")
