"""Labels for all of a table from a few."""

import json

import numpy as np
import pytest

import covary


@pytest.fixture(scope="module")
def groups():
    rng = np.random.default_rng(5)
    kind = np.arange(150) % 3
    return rng.normal(size=(150, 2)) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[kind], np.array(["ash", "beech", "cherry"])[kind]


def test_a_loop_labels_the_pool(groups):
    x, truth = groups
    labels = np.full(150, None, object)
    pool = covary.label_pool(x, labels, 8)
    assert pool.error == 1 and pool.limit == 1 and len(pool.next) == 8
    for _ in range(5):
        labels[pool.next] = truth[pool.next]
        pool = covary.label_pool(x, labels, 8)
    assert (pool.labels == truth).all()
    assert pool.limit < 0.4
    assert sum(c["rows"] for c in pool.clusters) == 150
    assert pool.clusters[pool.cluster[0]]["label"] == pool.labels[0]
    assert pool.errors.mean() == pytest.approx(pool.error)
    done = covary.label_pool(x, truth)
    assert done.limit == 0 and len(done.next) == 0


def test_numbers_may_be_classes(groups):
    x, truth = groups
    labels = np.where(np.arange(150) < 40, np.searchsorted(np.unique(truth), truth), np.nan)
    assert set(covary.label_pool(x, labels).labels) == {0, 1, 2}


def test_mistakes(groups):
    x, truth = groups
    with pytest.raises(ValueError, match="150 rows of X and 3 labels"):
        covary.label_pool(x, ["a", "b", None])
    with pytest.raises(ValueError, match="4 rows to label were asked for, 0 rows have no label"):
        covary.label_pool(x, truth, 4)
    with pytest.raises(ValueError, match="factor must be a number over 1, found 0.5"):
        covary.label_pool(x, truth, factor=0.5)
    with pytest.raises(ValueError, match="expected one of the classes ash, oak, found 'beech'"):
        covary.label_pool(x, truth, classes=["ash", "oak"])


def test_what_the_command_says(groups, command, tmp_path):
    x, truth = groups
    labels = np.where(np.arange(150) < 12, truth, "")
    lines = [f"{a!r},{b!r},{k}" for (a, b), k in zip(x.tolist(), labels)]
    (tmp_path / "pool.csv").write_text("\n".join(["a,b,kind", *lines]) + "\n")
    out = json.loads(command("label", tmp_path / "pool.csv", "--target", "kind", "-n", 5, "--json", "-q"))
    pool = covary.label_pool(x, [k or None for k in labels.tolist()], 5)
    assert [r["row"] - 1 for r in out["next"]] == pool.next.tolist()
    assert out["limit"] == pytest.approx(pool.limit)
