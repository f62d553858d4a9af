"""GPyTorch's SGPR on a set of bench/inducing.cc: Matern-5/2 ARD, constant mean, inducing points learned, Adam.

    inducing_gpytorch.py --data DATA --set protein --points 512 --steps 100 --out result.json
"""
import argparse
import gzip
import json
import math
import os
import resource
import time

import gpytorch
import numpy as np
import torch


def table(path):
    with gzip.open(path, "rt") as lines:
        return np.loadtxt(lines, delimiter=",", ndmin=2)


def split(data, name):
    rows = table(os.path.join(data, "uci", name + ".csv.gz"))
    test = table(os.path.join(data, "uci_masks", name + ".test_mask.csv.gz"))[:, 0] != 0
    deviation = rows[~test].std(axis=0)
    rows = (rows - rows[~test].mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return torch.tensor(rows[~test]), torch.tensor(rows[test])


class Sparse(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood, points):
        super().__init__(x, y, likelihood)
        kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=x.shape[1]))
        chosen = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))[:points]
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.InducingPointKernel(kernel, x[chosen].clone(), likelihood)

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data"), options.add_argument("--set"), options.add_argument("--out")
    options.add_argument("--points", type=int), options.add_argument("--steps", type=int)
    o = options.parse_args()
    torch.set_default_dtype(torch.float64)
    train, test = split(o.data, o.set)
    x, y = train[:, :-1].contiguous(), train[:, -1].contiguous()
    begin, cpu_begin = time.time(), time.process_time()
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Sparse(x, y, likelihood, o.points)
    model.train(), likelihood.train()
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    loss = None
    for _ in range(o.steps):
        optimizer.zero_grad()
        loss = -evidence(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval(), likelihood.eval()
    with torch.no_grad():
        prediction = likelihood(model(test[:, :-1].contiguous()))
    mean, variance, off = prediction.mean, prediction.variance, test[:, -1] - prediction.mean
    seconds = time.time() - begin
    del mean
    result = {
        "seconds": seconds,
        "cpu_seconds": time.process_time() - cpu_begin,
        "bound": -loss.item() * len(y),
        "rmse": off.square().mean().sqrt().item(),
        "nlpd": (0.5 * (torch.log(2 * math.pi * variance) + off.square() / variance)).mean().item(),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    with open(o.out, "w") as out:
        json.dump(result, out)


main()
