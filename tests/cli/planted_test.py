# SPDX-License-Identifier: Apache-2.0
"""A slowdown that was really planted: three busy processes on the cores of rank 1. Runs take turns: as the machine is, the same
again, and with the busy core. The last must be called worse, with the rank and what else ran there named; the first two must not
differ.

    planted_test.py --keep DIR    only measures: five redacted runs of each side into DIR/quiet, DIR/again and DIR/busy
"""
import json
import os
import subprocess
import sys
import unittest

import h5py

from harness import ProgramTest, run

RUNS = 5
HOGS = 3  # one alone slows only some iterations: a finding (modes), and no row
CASES = ["micro/memcpy", "micro/allreduce", "-a", "ranks=2", "-a", "direction=h2h", "-a", "host_memory=pageable",
         "-a", "micro/memcpy:bytes=64K,32M,64M,128M", "-a", "backend=mpi", "-a", "memory=host",
         "-a", "micro/allreduce:bytes=8,4K,64K,1M", "--max-time", "300ms"]


def cores_of(path, rank):
    """The cores that a rank of a result file was bound to."""
    with h5py.File(path) as file:
        text = file["topology/ranks/cpuset"][rank].decode()
    cores = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cores.update(range(int(first), int(last or first) + 1))
    return cores


def measure(path, *more):
    done = run("run", *CASES, "-o", path, "--quiet", *more, ranks=2)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return path


def measure_beside_busy_processes(path, cores, *more):
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, cores))
            for _ in range(HOGS * len(cores))]
    try:
        measure(path, *more)
    finally:
        for one in busy:
            one.kill()
            one.wait()


def measure_sides(folder, names, *more):
    """Runs of the three sides in turns, in folders of their own."""
    for side in ("quiet", "again", "busy"):
        os.makedirs(os.path.join(folder, side))
    for name in names:
        first = measure(os.path.join(folder, "quiet", name), *more)
        measure(os.path.join(folder, "again", name), *more)
        measure_beside_busy_processes(os.path.join(folder, "busy", name), cores_of(first, 1), *more)


class Planted(ProgramTest):
    def compare(self, base, new, code):
        done = run("compare", self.path(base), "--against", self.path(new), "--format", "json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_busy_core_is_found_and_named(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.fail("needs two cores: one for each rank")
        measure_sides(self.folder, [f"{number}.h5" for number in range(RUNS)])
        same = self.compare("quiet", "again", 0)
        self.assertIn(same["verdict"], ("SAME", "INCONCLUSIVE"))
        worse = self.compare("quiet", "busy", 1)
        self.assertEqual(worse["verdict"], "REGRESSION")
        print(run("compare", self.path("quiet"), "--against", self.path("busy")).stdout)
        slow = [row["key"] for row in worse["rows"] if row["verdict"] == "REGRESSION"]
        self.assertTrue(any("memcpy" in key for key in slow), slow)
        stragglers = [one["subject"] for one in worse["findings"] if one["kind"] == "straggler" and one["side"] == "B"]
        self.assertTrue(stragglers and all(one.startswith("rank 1 ") for one in stragglers), worse["findings"])
        # What watched the node saw it: CPUs that others kept busy, or processes that wanted to run.
        watched = {one["fact"]: one for one in worse["causes"] if one["kind"] == "telemetry"}
        named = [watched[fact] for fact in ("node.other_cpus", "node.runnable") if fact in watched]
        self.assertTrue(named, worse["causes"])
        for cause in named:
            self.assertLess(float(cause["a"]), float(cause["b"]), cause)
            self.assertGreaterEqual(2 * cause["rows"], len(slow), cause)
        # Of runs that do not differ nothing got worse that telemetry would have to explain.
        self.assertNotIn("telemetry", [one["kind"] for one in same["causes"]])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--keep"]:
        os.environ["SCALEMARK_CAMPAIGN"] = "planted"
        measure_sides(sys.argv[2], [f"{number}.h5" for number in range(1, RUNS + 1)], "--redact")
        sys.exit()
    unittest.main(argv=sys.argv[:1], verbosity=2)
