"""Frames with columns of several types, and lists of texts, sets and graphs: read as the command reads a table."""

import copy
import datetime
import json
import pickle
import warnings
from collections import Counter

import numpy as np
import pytest
from conftest import WAYS, same_bits

import covary

KERNEL = "on([when, temp], matern52()) * on(metal, category()) + on(sequence, spectrum(k=2)) + on(parts, minmax())"
METALS = ["Ni", "Pd", "Pt"]
N = 36


def columns():
    """Plain lists: dates, numbers, booleans, categories, texts, sets, and what they give."""
    rng = np.random.default_rng(3)
    first = datetime.date(2021, 12, 20)
    out = {
        "when": [first + datetime.timedelta(days=3 * i) for i in range(N)],
        "temp": rng.uniform(0, 2, N).round(3).tolist(),
        "open": [bool(i % 3) for i in range(N)],
        "metal": [METALS[i % 3] for i in range(N)],
        "sequence": ["".join(rng.choice(list("ACGT"), 7)) for _ in range(N)],
        "parts": [sorted(rng.choice(list("abcde"), 2, replace=False).tolist()) for _ in range(N)],
    }
    y = np.sin(3 * np.array(out["temp"])) + np.array([0.0, 0.5, 2.0])[np.arange(N) % 3] + 0.1 * rng.standard_normal(N)
    return out, y


def pandas_frame(data):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data)
    return frame.assign(when=pandas.to_datetime(frame["when"]))


def polars_frame(data):
    return pytest.importorskip("polars").DataFrame(data)


def arrow_frame(data):
    return pytest.importorskip("pyarrow").table(data)


FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": arrow_frame}


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param](columns()[0])


@pytest.fixture(scope="module")
def typed():
    """A model of all types of columns, and what it was fitted to."""
    data, y = columns()
    return covary.GP(KERNEL, starts=2).fit(pandas_frame(data), y), pandas_frame(data), y


def write_table(path, data, y):
    cells = [*data.items(), ("y", y.tolist())]
    rows = [",".join(name for name, _ in cells)]
    words = {list: ";".join, bool: lambda v: "yes" if v else "no"}
    for i in range(len(y)):
        rows.append(",".join(words.get(type(v[i]), str)(v[i]) for _, v in cells))
    path.write_text("\n".join(rows) + "\n")


# ------------------------------------------------------------------------------------------------------------ types


def test_types_are_those_of_the_columns(frame):
    _, y = columns()
    model = covary.GP(KERNEL, starts=1).fit(frame, y)
    words = model.types_
    assert words["when"] == "date from 2021-12-20 to 2022-04-04, in days"
    assert (words["temp"], words["open"], words["metal"]) == ("number", "boolean", "category of 3 levels")
    assert words["sequence"].startswith("text, ") and words["parts"].startswith("set, ")
    assert all(w in model.summary for w in words.values())


def test_every_frame_gives_the_same_bits(frame, typed):
    _, y = columns()
    model = covary.GP(KERNEL, starts=2).fit(frame, y)
    assert same_bits(model.predict(frame).mean, typed[0].predict(typed[1]).mean)
    assert same_bits(typed[0].predict(frame).mean, typed[0].predict(typed[1]).mean)


def test_columns_go_by_name_in_any_order(typed):
    model, data, _ = typed
    turned = data[data.columns[::-1]].assign(other=1)
    assert same_bits(model.predict(turned).sd, model.predict(data).sd)


def encoded(column, **more):
    """The only column of a model as numbers."""
    pandas = pytest.importorskip("pandas")
    n = len(column)
    gp = covary.GP(more.pop("kernel", None), noise=0.1, starts=1, **more)
    return gp.fit(pandas.DataFrame({"c": column}), np.arange(n))._learned()


