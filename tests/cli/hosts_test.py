# SPDX-License-Identifier: Apache-2.0
"""Ranks on hosts of their own (network namespaces on this machine): the synchronised clock, and a slowed host. Needs root."""
import pathlib
import subprocess
import unittest

from harness import SCALEMARK, ProgramTest, rows

RECIPES = pathlib.Path(__file__).resolve().parents[1] / "recipes"


def recipe(name, *arguments):
    return subprocess.run([RECIPES / name, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=True).stdout


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

    def test_ranks_within_and_across_hosts(self):
        self.start_hosts(2)
        table = self.measure(2, "^micro/pingpong$", "-a", "span=any,node,nodes", "-a", "bytes=8", "-a", "backend=mpi", "-a", "memory=host",
                             "-n", "50")
        states = {row["params"].get("span", "any"): (row["status"], row["reason"]) for row in table.values()}
        self.assertEqual(states, {"any": ("ok", ""), "nodes": ("ok", ""), "node": ("skipped", "needs 2 ranks on a node, rank 0's has 1")})

    def test_a_busy_host_is_named(self):
        self.start_hosts(2)
        recipe("host-slow.sh", "node2", "--busy", 3)
        table = self.measure(2, "^micro/barrier$", "-a", "backend=mpi", "-a", "compute=2000", "-n", "200")
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
