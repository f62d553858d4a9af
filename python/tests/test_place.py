"""Where to put sensors: identities that any placement keeps, and what mistakes are told."""

import pickle

import numpy as np
import pytest
from conftest import interrupted, needs_signals, same_bits
from test_frames import Frame, frame  # noqa: F401  a fixture

import covary

KERNEL = "2 * matern52(lengthscale=1.5)"


@pytest.fixture(scope="module")
def spots():
    return np.random.default_rng(3).uniform(0, 6, (25, 2))


@pytest.fixture(scope="module")
def covariance(spots):
    return covary.parse(KERNEL).cross(spots) + 0.1 * np.eye(25)


@pytest.fixture(scope="module")
def readings(covariance):
    return covary.Gaussian(np.zeros(25), covariance).sample(60, 1).T + 20


@pytest.fixture(scope="module")
def found(spots):
    return covary.place(spots, 5, kernel=KERNEL, nugget=0.1, noise=0.05)


@pytest.mark.parametrize("criterion", [c["name"] for c in covary.criteria()])
def test_gains_add_up_and_bounds_hold(spots, criterion):
    p = covary.place(spots, 4, criterion, kernel=KERNEL, nugget=0.1)
    assert len(p.indices) == len(set(p.indices)) == 4 and p.indices.dtype == np.intp
    np.testing.assert_allclose(np.cumsum(p.gains), p.values, rtol=1e-9)
    assert (p.bounds >= p.values * (1 - 1e-12)).all() and p.criterion == criterion
    assert p.value == p.values[-1] and p.bound == p.bounds[-1] and str(p.share) == str(p.shares[-1])
    assert (np.diff(p.mean_sd) < 0).all() and p.mean_sd[0] < p.mean_sd_before


def test_mutual_information_is_that_of_the_gaussian(covariance):
    p = covary.place(None, 3, covariance=covariance, noise=0.05)
    rest = [i for i in range(25) if i not in p.indices]
    together = np.block([[covariance, covariance], [covariance, covariance + 0.05 * np.eye(25)]])
    g = covary.Gaussian(np.zeros(50), together)
    assert p.value == pytest.approx(g.mutual_information(rest, [25 + i for i in p.indices]), rel=1e-8)


def test_kernel_covariance_and_model_are_the_same_field(spots, covariance, found):
    by_matrix = covary.place(spots, 5, covariance=covariance, noise=0.05)
    assert np.array_equal(by_matrix.indices, found.indices)
    np.testing.assert_allclose(by_matrix.gains, found.gains, rtol=1e-9)
    far = covary.GP(f"fixed({KERNEL})", mean="zero", noise=0.05).fit([[1e6, 1e6]], [0.0])
    by_model = covary.place(spots, 5, model=far, nugget=0.1)
    assert np.array_equal(by_model.indices, found.indices)
    np.testing.assert_allclose(by_model.gains, found.gains, rtol=1e-9)


def test_what_is_left_unknown_is_the_conditional(covariance, found):
    noisy = np.block([[covariance, covariance], [covariance, covariance + 0.05 * np.eye(25)]])
    known = [25 + i for i in found.indices]
    left = covary.Gaussian(np.zeros(50), noisy).conditional(known, np.zeros(5))
    np.testing.assert_allclose(found.remaining_sd, left.sd[:25], rtol=1e-9)


def test_better_searches_are_not_worse(spots):
    ask = {"kernel": KERNEL, "nugget": 0.1, "criterion": "max-variance"}
    greedy, refined = covary.place(spots, 3, **ask), covary.place(spots, 3, refine=True, **ask)
    assert refined.value >= greedy.value
    best = covary.place(spots, 3, kernel=KERNEL, nugget=0.1, optimal=True)
    assert best.optimal and best.value >= covary.place(spots, 3, kernel=KERNEL, nugget=0.1).value
    assert any("proven" in n for n in best.notes)
    again = covary.place(spots, kernel=KERNEL, nugget=0.1, evaluate=best.indices)
    assert again.value == pytest.approx(best.value, rel=1e-12) and not again.optimal


def test_a_robust_set_counts_the_worst_loss(spots):
    p = covary.place(spots, 3, kernel=KERNEL, nugget=0.1, robust=True)
    without = [np.delete(p.indices, i) for i in range(3)]
    worth = [covary.place(spots, kernel=KERNEL, nugget=0.1, evaluate=s).value for s in without]
    assert p.value == pytest.approx(min(worth), rel=1e-9)