def test_dates_are_days_and_times_are_seconds():
    pandas = pytest.importorskip("pandas")
    days = pandas.to_datetime(["1970-01-01", "1970-01-03", "1969-12-31"])
    assert encoded(days).x.ravel().tolist() == [0, 2, -1]
    times = pandas.to_datetime(["1970-01-01 00:00:00", "1970-01-01 00:00:01.250", "1970-01-02"], format="mixed")
    assert encoded(times).x.ravel().tolist() == [0, 1.25, 86400]
    zoned = encoded(pandas.Series(times).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    assert zoned.x.ravel().tolist() == [0, 1.25, 86400]
    assert encoded(days, types={"c": "datetime"}).x.ravel().tolist() == [0, 172800, -86400]
    assert encoded([datetime.date(1970, 1, d) for d in (1, 2, 9)]).x.ravel().tolist() == [0, 1, 8]
    text = encoded(["01.02.1970", "13.02.1970", "02.01.1970"])
    assert text.x.ravel().tolist() == [31, 43, 1] and text.schema.types == ["date"]


def test_polars_dates_and_times():
    polars = pytest.importorskip("polars")
    times = [datetime.datetime(1970, 1, d) for d in (1, 2, 3)]
    frame = polars.DataFrame({"day": [t.date() for t in times], "time": times})
    model = covary.GP("se(lengthscale=1)", noise=0.1).fit(frame, [1, 2, 3])._learned()
    assert model.schema.types == ["date", "datetime"] and model.x[2].tolist() == [2, 172800]


def test_levels_are_sorted_unless_they_have_an_order():
    pandas = pytest.importorskip("pandas")
    sizes = ["small", "large", "medium", "small"]
    assert encoded(pandas.Categorical(sizes)).x.ravel().tolist() == [2, 0, 1, 2]
    order = ["small", "medium", "large"]
    ordered = pandas.Categorical(sizes, order, ordered=True)
    for column, type_ in [(ordered, None), (sizes, order), (sizes, "category(small, medium, large)")]:
        model = encoded(column, types=type_ and {"c": type_})
        assert model.x.ravel().tolist() == [0, 2, 1, 0] and model.schema.types == ["category"]
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"c": polars.Series(sizes, dtype=polars.Enum(order))})
    assert covary.GP(noise=0.1, starts=1).fit(frame, range(4))._learned().x.ravel().tolist() == [0, 2, 1, 0]
    frame = polars.DataFrame({"c": polars.Series(sizes, dtype=polars.Categorical)})
    assert covary.GP(noise=0.1, starts=1).fit(frame, range(4))._learned().x.ravel().tolist() == [2, 0, 1, 2]


def test_categories_of_numbers_are_categories_and_types_says_otherwise():
    pandas = pytest.importorskip("pandas")
    column = pandas.Categorical([10, 2, 10, 7.5])
    model = encoded(column)
    assert model.schema.types == ["category"] and model.x.ravel().tolist() == [2, 0, 2, 1]
    assert [model.schema.text(0, c) for c in range(3)] == ["2", "7.5", "10"]
    assert encoded(column, types={"c": "number"}).schema is None
    assert encoded([10, 2, 10, 7], types={"c": "category"}).x.ravel().tolist() == [2, 0, 2, 1]


def test_few_texts_are_a_category_and_many_are_text():
    assert encoded(["a", "b", "a", "b"]).schema.types == ["category"]
    assert encoded(["a", "b", "c", "a"]).schema.types == ["text"]
    assert encoded(["a", "b", "a", "b"], types={"c": "text"}).schema.types == ["text"]
    assert encoded(["yes", "no", "no"]).schema.types == ["boolean"]


SETS = [[["a", "b"], ["b"], []], [{"a", "b"}, {"b"}, set()], ["a;b", "b", "[]"], [("b", "a"), ("b",), ()]]


@pytest.mark.parametrize("cells", SETS)
def test_lists_and_sets_are_sets(cells):
    model = encoded(cells, types={"c": "set"})
    assert [model.schema.text(0, v) for v in model.x[:2, 0]] == ["a;b", "b"]


def test_counters_are_weighted_sets():
    counts = [Counter("aab"), Counter("b"), {"c": 0.5, "a": 0}]
    model = encoded(counts)
    assert model.schema.types == ["set"]
    assert [model.schema.text(0, v) for v in model.x[:, 0]] == ["a:2;b:1", "b", "c:0.5"]
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"c": [{"a": 2.0, "b": 1.0, "c": None}, {"b": 1.0}, {"a": 0.0, "c": 0.5}]})
    again = covary.GP(noise=0.1, starts=1).fit(frame, range(3))._learned()
    assert [again.schema.text(0, v) for v in again.x[:, 0]] == ["a:2;b:1", "b", "c:0.5"]
    assert same_bits(covary.minmax().cross(counts), covary.minmax().cross([["a", "a", "b"], ["b"], {"c": 0.5}]))


def test_missing_cells_may_be_a_level():
    model = encoded(["b", None, "a", "a"], types={"c": "category(NA)"})
    assert [model.schema.text(0, v) for v in model.x[:, 0]] == ["b", "NA", "a", "a"]


