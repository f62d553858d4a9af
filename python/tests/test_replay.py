"""Labelling replayed on data whose labels are known."""


import numpy as np
import pytest
from conftest import interrupted, needs_signals, same_bits
from test_command import read_csv

import covary


@pytest.fixture(scope="module")
def pool():
    X = np.random.default_rng(31).uniform(-2, 2, (60, 2))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]


@pytest.fixture(scope="module")
def kinds(pool):
    return np.where(pool[0][:, 0] + 0.2 * pool[0][:, 1] > 0, "wet", "dry")


@pytest.fixture(scope="module")
def replayed(pool):
    return covary.replay(*pool, ["random", "uncertainty"], budget=16, repeats=3, kernel="se()")


def test_curves_are_those_of_the_runs(replayed):
    assert [c.strategy for c in replayed.curves] == ["random", "uncertainty"] and replayed.baseline == "random"
    for c in replayed.curves:
        runs = [r for r in replayed.runs if r["strategy"] == c.strategy]
        assert c.errors.shape == (len(c.labels), 3) and c.last_error == c.mean[-1]
        np.testing.assert_allclose(c.mean, c.errors.mean(axis=1), rtol=1e-12)
        assert same_bits(c.errors[-1], [r["error"][-1] for r in runs])
        assert all(r["labels"][-1] == 16 and len(set(r["rows"])) == len(r["rows"]) for r in runs)
    assert replayed.reach == replayed.curves[0].last_error and "uncertainty: " in str(replayed)


def test_every_strategy_has_the_same_start(replayed):
    first = [[r["error"][0] for r in replayed.runs if r["strategy"] == c.strategy] for c in replayed.curves]
    assert first[0] == first[1]


def test_a_rule_stops_it(pool):
    r = covary.replay(*pool, ["uncertainty"], budget=40, repeats=1, stop={"largest_sd": 0.5})
    assert "largest sd" in r.runs[0]["stopped"] and r.runs[0]["largest_sd"][-1] <= 0.5 and len(r.runs[0]["rows"]) < 40


def test_classes_and_streams(pool, kinds):
    r = covary.replay(pool[0], kinds, budget=20, repeats=2)
    assert [c.strategy for c in r.curves] == ["random", "uncertainty", "svm-margin"]
    assert all(0 <= c.last_error <= 1 for c in r.curves)
    s = covary.replay(pool[0], kinds == "wet", budget=20, repeats=2, stream=True, memory=15)
    assert [c.strategy for c in s.curves] == ["random", "svm-margin"]


def test_rows_to_judge_by(pool):
    r = covary.replay(*pool, ["random"], budget=60, repeats=1, X_test=pool[0], y_test=pool[1], relearn=0)
    assert r.curves[0].last_error < 0.1 * r.curves[0].mean[0] and r.runs[0]["labels"][-1] == 60


@pytest.mark.parametrize("sort", ["numbers", "classes", "stream"])
def test_the_command_labels_the_same_rows(sort, pool, kinds, command, tmp_path):
    X, y = pool
    labels = kinds if sort == "classes" else y
    rows = [f"{float(a)!r},{float(b)!r},{c if sort == 'classes' else repr(float(c))}" for (a, b), c in zip(X, labels)]
    (tmp_path / "pool.csv").write_text("\n".join(["x1,x2,y", *rows]) + "\n")
    typed = ["--budget", 15, "--repeats", 2, "--random", 0.3, "--seed", 4, *(["--stream"] if sort == "stream" else [])]
    command("replay", tmp_path / "pool.csv", "--target", "y", *typed, "-o", tmp_path / "runs.csv", "-q")
    text = (tmp_path / "runs.csv").read_text().replace('"', "")
    theirs = read_csv("\n".join(",".join(line.split(",")[1:11]) for line in text.replace("NA", "0").splitlines()))
    ask = {"budget": 15, "repeats": 2, "random_share": 0.3, "seed": 4, "stream": sort == "stream"}
    ours = covary.replay(X, labels, **ask).runs
    assert sum((r["rows"] for r in ours), []) == [int(row) - 1 for row in theirs["row"]]
    for name in ("error", "surprise", "probability"):
        assert same_bits(np.concatenate([r[name] for r in ours]), theirs[name]), name


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_every_strategy_labels_the_rows_that_the_command_labels(classes, stream, pool, kinds, command, tmp_path):
    wanted = {"both", "classes" if classes else "numbers"}
    names = [s["name"] for s in covary.strategies() if (s["stream"] if stream else s["pool"] and s["for"]) in wanted]
    labels = kinds if classes else pool[1]
    rows = [f"{float(a)!r},{float(b)!r},{c}" for (a, b), c in zip(pool[0], labels)]
    (tmp_path / "pool.csv").write_text("\n".join(["x1,x2,y", *rows]) + "\n")
    typed = sum((["--strategy", name] for name in names), ["--stream"] if stream else [])
    options = ["--budget", 16, "--repeats", 1, "--seed", 4, "-o", tmp_path / "runs.csv", "-q"]
    command("replay", tmp_path / "pool.csv", "--target", "y", *typed, *options)
    lines = [line.replace('"', "").split(",") for line in (tmp_path / "runs.csv").read_text().replace("NA", "0").splitlines()]
    at = lines[0].index("row")
    ours = covary.replay(pool[0], labels, names, budget=16, repeats=1, seed=4, stream=stream).runs
    assert [r["strategy"] for r in ours] == names
    assert sum((r["rows"] for r in ours), []) == [int(line[at]) - 1 for line in lines[1:]]


@needs_signals
def test_ctrl_c_stops_it(pool):
    interrupted(lambda: covary.replay(*pool, budget=40, repeats=2000), 0.3)


@pytest.mark.parametrize(
    "ask, message",
    [
        ({"strategies": ["random", "random"]}, "the same one was given twice"),
        ({"strategies": ["randm"]}, "did you mean 'random'"),
        ({"strategies": ["svm-margin"]}, "for classes, not for numbers"),
        ({"memory": 9}, "memory needs stream"),
        ({"X_test": np.ones((2, 2))}, "X_test and y_test go together"),
        ({"noise": "column:sd"}, "expected 'learn' or a variance, found 'column:sd'"),
        ({"kernel": "see()"}, "did you mean 'se'"),
        ({"costs": [1.0]}, "1 costs were given for"),
        ({"stream": True, "forget": "newest"}, "expected 'redundant' or 'oldest', found 'newest'"),
        ({"stream": True, "strategies": ["diversity"]}, "diversity"),
        ({"random_share": 2}, "0 to 1"),
    ],
)
def test_mistakes(ask, message, pool):
    with pytest.raises(ValueError, match=message):
        covary.replay(*pool, **{"budget": 12, "repeats": 1, **ask})


def test_the_picture_has_a_line_for_each(replayed):
    pytest.importorskip("matplotlib").use("Agg")
    ax = replayed.plot()
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["random", "uncertainty"]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), replayed.curves[1].mean)