def test_rules_are_kept(spots):
    p = covary.place(
        spots,
        4,
        kernel=KERNEL,
        nugget=0.1,
        existing=[0],
        forbidden=np.arange(25) < 5,
        min_distance=1.5,
        groups=["north" if y > 3 else "south" for y in spots[:, 1]],
        per_group=3,
    )
    apart = spots[[0, *p.indices]]
    distance = np.linalg.norm(apart[:, None] - apart[None], axis=2) + 99 * np.eye(len(apart))
    assert distance.min() >= 1.5 and min(p.indices) >= 5
    assert np.sum(apart[:, 1] > 3) <= 3 and np.sum(apart[:, 1] <= 3) <= 3
    bought = covary.place(spots, kernel=KERNEL, nugget=0.1, costs=np.arange(1, 26), budget=20)
    assert bought.costs[-1] == sum(bought.indices + 1) <= 20


def test_existing_sensors_by_number_name_and_coordinates(spots):
    ask = {"kernel": KERNEL, "nugget": 0.1, "names": [f"s{i}" for i in range(25)]}
    by_number = covary.place(spots, 3, existing=[4, 7], **ask)
    for other in (["s4", "s7"], spots[[4, 7]], Frame({"x1": spots[[4, 7], 0], "x2": spots[[4, 7], 1]})):
        p = covary.place(spots, 3, existing=other, **ask)
        assert same_bits(p.gains, by_number.gains) and p.names == [f"s{i}" for i in p.indices]


def test_targets_elsewhere_are_predicted_and_never_chosen(spots):
    where = np.array([[3.0, 9.0], [3.5, 9.5]])
    p = covary.place(spots, 3, "variance", kernel=KERNEL, targets=where, noise=0.1)
    assert p.targets == [25, 26] and max(p.indices) < 25
    before, after = np.sqrt(2.0), np.mean(p.remaining_sd[25:])
    assert p.mean_sd_before == pytest.approx(before) and p.mean_sd[-1] == pytest.approx(after, rel=1e-9)


def test_noise_of_each_place(spots, found):
    same = covary.place(spots, 5, kernel=KERNEL, nugget=0.1, noise_sd=np.full(25, np.sqrt(0.05)))
    np.testing.assert_allclose(same.gains, found.gains, rtol=1e-9)


def test_a_history_is_its_covariance(readings):
    p = covary.place(None, 3, history=readings)
    np.testing.assert_allclose(p.gains, covary.place(None, 3, covariance=np.cov(readings.T)).gains, rtol=1e-6)
    assert "the covariances of 60 times" in " ".join(p.notes)


def test_shrinkage_all_the_way_leaves_the_diagonal(readings):
    p = covary.place(None, 3, history=readings, shrinkage=1.0, noise=0.1)
    assert (np.abs(p.gains) < 1e-9).all()


def test_a_kernel_beside_a_history_is_learned(spots, readings):
    p = covary.place(spots, 3, history=readings, kernel="matern52()", noise=0.01)
    assert any("learned from the history" in n for n in p.notes) and "to the kernel" in " ".join(p.notes)


def test_held_out_readings_are_judged_beside_chance(spots, readings):
    p = covary.place(spots, 4, history=readings[:50], shrinkage=0.1, held_out=readings[50:], repeats=50)
    assert p.held_out.rmse.shape == p.held_out.random_rmse.shape == (5,)
    by_hand = np.sqrt(np.mean((readings[50:] - readings[:50].mean(axis=0)) ** 2))
    assert p.held_out.rmse[0] == pytest.approx(by_hand, rel=1e-9)
    assert (p.held_out.random_5 <= p.held_out.random_rmse + 1e-12).all()
    assert p.held_out.worst_time.startswith("row ") and "drawn by chance" in p.summary


def test_frames_give_names_columns_and_readings(frame, spots, readings):  # noqa: F811
    names = [f"s{i:02d}" for i in range(25)]
    floor = {"name": np.array(names), "x [m]": spots[:, 0], "y [m]": spots[:, 1]}
    stairs = np.array(["yes" if i < 3 else "no" for i in range(25)])
    floor |= {"stairs": stairs, "euros": np.full(25, 2.0)}
    order = np.random.default_rng(1).permutation(25)
    log = frame({"time": np.arange(60.0)} | {names[i]: readings[:, i] for i in order})
    table = {"history": log, "shrinkage": 0.1, "held_out": log, "repeats": 5}
    p = covary.place(frame(floor), forbidden="stairs", costs="euros", budget=6, **table)
    plain = covary.place(spots, 3, history=readings, shrinkage=0.1, forbidden=[0, 1, 2])
    assert p.names == [names[i] for i in plain.indices] and same_bits(p.gains, plain.gains)
    assert p.places.axes == ["x [m]", "y [m]"] and p.held_out.worst_time.startswith("time ")


def test_a_sensor_that_only_the_history_knows(spots, readings):
    names = [f"s{i}" for i in range(24)]
    log = Frame({n: readings[:, i] for i, n in enumerate([*names, "roof"])})
    p = covary.place(spots[:24], 2, history=log, shrinkage=0.1, names=names, existing=["roof"])
    plain = covary.place(spots, 2, history=readings, shrinkage=0.1, existing=[24])
    assert same_bits(p.gains, plain.gains) and p.existing == [24]