def test_numbers_alone_have_no_schema():
    pandas = pytest.importorskip("pandas")
    data, y = columns()
    x = data["temp"]
    gp = covary.GP(starts=1).fit(pandas.DataFrame({"temp": x}), y)
    assert gp._learned().schema is None and gp.types_ == {}
    assert same_bits(gp.predict(np.array(x)).mean, covary.GP("matern52()", starts=1).fit(x, y).predict(x).mean)


# ---------------------------------------------------------------------------------------------------- lists as X


def test_a_list_of_texts():
    data, y = columns()
    texts = data["sequence"]
    model = covary.GP(covary.spectrum(k=2), noise=0.1).fit(texts, y)
    k = covary.spectrum(k=2)
    assert model.features == ["x1"]
    prior = covary.GP(covary.fixed(1.0 * k), "zero", 0.1).condition(texts, y)
    K = k.cross(texts)
    expected = k.cross(texts[:5], texts) @ np.linalg.solve(K + 0.1 * np.eye(N), y)
    np.testing.assert_allclose(prior.predict(texts[:5]).mean, expected, rtol=1e-9)
    again = covary.GP(k, noise=0.1).fit(np.array(texts), y)
    assert same_bits(again.predict(texts).mean, model.predict(np.array(texts, object)).mean)
    assert covary.GP(k, noise=0.1).fit(["a", "b"] * 5, range(10))._learned().schema.types == ["text"]


def test_a_series_keeps_its_name():
    pandas = pytest.importorskip("pandas")
    data, y = columns()
    model = covary.GP("spectrum(k=2)", noise=0.1).fit(pandas.Series(data["sequence"], name="dna"), y)
    assert model.features == ["dna"] and str(model.kernel_).endswith("on(dna, spectrum(k=2))")


def test_lists_of_sets_and_their_default_kernel():
    data, y = columns()
    model = covary.GP().fit([set(p) for p in data["parts"]], y)
    assert "minmax()" in str(model.kernel_)
    assert same_bits(model.predict([{"a", "b"}]).mean, model.predict([Counter("ab")]).mean)


GRAPHS = [
    (["C", "C", "O"], [(0, 1), (1, 2)]),
    (["C", "O"], [(0, 1)]),
    (["C", "C", "C"], [(0, 1), (1, 2), (0, 2, "double")]),
    (["N"], []),
]


def test_lists_of_graphs():
    k = covary.weisfeiler_lehman(h=2)
    dicts = [{"nodes": n, "edges": e} for n, e in GRAPHS]
    texts = [json.dumps(d) for d in dicts]
    assert same_bits(k.cross(GRAPHS), k.cross(dicts)) and same_bits(k.cross(GRAPHS), k.cross(texts))
    assert np.allclose(np.diag(k.cross(GRAPHS)), k.diag(GRAPHS))
    models = [covary.GP(k, noise=0.1).fit(g, range(4)) for g in (GRAPHS, dicts)]
    assert same_bits(*(m.predict(GRAPHS).mean for m in models))
    assert models[0]._learned().schema.types == ["graph"]
    assert covary.GP("shortest_path()", noise=0.1).fit([(3, [(0, 1)]), (2, [])], [1, 2]).fitted


def test_graphs_of_networkx_are_pairs_of_nodes_and_edges():
    networkx = pytest.importorskip("networkx")
    graphs = []
    for labels, edges in GRAPHS:
        graph = networkx.Graph()
        graph.add_nodes_from((f"n{i}", {"label": label}) for i, label in enumerate(labels))
        graph.add_edges_from((f"n{e[0]}", f"n{e[1]}", {"label": e[2]} if len(e) > 2 else {}) for e in edges)
        graphs.append(graph)
    k = covary.weisfeiler_lehman(h=2)
    assert same_bits(k.cross(graphs), k.cross(GRAPHS))
    assert same_bits(*(covary.GP(k, noise=0.1).fit(g, range(4)).predict(GRAPHS).mean for g in (graphs, GRAPHS)))
    with pytest.raises(ValueError, match=r"^X\[0\]: expected an undirected graph, found a directed one"):
        covary.GP(k).fit([networkx.DiGraph([(1, 2)])], [1.0])


EDGES = [("a", "b"), ("b", "c", 2.0), ("c", "d"), ("d", "e", 0.5)]


