"""A process with the Tanimoto (min/max) kernel on RDKit's Morgan counts in GPyTorch, on the splits of bench/molecules.cc.

    molecules_rdkit.py --data DATA --in splits.json --out result.json
"""
import argparse
import csv
import gzip
import json
import math
import os
import time

import gpytorch
import numpy as np
import torch
from rdkit import Chem, RDLogger
from rdkit.Chem import rdFingerprintGenerator


class Precomputed(gpytorch.kernels.Kernel):
    """Rows are numbers of molecules; their covariances were computed before."""

    def __init__(self, matrix):
        super().__init__()
        self.matrix = matrix

    def forward(self, a, b, diag=False, **_):
        i, j = a[:, 0].long(), b[:, 0].long()
        return self.matrix[i, j] if diag else self.matrix[i][:, j]


class Process(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood, matrix):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(Precomputed(matrix))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def tanimoto(counts):
    """sum min/sum max of every pair of rows, from the nonzero columns of each."""
    total = counts.sum(1)
    out = np.empty((len(counts), len(counts)))
    for i, row in enumerate(counts):
        at = np.nonzero(row)[0]
        low = np.minimum(counts[:, at], row[at]).sum(1)
        out[i] = low / (total + total[i] - low)
    return out


def learned(matrix, train, test, y):
    start = time.perf_counter()
    x = torch.arange(len(y), dtype=torch.float64)[:, None]
    mean, sd = y[train].mean(), y[train].std()
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = Process(x[train], torch.tensor((y[train] - mean) / sd), likelihood, matrix).double()
    model.train(), likelihood.train()
    mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=100, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = -mll(model(x[train]), model.train_targets)
        loss.backward()
        return loss

    with gpytorch.settings.fast_computations(False, False, False), gpytorch.settings.cholesky_max_tries(6):
        optimizer.step(closure)
        evidence = -closure().item() * len(train)
        seconds = time.perf_counter() - start
        model.eval(), likelihood.eval()
        with torch.no_grad():
            p = likelihood(model(x[test]))
    off = y[test] - mean - sd * p.mean.numpy()
    variance = sd * sd * p.variance.numpy()
    nlpd = 0.5 * (np.log(2 * math.pi * variance) + off**2 / variance).mean()
    return math.sqrt((off**2).mean()), nlpd, seconds, evidence


def main():
    parser = argparse.ArgumentParser()
    for name in ("--data", "--in", "--out"):
        parser.add_argument(name, required=True, dest={"--in": "source"}.get(name, name[2:]))
    o = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    asked = json.load(open(o.source))
    with gzip.open(os.path.join(o.data, "structured", asked["set"] + ".csv.gz"), "rt") as lines:
        rows = list(csv.DictReader(lines))[: asked["rows"]]
    y = np.array([float(r[asked["target"]]) for r in rows])
    morgan = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=4096)
    found = [morgan.GetCountFingerprint(Chem.MolFromSmiles(r["smiles"])).GetNonzeroElements() for r in rows]
    counts = np.zeros((len(rows), 4096))
    for i, f in enumerate(found):
        for bit, count in f.items():
            counts[i, bit] = count
    start = time.perf_counter()
    matrix = torch.tensor(tanimoto(counts))
    making = time.perf_counter() - start
    results = np.array([learned(matrix, a, b, y) for a, b in zip(asked["train"], asked["test"])])
    mean = results.mean(0)
    json.dump({"fingerprints": [";".join(f"{b}:{c}" for b, c in f.items()) for f in found],
               "rmse": mean[0], "nlpd": mean[1], "seconds": mean[2], "matrix_seconds": making,
               "evidence": mean[3]}, open(o.out, "w"))


if __name__ == "__main__":
    main()