def test_several_models_and_draws_are_averaged(spots, data):
    a = covary.GP("1.5 * se(lengthscale=[0.8, 2])", noise=0.01).fit(*data)
    b = covary.GP("0.5 * matern52(lengthscale=1)", noise=0.01).fit(*data)
    both = covary.place(spots, 3, model=[a, b], nugget=0.01)
    single = [covary.place(spots, model=m, nugget=0.01, evaluate=both.indices, noise=0.01).value for m in (a, b)]
    assert both.value == pytest.approx(np.mean(single), rel=1e-9)
    drawn = covary.place(spots, 3, model=a, nugget=0.01, draws=4)
    assert any("4 draws" in n for n in drawn.notes)
    assert same_bits(drawn.gains, covary.place(spots, 3, model=a, nugget=0.01, draws=4).gains)


def test_it_is_shown_as_text_as_a_table_and_as_html(spots):
    p = covary.place(spots, 2, kernel=KERNEL, names=["<b>&"] + [f"s{i}" for i in range(24)], unit="K")
    shown = covary.place(spots, kernel=KERNEL, names=p.places.names, evaluate=["<b>&"])
    assert "&lt;b&gt;&amp;" in shown._repr_html_() and "<b>&" not in shown._repr_html_()
    assert list(p.table()) == ["rank", "name", "x1", "x2", "gain", "value", "share", "mean_sd", "largest_sd"]
    assert "two sensors among 25 candidates" in p.summary and p.names[0] in p.summary and " K before" in p.summary
    assert same_bits(pickle.loads(pickle.dumps(p)).gains, p.gains)


MISTAKES = [
    ({"k": 3}, "the prior of the field is missing"),
    ({"k": 3, "history": np.ones((3, 25)), "covariance": np.eye(25)}, "history and covariance do not go together"),
    ({"kernel": KERNEL}, "the number of sensors is missing"),
    ({"kernel": KERNEL, "k": 0}, "k: expected a whole number, 1 or more, found 0"),
    ({"kernel": KERNEL, "k": 2.5}, "k: expected a whole number, 1 or more, found 2.5"),
    ({"kernel": KERNEL, "k": 3, "groups": np.zeros(25), "per_group": 0}, "per_group: expected a whole number"),
    ({"kernel": KERNEL, "k": 3, "optimal": True, "max_seconds": -1}, "max_seconds: expected more than 0, found -1"),
    ({"kernel": KERNEL, "k": 3, "coordinates": ["a"]}, "the candidates are no frame"),
    ({"kernel": KERNEL, "k": 26}, "26 sensors were asked for, 25 can be placed"),
    ({"kernel": KERNEL, "budget": 9}, "budget needs costs"),
    ({"kernel": KERNEL, "costs": np.full(25, 10), "budget": 9}, "the cheapest allowed place costs 10"),
    ({"kernel": KERNEL, "costs": np.ones(3), "budget": 9}, "costs: 3 for 25 candidates"),
    ({"kernel": KERNEL, "k": 3, "criterion": "entropie"}, "did you mean 'entropy'"),
    ({"kernel": "2 * matern52()", "k": 3}, "lengthscale.* is not given"),
    ({"kernel": "2 * matern()", "k": 3}, "did you mean"),
    ({"kernel": KERNEL, "k": 3, "forbidden": "locked"}, "the candidates are no frame"),
    ({"kernel": KERNEL, "k": 3, "forbidden": [25]}, "expected a candidate from 0 to 24, found 25"),
    ({"kernel": KERNEL, "k": 3, "forbidden": [True]}, "1 booleans for 25 candidates"),
    ({"kernel": KERNEL, "k": 3, "existing": ["roof"]}, "existing: 'roof' is the name of no place"),
    ({"kernel": KERNEL, "k": 3, "existing": [0.5]}, "existing: expected numbers or names of places, found 0.5"),
    ({"kernel": KERNEL, "k": 3, "targets": [[1.0, 2.0, 3.0]]}, "expected 2 coordinates.* found 3"),
    ({"kernel": KERNEL, "k": 3, "groups": [1, 2]}, "groups: 2 for 25 candidates"),
    ({"kernel": KERNEL, "k": 3, "per_group": 2}, "per_group needs groups"),
    ({"kernel": KERNEL, "k": 3, "noise": -1}, "noise"),
    ({"kernel": KERNEL, "k": 3, "noise_sd": np.zeros(25)}, "expected positive standard deviations, found 0"),
    ({"kernel": KERNEL, "k": 3, "noise_sd": np.ones(2)}, "noise_sd: 2 for 25 candidates"),
    ({"kernel": KERNEL, "k": 3, "names": ["a"] * 25}, "'a' is the name of two places"),
    ({"kernel": KERNEL, "k": 3, "names": ["a"]}, "names: 1 for 25 candidates"),
    ({"kernel": KERNEL, "k": 3, "refine": True, "optimal": True}, "refine and optimal do not go together"),
    ({"kernel": KERNEL, "k": 3, "evaluate": [1]}, "k does not go with evaluate"),
    ({"kernel": KERNEL, "k": 3, "max_seconds": 3}, "max_seconds needs optimal"),
    ({"kernel": KERNEL, "k": 3, "shrinkage": 0.1}, "shrinkage needs history"),
    ({"kernel": KERNEL, "k": 3, "draws": 3}, "draws needs model"),
    ({"kernel": KERNEL, "k": 3, "held_out": np.ones((2, 25))}, "held_out needs history or model"),
    ({"kernel": KERNEL, "k": 3, "repeats": 9}, "repeats needs held_out"),
    ({"model": "a.json", "k": 3}, "expected a GP that has learned, or several, found str"),
    ({"model": covary.GP(), "k": 3}, "has not learned yet"),
    ({"history": np.ones((9, 4)), "k": 3}, "history: expected 25 columns, one for each place, found shape"),
    ({"history": np.eye(25)[:9], "k": 3}, "9 times are too few for the covariances of 25 places"),
    ({"history": np.eye(25), "k": 3, "shrinkage": 2}, "expected 'auto', or 0 to 1, found 2"),
    ({"covariance": np.ones((25, 2)), "k": 3}, "expected as many rows as columns"),
    ({"history": np.full((9, 25), "wet"), "k": 3}, r"history\[0, 0\] holds text"),
    ({"kernel": KERNEL, "k": 3, "existing": [["a", "b"]]}, r"existing\[0, 0\] holds text"),
    ({"covariance": np.tri(25), "k": 3}, "symmetric"),
    ({"covariance": 2 - np.eye(25), "k": 3}, "eigenvalue"),
]