WEIGHTED = [(*e, 1.0)[:3] for e in EDGES]


def on_nodes(graph):
    return covary.GP("graph_matern()", noise=0.01, graph=graph).fit(["a", "b", "e"], [1.0, 2.0, 5.0])


def test_networks_of_networkx_are_lists_of_edges():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from(WEIGHTED)
    assert same_bits(on_nodes(graph).predict(["c", "d"]).mean, on_nodes(EDGES).predict(["c", "d"]).mean)
    with pytest.raises(ValueError, match="graph: expected an undirected graph"):
        on_nodes(networkx.DiGraph([("a", "b")]))


def test_nodes_of_a_network():
    pandas = pytest.importorskip("pandas")
    models = [on_nodes(EDGES), on_nodes(pandas.DataFrame(WEIGHTED, columns=["from", "to", "weight"]))]
    assert models[0]._learned().schema.types == ["node"]
    assert same_bits(*(m.predict(["c", "d"]).mean for m in models))
    with pytest.raises(ValueError, match=r"^X\[1\]: expected a node of the network, found 'z'"):
        models[0].predict(["a", "z"])
    with pytest.raises(ValueError, match="column 'x1' holds nodes: graph="):
        covary.GP(types={"x1": "node"}).fit(["a", "b"], [1, 2])
    for edges, message in [
        ([("a",)], "graph: edge 1: expected from, to and perhaps a weight, found"),
        ([("a", "b"), "bc"], "graph: edge 2: expected from, to and perhaps a weight, found 'bc'"),
        ([("a", "b"), ("b", "a")], "edge 2"),
        ([("a", "b", -1)], "edge 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            covary.GP(graph=edges).fit(["a", "b"], [1, 2])
    with pytest.raises(ValueError, match="no column holds nodes of the network"):
        covary.GP(graph=EDGES).fit([0.5, 1.5], [0.0, 1.0])
    numbered = covary.GP("graph_matern()", noise=0.01, graph=[(1, 2), (2.0, 3)]).fit([1, 2], [0.0, 1.0])
    assert numbered._learned().schema.types == ["node"] and numbered.predict([3]).mean.shape == (1,)


# ------------------------------------------------------------------------------------------------------- kernels


def test_every_kernel_is_a_function_and_composes():
    both = covary.on("temp", covary.se(lengthscale=2)) * covary.on("metal", covary.category())
    k = covary.on("sequence", covary.spectrum(k=3)) + both
    assert str(k) == "on(sequence, spectrum(k=3)) + on(temp, se(lengthscale=2)) * on(metal, category())"
    assert str(2 * covary.spectrum() + 1) == "2 * spectrum() + 1" and str(1 + covary.spectrum()) == "1 + spectrum()"
    assert str((covary.spectrum() + covary.se()) * 3) == "(spectrum() + se()) * 3"
    assert str(covary.se() * covary.spectrum()) == "se() * spectrum()"
    assert str(sum([covary.spectrum(), covary.hamming()])) == "spectrum() + hamming()"
    assert k == covary.parse(str(k)) and hash(k) == hash(covary.parse(str(k)))
    assert k != covary.spectrum() and repr(pickle.loads(pickle.dumps(k))) == repr(k) and copy.copy(k) == k
    assert str(covary.fixed(covary.spectrum(k=2))) == "fixed(spectrum(k=2))"
    assert str(covary.periodic(period="1 year")) == "periodic(period=1 year)"
    assert str(covary.spectrum(k="1..3")) == "spectrum(k=1..3)"
    for entry in covary._covary.registry():
        assert callable(getattr(covary, entry["name"])) and entry["formula"] in getattr(covary, entry["name"]).__doc__


def test_kernels_and_expressions_are_the_same(typed):
    _, data, y = typed
    objects = covary.on(["when", "temp"], covary.matern52()) * covary.on("metal", covary.category())
    objects = objects + covary.on("sequence", covary.spectrum(k=2)) + covary.on("parts", covary.minmax())
    assert str(objects) == KERNEL
    assert same_bits(covary.GP(objects, starts=2).fit(data, y).predict(data).mean, typed[0].predict(data).mean)


def test_units_of_dates(typed):
    _, data, y = typed
    year = covary.GP("on(when, periodic(lengthscale=1, period=fixed(1 year)))", noise=0.1, starts=1).fit(data[["when"]], y)
    assert next(p["value"] for p in year.parameters if "period" in p["name"]) == 365.2425


WRONG = {
    "no kernel is named 'spektrum', did you mean 'spectrum'": lambda: covary.GP("on(c, spektrum())"),
    "spectrum has no parameter 'n'": lambda: covary.GP("spectrum(n=2)"),
    "k must be a whole number or a range of them, from 1 to 14, found 0": lambda: covary.spectrum(k=0),
    "reads columns by their types": lambda: covary.on("a", covary.spectrum()).cross(["a"]),
    r"a\[1\]: graph: edge 1": lambda: covary.weisfeiler_lehman().cross([(2, []), (2, [(0, 5)])]),
    "spectrum: k: expected a number or a list of numbers": lambda: covary.spectrum(k=object()),
    "subsequence: decay: expected a number or a list of numbers, found 'a'": lambda: covary.subsequence(decay="a"),
}


@pytest.mark.parametrize("message", WRONG)
def test_kernels_that_cannot_be(message):
    with pytest.raises((ValueError, TypeError), match=message):
        WRONG[message]()


def test_a_default_kernel_reads_numbers_and_categories(typed):
    _, data, y = typed
    with pytest.warns(UserWarning, match=r"left out, not read by the kernel: sequence \(text\), parts \(set\)"):
        model = covary.GP(starts=1).fit(data, y)
    assert model.features == ["when", "temp", "open", "metal"]
    assert "on([when, temp, open], matern52(" in str(model.kernel_) and "on(metal, category(" in str(model.kernel_)
    assert repr(model).startswith("GP(kernel='matern52() * category()'")


# ------------------------------------------------------------------------------------------- the verbs, and files


@pytest.mark.parametrize("way", WAYS)
def test_models_are_kept(typed, way, tmp_path):
    model, data, _ = typed
    back = WAYS[way](model, tmp_path)
    assert same_bits(back.predict(data).mean, model.predict(data).mean)
    assert back.types_ == model.types_ and back.features == model.features


@pytest.fixture
def files(tmp_path, command):
    data, y = columns()
    write_table(tmp_path / "data.csv", data, y)
    command("fit", tmp_path / "data.csv", "-t", "y", "-k", KERNEL, "--starts", 2, "-o", tmp_path / "model.json", "-q")
    return tmp_path


def test_the_command_gives_the_same_bits(files, command, typed):
    model, data, y = typed
    theirs = covary.load(files / "model.json")
    assert theirs.types_ == model.types_
    for name in ("mean", "sd"):
        assert same_bits(getattr(theirs.predict(data), name), getattr(model.predict(data), name))
    model.save(files / "python.json")
    command("predict", files / "python.json", files / "data.csv", "-o", files / "ours.csv", "-q")
    command("predict", files / "model.json", files / "data.csv", "-o", files / "theirs.csv", "-q")
    assert (files / "ours.csv").read_text() == (files / "theirs.csv").read_text()
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(files / "ours.csv", float_precision="round_trip")
    assert same_bits(table["mean"], model.predict(data).mean)
    assert same_bits(table["mean"], model.predict(table).mean)  # texts of a table as they stand


def test_model_files_differ_in_the_name_of_the_data_alone(files, typed):
    typed[0].save(files / "python.json")
    theirs, ours = (json.loads((files / f).read_text())["model"] for f in ("model.json", "python.json"))
    ours["asked"].pop("data"), theirs["asked"].pop("data"), theirs["data"].pop("rows")
    for schema in (ours["schema"], theirs["schema"]):  # texts get codes as they come
        for column in schema:
            column["values"] = column.get("values", [])[:N]
    assert ours == theirs


def test_all_verbs_read_records(typed):
    model, data, y = typed
    few, rest = data.iloc[:20], data.iloc[20:]
    part = covary.GP(str(model.kernel_), noise=0.05, starts=1).fit(few, y[:20])
    assert part.sample(rest, 3).shape == (16, 3) and part.joint(rest).mean.shape == (16,)
    assert np.isfinite(part.score(rest, y[20:])) and part.check(rest, y[20:]).n == 16
    kernel = str(covary.fixed(part.kernel_))
    both = covary.GP(kernel, noise=0.05).fit(few, y[:20]).tell(rest, y[20:])
    whole = covary.GP(kernel, noise=0.05).fit(data, y)
    np.testing.assert_allclose(both.predict(data).mean, whole.predict(data).mean, rtol=1e-8)
    prior = covary.GP(kernel, "zero", 0.05)
    assert prior.sample(few, 2).shape == (20, 2) and prior.condition(few, y[:20]).predict(rest).mean.shape == (16,)
    chosen = covary.suggest(part, rest, 3)
    pool = covary.Pool(part, rest)
    assert chosen.indices.tolist() == pool.suggest(3).indices.tolist()
    pool.tell(chosen.indices, y[20:][chosen.indices])
    dated = covary.GP("se(lengthscale=1)", noise=0.1).fit(few[["when", "temp"]], y[:20])
    assert covary.Stream(dated, budget=5, length=16, start=1).offer(rest.iloc[:1]).ask
    ridge = covary.KernelRidge(KERNEL, penalty=0.1, starts=1).fit(data, y)
    assert np.isfinite(ridge.predict(rest).mean).all()
    curve = covary.replay(data, y, ["random"], budget=18, repeats=1, kernel=KERNEL, noise=0.1)
    assert np.isfinite(curve.curves[0].last_error)


def test_placement_of_records():
    nodes = ["a", "b", "c", "d", "e"]
    model = covary.GP("graph_matern()", noise=0.1, graph=EDGES).fit(["a", "e"], [0.0, 1.0])
    placed = covary.place(nodes, 2, model=model, existing=["a"])
    assert set(placed.names) <= set(nodes) - {"a"} and placed.table()["x1"] == placed.names
    pandas = pytest.importorskip("pandas")
    ask = {"k": 2, "kernel": "graph_matern(nu=2, kappa=1)", "graph": EDGES, "noise": 0.01}
    frame = pandas.DataFrame({"node": nodes, "price": 1.0})
    assert covary.place(nodes, **ask).names == covary.place(frame, **ask, coordinates=["node"]).names
    with pytest.raises(ValueError, match="types and graph need a kernel"):
        covary.place(nodes, 2, covariance=np.eye(5), graph=EDGES)


def test_pictures_have_dates_on_their_axes(typed):
    pytest.importorskip("matplotlib").use("Agg")
    model, data, y = typed
    dated = covary.GP("se(lengthscale=30)", noise=0.1).fit(data[["when"]], y)
    ax = dated.plot(points=20)
    ax.figure.canvas.draw()
    assert any("2022" in t.get_text() for t in ax.get_xticklabels()) and ax.get_xlim()[0] < dated._learned().x[0, 0]
    with pytest.raises(ValueError, match="plot: expected columns of numbers and dates, column 'metal' holds a category"):
        model.plot()


def test_classifiers_read_records():
    data, _ = columns()
    label = [s.count("A") > 1 for s in data["sequence"]]
    machine = covary.Classifier(covary.spectrum(k=1)).fit(data["sequence"], label)
    assert machine.score(data["sequence"], label) == 1
    back = pickle.loads(pickle.dumps(machine))
    assert (back.decision(data["sequence"]) == machine.decision(data["sequence"])).all()
    with pytest.raises(ValueError, match="a classifier file holds columns of numbers alone"):
        machine.save("x.json")


def test_linear_models_read_dates(typed):
    pandas = pytest.importorskip("pandas")
    _, data, y = typed
    ridge = covary.Ridge(0.1).fit(data[["when", "temp", "open"]], y)
    days = (data["when"] - pandas.Timestamp("1970-01-01")).dt.days
    plain = covary.Ridge(0.1).fit(pandas.DataFrame({"when": days, "temp": data["temp"], "open": data["open"] * 1.0}), y)
    assert same_bits(ridge.predict(data).mean, plain.predict(data[["when", "temp", "open"]].assign(when=days)).mean)
    with pytest.raises(ValueError, match=r"X: column 'metal' holds text \('Ni'\), expected numbers"):
        covary.Ridge(0.1).fit(data[["when", "metal"]], y)


# ------------------------------------------------------------------------------------------- warnings and errors


def test_unseen_categories_are_told_and_predicted(typed):
    model, data, _ = typed
    new = data.iloc[:2].assign(metal=["Ag", "Au"])
    words = "column 'metal' of X has 2 categories that the model has not seen: Ag, Au; each"
    with pytest.warns(UserWarning, match=words) as told:
        p = model.predict(new)
    assert told[0].filename == __file__
    assert (p.sd > model.predict(data.iloc[:2]).sd).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(data)


def refused(change, message, **more):
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"t": range(4), "c": ["a", "b", "a", "b"]}, index=list("pqrs"))
    with pytest.raises((ValueError, TypeError), match=message):
        covary.GP(more.pop("kernel", None), noise=0.1, starts=1, **more).fit(data.assign(**change), range(4))


