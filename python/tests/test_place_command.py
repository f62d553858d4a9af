"""covary.place and the command choose the same places, with the same bits."""

import json

import numpy as np
import pytest
from conftest import same_bits
from test_command import write_csv
from test_frames import Frame

import covary

KERNEL = "2 * matern52(lengthscale=1.5)"


@pytest.fixture(scope="module")
def floor():
    rng = np.random.default_rng(5)
    columns = {"x": rng.uniform(0, 6, 30), "y": rng.uniform(0, 4, 30)}
    columns |= {"locked": (np.arange(30) % 7 == 0).astype(float), "euros": 1.0 + np.arange(30) % 5}
    return columns | {"room": np.arange(30.0) % 6, "sd": 0.1 + 0.01 * np.arange(30)}


@pytest.fixture(scope="module")
def readings(floor):
    k = covary.parse(KERNEL).cross(np.column_stack([floor["x"], floor["y"]])) + 0.05 * np.eye(30)
    return covary.Gaussian(np.full(30, 20.0), k).sample(90, 2).T


@pytest.fixture
def files(tmp_path, floor, readings, data, command):
    write_csv(tmp_path / "floor.csv", list(floor), list(floor.values()))
    names = [str(i + 1) for i in range(30)]
    for name, rows in (("readings", readings[:60]), ("later", readings[60:])):
        write_csv(tmp_path / f"{name}.csv", ["time", *names], [np.arange(len(rows)), *rows.T])
    write_csv(tmp_path / "covariance.csv", [f"c{i}" for i in range(30)], list(np.cov(readings.T)))
    write_csv(tmp_path / "stand.csv", ["x", "y"], [[1.0, floor["x"][4]], [2.0, floor["y"][4]]])
    return tmp_path


def frame(floor):
    return Frame(floor)


def both(command, files, floor, typed, asked):
    """What the command says, and what Python says."""
    arguments = [a.replace("@", f"{files}/") if isinstance(a, str) else a for a in typed]
    theirs = json.loads(command("place", files / "floor.csv", *arguments, "--json", "--quiet"))
    ours = covary.place(Frame(floor), coordinates=["x", "y"], names=[str(i + 1) for i in range(30)], **asked)
    return theirs, ours


AXES = ["--coordinates", "x,y"]
PLAIN = [*AXES, "--kernel", KERNEL, "--nugget", "0.1"]
FIELD = {"kernel": KERNEL, "nugget": 0.1}
STAND = [[1.0, 2.0]]
CASES = {
    "greedy": ([*PLAIN, "-k", 5], {**FIELD, "k": 5}),
    "entropy": ([*PLAIN, "-k", 5, "--criterion", "entropy"], {**FIELD, "k": 5, "criterion": "entropy"}),
    "refined": (
        [*PLAIN, "-k", 4, "--criterion", "max-variance", "--refine"],
        {**FIELD, "k": 4, "criterion": "max_variance", "refine": True},
    ),
    "optimal": ([*PLAIN, "-k", 3, "--optimal"], {**FIELD, "k": 3, "optimal": True}),
    "robust": ([*PLAIN, "-k", 3, "--robust"], {**FIELD, "k": 3, "robust": True}),
    "scored": ([*PLAIN, "--evaluate", "3,9,12"], {**FIELD, "evaluate": [2, 8, 11]}),
    "random baseline": (
        [*PLAIN, "-k", 4, "--criterion", "random", "--seed", 9],
        {**FIELD, "k": 4, "criterion": "random", "seed": 9},
    ),
    "rules": (
        [*PLAIN, "-k", 4, "--forbid", "locked", "--group", "room", "--min-distance", "1", "--noise", "column:sd"],
        {**FIELD, "k": 4, "forbidden": "locked", "groups": "room", "min_distance": 1.0, "noise_sd": "sd"},
    ),
    "budget": ([*PLAIN, "--cost", "euros", "--budget", 9], {**FIELD, "costs": "euros", "budget": 9}),
    "existing": (
        [*PLAIN, "-k", 3, "--existing", "@stand.csv", "--noise", "column:sd"],
        {**FIELD, "k": 3, "existing": "stand", "noise_sd": "sd"},
    ),
    "targets": (
        [*PLAIN, "-k", 3, "--targets", "@stand.csv", "--criterion", "variance", "--noise", "0.2"],
        {**FIELD, "k": 3, "targets": "stand", "criterion": "variance", "noise": 0.2},
    ),
    "covariance": ([*AXES, "--covariance", "@covariance.csv", "-k", 4], {"covariance": "cov", "k": 4}),
    "history": (
        [*AXES, "--history", "@readings.csv", "--shrink", "auto", "-k", 4, "--held-out", "@later.csv", "--repeats", 20],
        {"history": "past", "shrinkage": "auto", "k": 4, "held_out": "later", "repeats": 20},
    ),
    "history and kernel": (
        [*AXES, "--history", "@readings.csv", "--kernel", "matern52()", "-k", 3],
        {"history": "past", "kernel": "matern52()", "k": 3},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_picks_and_the_same_bits(case, command, files, floor, readings):
    typed, asked = CASES[case]
    stand = np.array([[1.0, 2.0], [floor["x"][4], floor["y"][4]]])
    given = {"past": readings[:60], "later": readings[60:], "cov": np.cov(readings.T), "stand": stand}
    asked = {name: given.get(v, v) if isinstance(v, str) else v for name, v in asked.items()}
    theirs, ours = both(command, files, floor, typed, asked)
    sensors = theirs["sensors"]
    assert [s["row"] - 1 for s in sensors] == ours.indices.tolist()
    for name in ("gain", "value", "mean_sd", "largest_sd"):
        assert same_bits(ours.table()[name], [s[name] for s in sensors]), name
    shares = [np.nan if s["share"] is None else s["share"] for s in sensors]
    assert same_bits(ours.shares, shares) and ours.optimal == theirs["optimal"]
    if ours.held_out:
        assert same_bits(ours.held_out.rmse[1:], [s["held_out"]["rmse"] for s in sensors])
        assert same_bits(ours.held_out.random_rmse, theirs["by_chance"]["mean"])


def test_models_and_draws(command, files, floor, data, tmp_path):
    gp = covary.GP("matern52()").fit(Frame({"x": data[0][:, 0], "y": data[0][:, 1]}), data[1])
    gp.save(tmp_path / "model.json")
    typed = ["--model", tmp_path / "model.json", "--draws", 3, "-k", 3, "--nugget", "0.01"]
    theirs = json.loads(command("place", files / "floor.csv", *typed, "--json", "--quiet"))
    ours = covary.place(Frame(floor), 3, model=gp, draws=3, nugget=0.01)
    assert same_bits(ours.gains, [s["gain"] for s in theirs["sensors"]])
    assert [s["row"] - 1 for s in theirs["sensors"]] == ours.indices.tolist()


def test_the_words_are_the_command_s(command, files, floor):
    theirs, ours = both(command, files, floor, *CASES["greedy"])
    assert theirs["notes"] == ours.notes


def test_criteria_are_the_command_s(command):
    assert json.loads(command("criteria", "--json")) == covary.criteria()
