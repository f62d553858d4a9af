"""The kernels, made from the core's registry. Written by python/tools/stubs.py."""

from collections.abc import Callable, Sequence

from ._covary import Kernel as Kernel, RecordKernel as RecordKernel, parse as parse

AnyKernel = Kernel | RecordKernel
Value = float | str | Sequence[float] | None

def fixed(kernel: AnyKernel | float) -> AnyKernel:
    """The kernel, or a number, with nothing to learn. Every parameter must be given."""

def on(columns: str | int | Sequence[str | int], kernel: AnyKernel | str) -> AnyKernel:
    """The kernel on some columns only: names, or numbers from 1 as in expressions."""

def function(f: Callable, diag: Callable | None = None, *, name: str | None = None, **parameters: float) -> Kernel:
    """A function of two blocks as a kernel: f(A, B, **parameters) is n x m for n rows of A and m rows of B."""

def parsed(kernel: AnyKernel | str | None) -> AnyKernel | None:
    """A Kernel, that of an expression, or None. Raises TypeError for anything else."""

def as_kernel(kernel: AnyKernel | str | Callable | None) -> AnyKernel | str | None:
    """What a model takes as its kernel: a Kernel, an expression that can be read, a function made one, or None."""

def constant(variance: Value = None) -> Kernel:
    """an unknown level; a number in a sum is the same"""

def se(lengthscale: Value = None) -> Kernel:
    """very smooth functions"""

def matern12(lengthscale: Value = None) -> Kernel:
    """rough, continuous functions"""

def matern32(lengthscale: Value = None) -> Kernel:
    """functions with one derivative"""

def matern52(lengthscale: Value = None) -> Kernel:
    """functions with two derivatives"""

def rational_quadratic(lengthscale: Value = None, alpha: Value = None) -> Kernel:
    """smooth functions of many length-scales at once"""

def wendland(lengthscale: Value = None, smoothness: Value = None) -> Kernel:
    """functions with one or two derivatives whose values farther apart than the lengthscale are independent"""

def periodic(lengthscale: Value = None, period: Value = None) -> Kernel:
    """functions that repeat exactly"""

def cosine(period: Value = None) -> Kernel:
    """pure oscillations, of one column"""

def linear(lengthscale: Value = None) -> Kernel:
    """straight lines through the origin"""

def polynomial(degree: Value = None, offset: Value = None) -> Kernel:
    """polynomials with all interactions"""

def category(correlation: Value = None) -> Kernel:
    """categories, all alike"""

def category_pairs(rank: Value = None, levels: Value = None, loadings: Value = None) -> Kernel:
    """categories, some of them more alike than others"""

def ordinal(spacing: Value = None) -> Kernel:
    """ordered categories, neighbors most alike"""

def diffusion(beta: Value = None) -> RecordKernel:
    """nodes of a network, very smooth along its edges"""

def graph_matern(nu: Value = None, kappa: Value = None) -> RecordKernel:
    """nodes of a network, with smoothness nu along its edges"""

def circular(lengthscale: Value = None, period: Value = None) -> Kernel:
    """functions of an angle, an hour or another position on a circle"""

def sphere_se(lengthscale: Value = None) -> Kernel:
    """very smooth functions of latitude and longitude"""

def sphere_matern12(lengthscale: Value = None) -> Kernel:
    """rough, continuous functions of latitude and longitude"""

def sphere_matern32(lengthscale: Value = None) -> Kernel:
    """functions of latitude and longitude with one derivative"""

def sphere_matern52(lengthscale: Value = None) -> Kernel:
    """functions of latitude and longitude with two derivatives"""

def jaccard() -> Kernel:
    """binary fingerprints: columns of 0 and 1 (Tanimoto)"""

def minmax() -> Kernel:
    """count fingerprints: columns of nonnegative numbers (weighted Tanimoto)"""

def intersection(normalized: Value = None) -> Kernel:
    """histograms and compositions: columns of nonnegative numbers"""

def spectrum(k: Value = None, normalized: Value = None, measure: Value = None) -> RecordKernel:
    """texts with substrings in common: k=3, or blended k=1..3"""

def mismatch(k: Value = None, m: Value = None, alphabet: Value = None, normalized: Value = None) -> RecordKernel:
    """texts with similar substrings: DNA, proteins"""

def subsequence(n: Value = None, decay: Value = None, normalized: Value = None) -> RecordKernel:
    """texts with subsequences in common, gaps allowed"""

def hamming(lengthscale: Value = None) -> RecordKernel:
    """aligned sequences of one length: variants, codes"""

def substitution(matrix: Value = None, lengthscale: Value = None) -> RecordKernel:
    """aligned proteins of one length: matrix=blosum62, blosum50 or pam250"""

def weisfeiler_lehman(h: Value = None, normalized: Value = None, measure: Value = None) -> RecordKernel:
    """graphs with labels, as molecules: common neighborhoods of nodes"""

def shortest_path(normalized: Value = None) -> RecordKernel:
    """graphs with labels, as molecules: distances between labelled nodes"""

def random_walk(decay: Value = None, steps: Value = None, normalized: Value = None) -> RecordKernel:
    """small graphs with labels: common walks"""

names: list[str]
__all__ = ["fixed", "function", "on", "parse", "constant", "se", "matern12", "matern32", "matern52", "rational_quadratic", "wendland", "periodic", "cosine", "linear", "polynomial", "category", "category_pairs", "ordinal", "diffusion", "graph_matern", "circular", "sphere_se", "sphere_matern12", "sphere_matern32", "sphere_matern52", "jaccard", "minmax", "intersection", "spectrum", "mismatch", "subsequence", "hamming", "substitution", "weisfeiler_lehman", "shortest_path", "random_walk"]
