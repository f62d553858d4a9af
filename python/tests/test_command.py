"""Python and the command give the same bits, in both directions."""

import csv
import io
import json

import numpy as np
import pytest
from conftest import same_bits

import covary

KERNEL = "fixed(1.5 * se(lengthscale=[0.8, 2])) + fixed(0.3 * linear(lengthscale=1))"


def write_csv(path, names, columns):
    rows = [",".join(names)] + [",".join(repr(float(v)) for v in row) for row in np.column_stack(columns)]
    path.write_text("\n".join(rows) + "\n")


def read_csv(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: np.array([float(r[name]) for r in rows]) for name in rows[0]}


@pytest.fixture
def files(tmp_path, data, grid, command):
    write_csv(tmp_path / "data.csv", ["x1", "x2", "y"], [*data[0].T, data[1]])
    write_csv(tmp_path / "grid.csv", ["x1", "x2"], list(grid.T))
    return tmp_path


@pytest.fixture(params=[(KERNEL, "0.01"), ("matern52()", "learn")], ids=["fixed", "learned"])
def both(request, files, data, command):
    """The same question asked of both: the command's model file, and Python's model."""
    kernel, noise = request.param
    file = files / "model.json"
    command("fit", files / "data.csv", "--target", "y", "--kernel", kernel, "--noise", noise, "-o", file)
    return file, covary.GP(kernel, noise=noise if noise == "learn" else float(noise)).fit(*data)


def test_files_differ_in_the_name_of_the_data_alone(both, tmp_path):
    file, model = both
    model.save(tmp_path / "python.json")
    theirs = json.loads(file.read_text())["model"]
    ours = json.loads((tmp_path / "python.json").read_text())["model"]
    assert ours["asked"].pop("data") == "Python"
    theirs["asked"].pop("data")
    assert theirs["data"].pop("rows")[0] == "line 2"  # a table has lines, arrays do not
    assert ours == theirs


@pytest.mark.parametrize("of", ["f", "y"])
def test_predictions(both, files, grid, command, of):
    file, model = both
    theirs = read_csv(command("predict", file, files / "grid.csv", "--of", of, "--interval", 90))
    for ours in (model.predict(grid, of, 90), covary.load(file).predict(grid, of, 90)):
        for name in ("mean", "sd", "lower", "upper"):
            assert same_bits(getattr(ours, name), theirs[name]), name


@pytest.mark.parametrize("of", ["f", "y"])
def test_samples(both, files, grid, command, of):
    file, model = both
    theirs = json.loads(command("sample", file, files / "grid.csv", "-n", 3, "--seed", 5, "--of", of, "--json"))
    assert same_bits(model.sample(grid, 3, 5, of).T, theirs["samples"])


def test_the_command_reads_what_python_wrote(both, files, grid, command):
    _, model = both
    model.save(files / "python.json")
    theirs = read_csv(command("predict", files / "python.json", files / "grid.csv"))
    assert same_bits(model.predict(grid).mean, theirs["mean"])


def test_condition_is_tell(both, files, data, grid, command):
    file, model = both
    write_csv(files / "more.csv", ["x1", "x2", "y"], [*grid.T, grid[:, 0]])
    command("tell", file, files / "more.csv", "-o", files / "told.json")
    told = covary.load(files / "told.json")
    ours = model.condition(grid, grid[:, 0])
    assert same_bits(ours.predict(data[0]).mean, told.predict(data[0]).mean)
    assert ours.log_marginal_likelihood == told.log_marginal_likelihood


def test_calibrated_intervals(both, files, grid, command):
    file, model = both
    theirs = read_csv(command("predict", file, files / "grid.csv", "--calibrated", "--interval", 90))
    ours = model.predict(grid, interval=90, calibrated=True)
    for name in ("mean", "sd", "lower", "upper"):
        assert same_bits(getattr(ours, name), theirs[name]), name
    assert not same_bits(ours.upper, model.predict(grid, "y", 90).upper)


@pytest.mark.parametrize("mean", ["constant", "linear", "zero"])
def test_the_trend(files, data, command, mean):
    question = ("fit", files / "data.csv", "--target", "y", "--kernel", "se()", "--mean", mean, "--json")
    theirs = json.loads(command(*question))["mean_coefficients"]
    gp = covary.GP("se()", mean).fit(*data)
    assert gp.trend == [covary.Coefficient(c["term"], c["value"], c["sd"]) for c in theirs]
    assert [c.name for c in gp.trend] == {"constant": ["1"], "linear": ["1", "x1", "x2"], "zero": []}[mean]
    ridge = covary.KernelRidge("se()", mean=mean, penalty=0.1).fit(*data)
    assert [c.name for c in ridge.trend] == [c.name for c in gp.trend]
