# SPDX-License-Identifier: Apache-2.0
"""Ranks on hosts of their own (network namespaces on this machine): the synchronised clock, and a slowed host. Needs root."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

from harness import SCALEMARK, ProgramTest, rows

RECIPES = pathlib.Path(__file__).resolve().parents[1] / "recipes"


def recipe(name, *arguments):
    return subprocess.run([RECIPES / name, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=True).stdout


def process_of_rank(rank):
    """The program's process that is this rank, on whatever host."""
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            variables = (path / "environ").read_bytes().split(b"\0")
            if f"OMPI_COMM_WORLD_RANK={rank}".encode() in variables and (path / "exe").resolve() == pathlib.Path(SCALEMARK).resolve():
                return int(path.name)
        except OSError:
            continue
    raise AssertionError(f"no rank {rank}")


class Hosts(ProgramTest):
    def start_hosts(self, count):
        settings = recipe("hosts-up.sh", count)
        self.addCleanup(recipe, "hosts-down.sh")
        done = subprocess.run(["bash", "-c", 'eval "$1"; env -0', "settings", settings], capture_output=True, check=True)
        self.environment = dict(entry.decode().split("=", 1) for entry in done.stdout.split(b"\0") if b"=" in entry)

    def measure(self, ranks, *arguments):
        out = self.path("out.h5")
        done = subprocess.run([RECIPES / "host-exec.sh", "head", "mpirun", "-n", str(ranks), SCALEMARK, "run", *arguments, "-o", out, "--force",
                               "--placement", "none"],
                              capture_output=True, text=True, timeout=300, env=self.environment)
        self.expect(done, 0)
        return rows(out)

    def test_the_clock_is_synchronised_below_a_round_trip(self):
        for count in (2, 3):
            self.start_hosts(count)
            table = self.measure(count, "^micro/(allreduce|barrier)$", "-a", f"ranks={count}", "-a", "micro/allreduce:bytes=8,64K", "-a",
                                 "backend=mpi", "-a", "micro/allreduce:memory=host", "-n", "100")
            self.assertEqual(len(table), 3)
            for key, row in table.items():
                facts = row["facts"]
                self.assertEqual(facts["clock_method"], "hca3", key)
                self.assertLess(facts["clock_residual"], facts["clock_round_trip"], key)
            recipe("hosts-down.sh")

    def test_the_clock_is_renewed_in_long_cases(self):
        self.start_hosts(2)
        # Under a count, too. The clock is old after 2 s; both take 6 s, whatever the machine.
        for rule in (("--min-time", "6", "--max-time", "6", "-a", "compute=500"), ("-n", "3000", "-a", "compute=2000")):
            (row,) = self.measure(2, "^micro/barrier$", "-a", "ranks=2", "-a", "backend=mpi", *rule).values()
            self.assertGreaterEqual(row["facts"]["clock_syncs"], 3)
            self.assertLess(row["facts"]["clock_residual"], row["facts"]["clock_round_trip"])

    def test_ranks_within_and_across_hosts(self):
        self.start_hosts(2)
        table = self.measure(2, "^micro/pingpong$", "-a", "span=any,node,nodes", "-a", "bytes=8", "-a", "backend=mpi", "-a", "memory=host",
                             "-n", "50")
        states = {row["params"].get("span", "any"): (row["status"], row["reason"]) for row in table.values()}
        self.assertEqual(states, {"any": ("ok", ""), "nodes": ("ok", ""), "node": ("skipped", "needs 2 ranks on a node, rank 0's has 1")})

    def test_a_stopped_rank_that_is_alone_on_its_host_is_named(self):
        self.start_hosts(3)
        # In the second case host 3 sleeps, and says so.
        for ranks, culprit in ((3, 2), (2, 1)):
            with self.subTest(ranks=ranks):
                self.expect_named(ranks, culprit, timeout=3)

    def expect_named(self, ranks, culprit, timeout):
        out = self.path(f"{ranks}.h5")
        process = subprocess.Popen(
            [RECIPES / "host-exec.sh", "head", "mpirun", "-n", "3", SCALEMARK, "run", "^micro/allreduce$", "-a", f"ranks={ranks}", "-a",
             "bytes=8", "-a", "backend=mpi", "-a", "memory=host", "--min-time", "500", "--max-time", "600", "--timeout", str(timeout),
             "-o", out, "--placement", "none"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.terminate)
        journal = pathlib.Path(out + ".parts/journal")
        deadline = time.monotonic() + 60
        while not (journal.exists() and '"measure"' in journal.read_text()) and time.monotonic() < deadline:
            time.sleep(0.2)
        time.sleep(0.5)
        victim = process_of_rank(culprit)
        os.kill(victim, signal.SIGSTOP)
        stopped = time.monotonic()
        line = next((one for one in process.stderr if "no progress" in one), "")
        self.assertLessEqual(time.monotonic() - stopped, timeout + 5)
        place = r"in case 'micro/allreduce .*', phase 'measure'"
        self.assertRegex(line, rf"no progress .* {place}; no answer from rank {culprit} \(host node{culprit + 1}, pid {victim}\): "
                               rf"stopped, gone or busy, while others wait {place}")
        process.stderr.read()
        self.assertEqual(process.wait(60), 3)

    def test_the_network_between_hosts_has_the_peak_that_is_given(self):
        self.start_hosts(2)
        peak = self.path("peak.toml")
        with open(peak, "w") as file:
            file.write("[link]\nnetwork = 5e9\n")
        cases = ["^micro/(allreduce|bandwidth|bidirectional_bandwidth|pingpong|barrier)$", "-a", "bytes=64K", "-a", "backend=mpi", "-a",
                 "memory=host", "-a", "ranks=2", "-n", "20"]
        with_peak = self.measure(2, *cases, "--peak", peak)
        self.assertEqual(len(with_peak), 5)
        for key, row in with_peak.items():
            facts, metrics = row["facts"], row["metrics"]
            self.assertNotIn("peak_missing", facts, key)
            if row["name"] == "micro/barrier":
                self.assertNotIn("peak_fraction", metrics)
                continue
            bandwidth = "bus_bandwidth" if row["name"] == "micro/allreduce" else "bandwidth"
            ways = 2 if row["name"] == "micro/bidirectional_bandwidth" else 1
            self.assertEqual((facts["peak_" + bandwidth], facts["peak_source"]), (ways * 5e9, "--peak"), key)
            part, rate = metrics["peak_fraction"]["median"], metrics[bandwidth]["median"]
            self.assertAlmostEqual(part, rate / (ways * 5e9), delta=1e-9 * part)
        # What this machine's own network promises is its own business.
        for key, row in self.measure(2, *cases).items():
            told = "peak_fraction" in row["metrics"]
            if row["name"] != "micro/barrier":
                self.assertNotEqual(told, "peak_missing" in row["facts"], key)
            self.assertEqual(told, "peak_source" in row["facts"], key)

    def test_a_busy_host_is_named(self):
        self.start_hosts(2)
        recipe("host-slow.sh", "node2", "--busy", 3)
        # Longer than a turn of the scheduler, so that the loops take their part of every iteration.
        table = self.measure(2, "^micro/barrier$", "-a", "backend=mpi", "-a", "compute=20000", "-n", "60")
        (row,) = table.values()
        self.assertIn("straggler", row)
        self.assertEqual(row["straggler"]["rank"], 1)
        recipe("host-slow.sh", "node2", "--off")

    def named_slow(self, name, *axes):
        """The slow host or rank of a case of all pairs of three ranks, each on a host of its own."""
        axes = [text for axis in (*axes, "backend=mpi", "memory=host", "pairs=all") for text in ("-a", axis)]
        (row,) = self.measure(3, f"^micro/{name}$", *axes, "-n", "100", "--max-time", "5s").values()
        self.assertEqual(row["params"]["ranks"], 3)
        return row.get("slow_host", row.get("slow_rank"))

    def test_a_host_with_a_slow_network_is_named(self):
        self.start_hosts(3)
        # Three hosts on fewer cores: a rank that waits gives way.
        self.environment["OMPI_MCA_mpi_yield_when_idle"] = "1"
        pingpong = ("pingpong", "bytes=8")
        bandwidth = ("bandwidth", "bytes=64K", "window=8")
        for case in (pingpong, bandwidth):
            self.assertIsNone(self.named_slow(*case), case)
        for case, slowness in ((pingpong, ("--delay", 2)), (bandwidth, ("--rate", "100mbit"))):
            recipe("host-slow.sh", "node2", *slowness)
            slow = self.named_slow(*case)
            recipe("host-slow.sh", "node2", "--off")
            self.assertIsNotNone(slow, case)
            self.assertEqual((slow["host"], slow["ranks"], slow["pairs"]), ("node2", [1], 2))
            self.assertGreater(slow["factor"], 1.5)


if __name__ == "__main__":
    unittest.main()
