"""GPyTorch's exact log marginal likelihood with its gradient on a GPU, Matern-5/2 ARD in double precision: seconds and memory.

evidence_gpytorch.py --rows 10000,20000 --columns 8 --out FILE
"""
import argparse
import json
import time

import gpytorch
import torch

a = argparse.ArgumentParser()
a.add_argument("--rows", required=True)
a.add_argument("--columns", type=int, default=8)
a.add_argument("--out", required=True)
a = a.parse_args()


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood, d):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=d))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def seconds(n):
    torch.manual_seed(1)
    x = torch.rand(n, a.columns, dtype=torch.float64, device="cuda")
    y = torch.sin(3 * x[:, 0]) + x[:, 1] ** 2 + 0.1 * torch.randn(n, dtype=torch.float64, device="cuda")
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double().cuda()
    model = Exact(x, y, likelihood, a.columns).double().cuda()
    model.train(), likelihood.train()
    log_marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    best = float("inf")
    with gpytorch.settings.fast_computations(log_prob=False, covar_root_decomposition=False, solves=False):
        for _ in range(3):
            model.zero_grad()
            torch.cuda.synchronize()
            begin = time.perf_counter()
            (-log_marginal(model(x), y)).backward()
            torch.cuda.synchronize()
            best = min(best, time.perf_counter() - begin)
    return best


out = {}
for n in map(int, a.rows.split(",")):
    torch.cuda.empty_cache(), torch.cuda.reset_peak_memory_stats()
    try:
        out[str(n)] = {"seconds": seconds(n), "gib": torch.cuda.max_memory_allocated() / 2**30}
    except torch.cuda.OutOfMemoryError:
        out[str(n)] = {"seconds": None, "gib": None}
with open(a.out, "w") as file:
    json.dump(out, file)
