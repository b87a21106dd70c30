# SPDX-License-Identifier: Apache-2.0
"""`scalemark predict`: simulated collectives, and what it refuses."""
import json
import time
import unittest

from harness import ProgramTest, run

COSTS = "L=2500,o=1500,g=1000,G=6,O=0,S=65535"
STAR = """
[[switch]]
name = "s"
[[host]]
name = "n"
above = "s"
bandwidth = 125e6
latency = "50us"
count = 4
"""


class Predict(ProgramTest):
    def simulate(self, algorithm, *more):
        return run("predict", "--simulate", algorithm, *more)

    def test_the_figures_of_loggopsim(self):
        for ranks, expected in ((2, 17132), (4, 42180), (8, 87668)):
            done = self.simulate("allreduce_ring", "--ranks", ranks, "--bytes", "1K", "--loggps", COSTS)
            self.expect(done, 0)
            self.assertEqual(done.stdout, f"{expected}\n")

    def test_json_has_the_finish_of_each_rank(self):
        done = self.simulate("broadcast_binomial", "--ranks", 8, "--bytes", 1024, "--loggps", COSTS, "--format", "json")
        self.expect(done, 0)
        told = json.loads(done.stdout)
        self.assertEqual((told["time_ns"], len(told["finish_ns"])), (34914, 8))
        self.assertEqual(max(told["finish_ns"]), 34914)
        self.assertLess(told["finish_ns"][0], 34914, "the root is free before the last leaf has the data")

    def topology(self, text):
        path = self.path("net.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_a_topology_shares_its_links(self):
        done = self.simulate("allreduce_ring", "--ranks", 4, "--bytes", "8M", "--topology", self.topology(STAR))
        self.expect(done, 0)
        self.assertAlmostEqual(int(done.stdout) * 1e-9, 0.101298, delta=0.0002)

    def test_4096_ranks(self):
        start = time.monotonic()
        for algorithm in ("allreduce_recursive_doubling", "allreduce_rabenseifner", "allreduce_ring"):
            self.expect(self.simulate(algorithm, "--ranks", 4096, "--bytes", "1M", "--loggps", COSTS), 0)
        print(f"4096 ranks, three algorithms: {time.monotonic() - start:.2f} s")

    def test_what_is_refused(self):
        ring = ("allreduce_ring", "--ranks", 4)
        self.expect(self.simulate("allreduce_star", "--ranks", 4), 2, "allreduce_ring")
        self.expect(self.simulate(*ring), 2, "--loggps, --topology or both")
        self.expect(self.simulate("allreduce_ring", "--ranks", 0, "--loggps", COSTS), 2, "--ranks is '0'; allowed: 1 to 1048576")
        self.expect(self.simulate(*ring, "--loggps", "L=1,Q=2"), 2, "'Q=2' is none of")
        self.expect(self.simulate(*ring, "--loggps", COSTS, "--bytes", "-1"), 2, "--bytes is '-1'; allowed: ")
        self.expect(self.simulate("alltoall_pairwise", "--ranks", 1 << 20, "--loggps", COSTS), 2, "fewer --ranks")
        self.expect(self.simulate(*ring, "--topology", self.path("none.toml")), 2, "--topology is")
        self.expect(self.simulate("allreduce_ring", "--ranks", 5, "--topology", self.topology(STAR)), 2, "hosts for 4")

    def test_topologies_that_are_none(self):
        loop = '[[switch]]\nname="a"\nabove="b"\nbandwidth=1e9\n[[switch]]\nname="b"\nabove="a"\nbandwidth=1e9\n'
        for text, why in ((loop + '[[host]]\nname="h"\nabove="a"\nbandwidth=1e9\n', "circle of switches"),
                          ("[[router]]\n", "unknown key 'router'"),
                          ('[[host]]\nname = "a"\nspeed = 1\n', "3: unknown key 'speed'"),
                          ('[[host]]\nname = "a"\nabove = "s"\n', "'bandwidth' of the link"),
                          ('[[host]]\nname = "a"\ncount = 0\n', "'count' is not allowed"),
                          ('host = 3\n', "'host' is written [[host]]"),
                          ("[[host\n", "net.toml:1")):
            self.expect(self.simulate("allreduce_ring", "--ranks", 1, "--topology", self.topology(text)), 2, why)


if __name__ == "__main__":
    unittest.main()