NO_DATE = ["2021-01-05", "2021-02-30", "2021-01-02", "2021-01-01"]
NO_GRAPH = [(2, [(0, 1)]), (2, [(0, 2)]), (1, []), (1, [])]
MOST = r"^X: column 'c' holds text \('1'\), and most of its cells are numbers: convert it, or types=\{'c'"
TYPO = "types: expected the type of column 'c' as 'date.dmy.', found the type 'categry', did you mean 'category'"


def test_what_cannot_be_is_named_by_column_and_row():
    where = "^X: column 'c', index 'q': "
    refused({"c": ["a", None, "a", "a"]}, where + "expected a category, found (None|nan); leave")
    refused({"t": [1, np.nan, 2, 3]}, "^X: column 't', index 'q': expected a finite number, found nan")
    refused({"c": NO_DATE}, where + "'2021-02-30' is no date")
    refused({"c": ["01/02/2021", "02/03/2021"] * 2}, r"'01/02/2021' may begin .*types=\{'c': 'date\(dmy\)'\}")
    refused({"c": [{"a"}, 3, {"b"}, {"a"}]}, where + r"expected a set, found 3 \(int\)")
    refused({"c": NO_GRAPH}, where + "graph: edge 1 .*there is no node 2", kernel="on(c, weisfeiler_lehman())")
    refused({"c": list("1234")}, MOST)
    refused({"c": ["a", 3, "b", "a"]}, where + r"expected text, found 3 \(int\)")
    refused({}, "types: X has no column 'cc', did you mean 'c'", types={"cc": "category"})
    refused({}, TYPO, types={"c": "categry"})
    refused({}, "types: expected text or a list of levels for column 'c'", types={"c": 3})
    refused({}, "types: expected a dict", types=["c"])
    refused({}, "index 'q': expected one of the levels a, z, found 'b'", types={"c": ["a", "z"]})
    refused({}, "se reads numbers, and column 'c' holds categories, which category", kernel="on(c, se())")
    refused({}, "spectrum reads text", kernel="on(t, spectrum())")