@pytest.mark.parametrize("ask, message", MISTAKES)
def test_mistakes(spots, ask, message):
    with pytest.raises(ValueError, match=message):
        covary.place(spots, **ask)


@pytest.mark.parametrize(
    "candidates, ask, message",
    [
        (None, {"kernel": KERNEL, "k": 1}, "the coordinates of the places are needed"),
        (None, {"history": np.ones((3, 2)), "k": 1, "names": ["a"]}, "names: 1 for 2 places"),
        (None, {"covariance": np.eye(2), "k": 1, "min_distance": 2.0}, "min_distance needs the coordinates"),
        (np.zeros((0, 2)), {"kernel": KERNEL, "k": 1}, "expected 1 place or more, found none"),
        (None, {"covariance": np.zeros((0, 0)), "k": 1}, "expected 1 place or more, found none"),
        (["a", "b"], {"kernel": KERNEL, "k": 1}, r"candidates\[0\] holds text"),
        (Frame({"x": np.arange(3.0)}), {"kernel": KERNEL, "k": 1, "costs": "y", "budget": 1}, "no column 'y'"),
        (
            Frame({"x": np.arange(3.0), "no": np.array(["a", "b", "c"])}),
            {"kernel": KERNEL, "k": 1, "forbidden": "no"},
            "yes or no, true or false, 1 or 0, found 'a'",
        ),
    ],
)
def test_mistakes_about_candidates(candidates, ask, message):
    with pytest.raises(ValueError, match=message):
        covary.place(candidates, **ask)


@pytest.mark.parametrize("criterion", ["entropy", "variance", "mutual-information", "max-variance"])
def test_a_model_that_knows_most_of_the_places(spots, criterion):
    exact = covary.GP("4 * se(lengthscale=3)", "zero", noise=1e-10).fit(spots[:20], spots[:20, 0])
    p = covary.place(spots, 2, criterion, model=exact)
    assert len(p.indices) == 2 and np.isfinite(p.gains).all()


def test_mistakes_about_models(spots, model):
    with pytest.raises(ValueError, match="candidates: expected 2 columns, as the model has, found 1"):
        covary.place(spots[:, :1], 2, model=model)
    with pytest.raises(ValueError, match="draws needs one model, not several"):
        covary.place(spots, 2, model=[model, model], draws=2)


def test_a_place_without_readings_is_named(readings):
    log = Frame({f"s{i}": readings[:, i] for i in range(25)})
    with pytest.raises(ValueError, match="history: no column for the place 's99', did you mean 's9'"):
        covary.place(np.zeros((2, 1)), 1, history=log, names=["s0", "s99"])


@needs_signals
def test_ctrl_c_stops_a_search(spots):
    many = np.random.default_rng(1).uniform(0, 30, (1200, 2))
    interrupted(lambda: covary.place(many, 60, "max-variance", kernel=KERNEL, nugget=0.1, refine=True))
