# SPDX-License-Identifier: Apache-2.0
"""Runs of Scalemark and of a peer in Python, taken in turns, and the median of their paired ratios."""
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

# glibc then keeps freed memory, as Scalemark's cache does: PyTorch with the allocator tuned as well.
KEPT_HEAP = {"MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_MMAP_THRESHOLD_": str(1 << 40)}


def ours(program, filter_, axes, folder, extra=()):
    """Metrics of one case on one thread."""
    out = os.path.join(folder, "ours.h5")
    command = [program, "run", filter_, "--format", "jsonl", "--quiet", "-o", out, "--force", *extra]
    for name, value in {**axes, "device": "cpu", "threads": 1}.items():
        command += ["-a", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[0])["metrics"]


def in_child(module, function, *arguments, environment=None):
    """The number that a function of a script beside this one returns, in a process of its own, as ours is."""
    folder = str(pathlib.Path(__file__).resolve().parent)
    code = f"import sys; sys.path.append({folder!r}); import {module}; print({module}.{function}(*{arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        sys.exit(done.stderr)
    return float(done.stdout.split()[-1])


def interval(ratios):
    """Order statistics around the median that hold it with 95 %; all of them where there are too few."""
    ordered, n = sorted(ratios), len(ratios)
    k = 0
    while 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n <= 0.05:
        k += 1
    return ordered[max(0, k - 1)], ordered[n - max(1, k)]


def head(peer, runs):
    print(f"{'':<46} {'Scalemark':>10} {peer:>10} {'':<8} {'ratio':>6}   ({runs} alternating runs)")


def row(label, unit, a, b):
    ratios = [x / y for x, y in zip(a, b)]
    low, high = interval(ratios)
    print(f"{label:<46} {statistics.median(a):10.4g} {statistics.median(b):10.4g} {unit:<8} {statistics.median(ratios):6.3f} "
          f"[{low:.3f}, {high:.3f}]", flush=True)
