"""What notebooks show: escaped, without scripts, and nothing that is not known."""

import numpy as np
from test_frames import Frame

import covary


def test_a_model_shows_its_parameters_and_notes(data):
    X, y = data
    gp = covary.GP("se()", bounds={"noise": (0.5, 2)}).fit(Frame({"<i>a": X[:, 0], "b": X[:, 1]}), y)
    shown = gp._repr_html_()
    for p in gp.parameters:
        assert f"<td>{p['value']:.6g}</td>" in shown
    assert "&lt;i&gt;a" in shown and "<i>" not in shown and "<script" not in shown and "style" not in shown
    assert "at its bound" in shown and f"{gp.log_marginal_likelihood:.6g}" in shown


def test_a_model_that_has_not_learned_says_so():
    assert covary.GP("se()")._repr_html_().endswith("not fitted")


def test_a_model_of_the_command_is_shown_too(data, tmp_path, command):
    rows = [f"{a},{b},{c}" for (a, b), c in zip(*data)]
    (tmp_path / "d.csv").write_text("\n".join(["x1,x2,y", *rows]))
    command("fit", tmp_path / "d.csv", "--target", "y", "--model", "ridge", "-o", tmp_path / "m.json")
    assert "40 rows" in covary.load(tmp_path / "m.json")._repr_html_()


def test_a_row_of_each_sensor():
    shown = covary.place(np.arange(9.0), 3, kernel="se(lengthscale=1)", nugget=0.1)._repr_html_()
    assert shown.count("<tr>") == 4 and "three sensors among 9 candidates" in shown
