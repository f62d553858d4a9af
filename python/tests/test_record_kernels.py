"""Every kernel over records: the command, Python and a file that was saved and loaded give the same bits."""
import numpy as np
import pytest

import covary

N = 18
GRAPHS = ['{"nodes":["C","O"],"edges":[[0,1]]}', '{"nodes":["C","C","O"],"edges":[[0,1],[1,2]]}', '{"nodes":["C"],"edges":[]}']
EDGES = [("a", "b"), ("b", "c"), ("c", "d")]
KERNELS = {
    "category(correlation=0.4)": "code", "ordinal(spacing=0.7)": "code", "category_pairs(rank=1)": "code",
    "spectrum(k=2)": "text", "spectrum(k=1..2, normalized=no)": "text",
    "spectrum(k=1..3, measure=minmax)": "text", "mismatch(k=2, m=1, alphabet=dna)": "text",
    "subsequence(n=2, decay=0.3)": "text", "hamming(lengthscale=3)": "text", "substitution(matrix=blosum62, lengthscale=2)": "text",
    "jaccard()": "parts", "minmax()": "parts", "intersection()": "parts",
    "weisfeiler_lehman(h=2)": "graph", "weisfeiler_lehman(h=2, measure=minmax)": "graph", "shortest_path()": "graph",
    "random_walk(decay=0.2)": "graph", "diffusion(beta=0.5)": "node", "graph_matern(nu=2, kappa=1.5)": "node",
    "circular(lengthscale=20)": "angle", "sphere_se(lengthscale=900)": "place", "sphere_matern12(lengthscale=900)": "place",
    "sphere_matern32(lengthscale=900 km)": "place", "sphere_matern52(lengthscale=8 degrees)": "place",
}


def cells():
    draws = np.random.default_rng(1)
    letters = np.array(list("ACGT"))
    return {
        "code": [("low", "mid", "high")[i % 3] for i in range(N)],
        "text": ["".join(letters[draws.integers(0, 4, 6)]) for _ in range(N)],
        "parts": [("a;b", "b;c", "a;b;c")[i % 3] for i in range(N)],
        "graph": [GRAPHS[i % 3] for i in range(N)],
        "node": ["abcd"[i % 4] for i in range(N)],
        "angle": [float(20 * i) for i in range(N)],
        "lat": [float(3 * i - 20) for i in range(N)],
        "lon": [float(7 * i) for i in range(N)],
    }


@pytest.mark.parametrize("kernel", KERNELS)
def test_same_bits(kernel, command, tmp_path):
    pandas = pytest.importorskip("pandas")
    names = {"place": ["lat", "lon"]}.get(KERNELS[kernel], [KERNELS[kernel]])
    frame = pandas.DataFrame(cells())[names]
    y = np.sin(np.arange(N)) + 2
    data = tmp_path / "data.csv"
    frame.assign(y=y).to_csv(data, index=False, sep="|")
    edges = tmp_path / "edges.csv"
    edges.write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in EDGES))
    on = f"on({names[0]}, {kernel})" if len(names) == 1 else f"on([{', '.join(names)}], {kernel})"
    nodes = names == ["node"]
    types = {"text": "text"} if names == ["text"] else {}
    command("fit", data, "-t", "y", "-f", ",".join(names), "-k", on, "--noise", 0.1, "--starts", 1, "-q", "-o", tmp_path / "m.json",
            *(["--graph", edges] if nodes else []), *(["--type", "text=text"] if types else []))
    theirs = covary.load(tmp_path / "m.json")
    ours = covary.GP(on, noise=0.1, starts=1, types=types or None, graph=EDGES if nodes else None).fit(frame, y)
    ours.save(tmp_path / "ours.covary")
    again = covary.load(tmp_path / "ours.covary")
    for name in ("mean", "sd"):
        expected = np.asarray(getattr(ours.predict(frame), name))
        for model in (theirs, again):
            assert np.array_equal(np.asarray(getattr(model.predict(frame), name)), expected), name
