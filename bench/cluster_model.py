#!/usr/bin/env python3
"""The time of a value and gradient on P ranks, fitted to what bench/mpi/cluster printed.

  exact:    t = n^3 / (P r) + n^2 / (P c) + 2 n/128 log2(P) L + 32 n^2 / (sqrt(P) W)
  vecchia:  t = n / (P v) + s + log2(P) L

with r flops, c covariances and v points of a rank and second. The latency L of a message in seconds and the bandwidth W of
a link in bytes a second are given, because one machine does not show them: some 4 n^2 / sqrt(P) numbers leave each rank in
a factorization, an inverse and their products.

usage: bench/cluster_model.py FILE [--latency 5e-6] [--bandwidth 1e10] [--ranks 64,256,1024,4096]
"""
import argparse
import math


def read(path):
    """Dictionaries of the numbers on each line."""
    out = []
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            words = line.split()
            if words and words[0] in ('exact', 'vecchia'):
                out.append({'what': words[0], **{k: float(v) for k, v in zip(words[1::2], words[2::2])}})
    return out


def least_squares(rows, values):
    """Non-negative a, b of values ~ a x + b z, relative errors."""
    scaled = [(x / v, z / v) for (x, z), v in zip(rows, values)]
    xx, xz, zz = sum(x * x for x, _ in scaled), sum(x * z for x, z in scaled), sum(z * z for _, z in scaled)
    bx, bz = sum(x for x, _ in scaled), sum(z for _, z in scaled)
    det = xx * zz - xz * xz
    a, b = ((zz * bx - xz * bz) / det, (xx * bz - xz * bx) / det) if det > 1e-12 * xx * zz else (bx / xx, 0)
    if a < 0:
        return 0, bz / zz
    if b < 0:
        return bx / xx, 0
    return a, b


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('file')
    parser.add_argument('--latency', type=float, default=5e-6)
    parser.add_argument('--bandwidth', type=float, default=1e10)
    parser.add_argument('--ranks', default='64,256,1024,4096')
    a = parser.parse_args()
    measured = read(a.file)
    exact = [m for m in measured if m['what'] == 'exact']
    vecchia = [m for m in measured if m['what'] == 'vecchia']
    ranks = [int(p) for p in a.ranks.split(',')]
    if exact:
        per_flop, per_pair = least_squares([(m['n'] ** 3 / m['ranks'], m['n'] ** 2 / m['ranks']) for m in exact],
                                           [m['seconds'] for m in exact])
        model = lambda n, p: n ** 3 / p * per_flop + n ** 2 / p * per_pair
        error = max(abs(model(m['n'], m['ranks']) / m['seconds'] - 1) for m in exact)
        print(f'exact: {1e-9 / per_flop:.1f} GF/s a rank, {per_pair * 1e9:.0f} ns a pair; '
              f'largest error {100 * error:.0f} % of {len(exact)} measurements')
        for p in ranks:
            n = 1e6
            t = model(n, p) + 2 * n / 128 * math.log2(p) * a.latency + 32 * n ** 2 / math.sqrt(p) / a.bandwidth
            print(f'exact n 1e6 on {p} ranks: {t:.3g} s, {8 * n ** 2 / p / 2 ** 30:.3g} GiB a rank')
    if vecchia:
        per_point, start = least_squares([(m['n'] / m['ranks'], 1) for m in vecchia], [m['seconds'] for m in vecchia])
        error = max(abs((m['n'] / m['ranks'] * per_point + start) / m['seconds'] - 1) for m in vecchia)
        print(f'vecchia: {1e6 * per_point:.2f} us a point and rank; '
              f'largest error {100 * error:.0f} % of {len(vecchia)} measurements')
        for p in ranks:
            print(f'vecchia n 1e8 on {p} ranks: {1e8 / p * per_point + start + math.log2(p) * a.latency:.3g} s')


if __name__ == '__main__':
    main()