def test_what_a_kernel_cannot_read_is_named_by_its_row():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"^X\[1\]: substitution: the letters of a protein are .* found '1' at position 3"):
        covary.GP("substitution()", noise=0.1).fit(["MKV", "MK1", "MAV"], [1, 2, 3])
    frame = pandas.DataFrame({"s": ["AC", "ACG"], "t": [1.0, 2.0]}, index=["p", "q"])
    with pytest.raises(ValueError, match="^X: column 's', index 'q': hamming: sequences must be aligned"):
        covary.GP("on(s, hamming()) + on(t, se())", noise=0.1, types={"s": "text"}).fit(frame, [1, 2])
    model = covary.GP("hamming(lengthscale=2)", noise=0.1).fit(["MKV", "MAV", "MKK"], [1, 2, 3])
    with pytest.raises(ValueError, match=r"^X\[1\]: hamming: sequences must be aligned"):
        model.predict(["MKV", "MKVV"])


def test_thousands_of_categories_are_told():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"c": [f"k{i % 1050}" for i in range(1100)]})
    with pytest.warns(UserWarning, match="column 'c' has 1050 categories in 1100 rows, 1.0 rows each"):
        covary.GP("category(correlation=0.5)", "zero", 0.1, types={"c": "category"}).fit(frame, np.zeros(1100))


def test_later_rows_are_checked_too(typed):
    model, data, _ = typed
    for change, message in [
        ({"temp": "warm"}, r"^X: column 'temp' holds text \('warm'\), expected numbers"),
        ({"metal": [None] + ["Pt"] * (N - 1)}, "^X: column 'metal', index 0: expected a category, found (None|nan)"),
        ({"when": "soon"}, "^X: column 'when', index 0: expected a date as YYYY-MM-DD, found 'soon'"),
        ({"parts": "a:x:1;b"}, "^X: column 'parts', index 0: set: item 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.predict(data.assign(**change))
    with pytest.raises(ValueError, match="X has no column 'metal', which the model needs, did you mean 'metall'"):
        model.predict(data.rename(columns={"metal": "metall"}))
    with pytest.raises(ValueError, match="X: expected a frame with the columns when, temp, open, metal"):
        model.predict(np.zeros((2, 6)))
