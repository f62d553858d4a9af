"""Writes subsequence.json: gap-weighted subsequence kernels in exact rationals, from the definition.

    python3 make_subsequence_oracles.py        (needs nothing but Python)

    k(x, z) = sum_u sum_{i: x[i] = u} sum_{j: z[j] = u} decay^(l(i) + l(j)),   l(i) = i_n - i_1 + 1

over all n-tuples of increasing places i and j (Lodhi et al. 2002), by enumeration: no recursion is shared with the
library. The derivative in decay is that of the polynomial. Values are rounded once, to double, at the end; a
normalized one is the square root, by integer arithmetic with 80 digits, of k(x, z)^2 / (k(x, x) k(z, z)).
Matrices are lower triangles.
"""
import json
import math
import os
from fractions import Fraction
from itertools import combinations

HERE = os.path.dirname(os.path.abspath(__file__))
TEXTS = ["", "a", "ab", "cat", "car", "abracadabra", "cadabraabra", "aaaaaaa", "tacgattacag", "éaab\n\x01"]
ORDERS = [1, 2, 3, 4]
DECAYS = [0.5, 0.9, 0.001]  # as doubles


def embeddings(text, n):
    """{u: {span: number of embeddings}}"""
    found = {}
    for places in combinations(range(len(text)), n):
        u = bytes(text[p] for p in places)
        spans = found.setdefault(u, {})
        span = places[-1] - places[0] + 1
        spans[span] = spans.get(span, 0) + 1
    return found


def polynomial(x, z):
    """{power: coefficient}"""
    out = {}
    for u, spans in x.items():
        for l, count in spans.items():
            for m, other in z.get(u, {}).items():
                out[l + m] = out.get(l + m, 0) + count * other
    return out


def value(p, decay):
    return sum((c * decay**e for e, c in p.items()), Fraction(0))


def slope(p, decay):
    return sum((c * e * decay ** (e - 1) for e, c in p.items()), Fraction(0))


def root(q):
    """sqrt of a rational, rounded down to 80 digits after the point."""
    scale = 10**80
    return Fraction(math.isqrt(q.numerator * scale * scale // q.denominator), scale)


def case(n, decay):
    found = [embeddings(t.encode(), n) for t in TEXTS]
    size = len(TEXTS)
    p = [[polynomial(found[i], found[j]) for j in range(size)] for i in range(size)]
    k = [[value(p[i][j], decay) for j in range(size)] for i in range(size)]
    d = [[slope(p[i][j], decay) for j in range(size)] for i in range(size)]

    def normalized(i, j):  # the value and its derivative
        a, b = k[i][i], k[j][j]
        if not a or not b:
            return Fraction(a == b), Fraction(0)
        norm = root(a * b)
        r = k[i][j] / norm
        return r, d[i][j] / norm - r / 2 * (d[i][i] / a + d[j][j] / b)

    both = [[normalized(i, j) for j in range(size)] for i in range(size)]
    return {
        "n": n,
        "decay": float(decay),
        "plain": [[float(v) for v in k[i][: i + 1]] for i in range(size)],
        "plain_slope": [[float(v) for v in d[i][: i + 1]] for i in range(size)],
        "normalized": [[float(v) for v, _ in both[i][: i + 1]] for i in range(size)],
        "normalized_slope": [[float(s) for _, s in both[i][: i + 1]] for i in range(size)],
    }


def main():
    cases = [case(n, Fraction(decay)) for n in ORDERS for decay in DECAYS]
    with open(os.path.join(HERE, "subsequence.json"), "w", encoding="utf-8") as out:
        json.dump({"texts": TEXTS, "cases": cases}, out)
        out.write("\n")


if __name__ == "__main__":
    main()
