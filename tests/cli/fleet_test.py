# SPDX-License-Identifier: Apache-2.0
"""Screenings of pairs, and `scalemark fleet`. Which hosts it names is tested in common.fleet and common.analysis."""
import json
import unittest

import h5py

from harness import ProgramTest, rows, run


class Fleet(ProgramTest):
    def screen(self, ranks, *more):
        path = self.path(f"screening-{ranks}.h5")
        done = run("run", "^micro/(pingpong|bandwidth)$", "-a", "pairs=screening", "-a", "bytes=64K", "-a", "memory=host", "-n", 7, "-o", path, *more,
                   ranks=ranks)
        self.expect(done, 0)
        return path, done.stdout

    def topology(self, host):
        path = self.path(f"{host}.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'[[switch]]\nname = "leaf"\n[[host]]\nname = "{host}"\nabove = "leaf"\nbandwidth = 1e9\n')
        return path

    def test_a_screening_measures_a_few_rounds_and_suspects_again(self):
        path, printed = self.screen(4)
        self.assertRegex(printed, r"(4 ranks: none is slow|of 4 ranks rank)")
        with h5py.File(path) as file:
            self.assertEqual(len(file["pairs"]), 2)
            for table in file["pairs"].values():
                pairs = list(zip(table["round"][...], table["rank"][...], table["peer"][...]))
                screened = [(rank, peer) for number, rank, peer in pairs if number < 3]
                self.assertEqual(sorted(screened), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], "three rounds of two pairs")
                again = [(number, rank) for number, *both in pairs if number >= 3 for rank in both]
                self.assertEqual(len(again), len(set(again)), "pairs of a round are disjoint")
        for row in rows(path).values():
            self.assertEqual(row["facts"]["screening_rounds"], 3)
            self.assertTrue(row["verified"]["done"])
            self.assertEqual(row["verified"]["wrong"], 0)
            self.assertNotIn("slow_host", row)

        told = run("fleet", path, "--format", "json")
        fleet = json.loads(told.stdout)
        self.assertEqual(fleet["screenings"], 2)
        (host,) = fleet["hosts"]  # the worst of its ranks
        self.assertEqual(told.returncode, 1 if host["verdict"] == "BAD" else 0)
        self.assertEqual(len(fleet["drain"]), told.returncode)
        self.assertEqual(fleet["uplinks"], [], "without --topology")
        told = run("fleet", path, "--topology", self.topology(host["host"]), "--format", "json")
        self.assertEqual(json.loads(told.stdout)["uplinks"], [], "one switch")
        self.expect(run("fleet", path, "--topology", self.topology("other")), 3, f"--topology names no host '{host['host']}'")
        self.expect(run("fleet", path, "--topology", self.path("none.toml")), 2)
        text = run("fleet", path, "--all")
        self.assertEqual(text.returncode, told.returncode)
        self.assertIn("1 host in 2 screenings: ", text.stdout)
        self.assertRegex(text.stdout, rf"(?m)^{host['verdict']} +{host['host']} ")

    def test_two_ranks_have_one_pair(self):
        path, printed = self.screen(2)
        self.assertIn("2 ranks: none is slow", printed)
        done = run("fleet", path)
        self.expect(done, 0)
        self.assertIn("0 bad, 0 suspect, 0 untested, 0 slow links", done.stdout)

    def test_what_it_refuses(self):
        other = self.path("other.h5")
        self.expect(run("run", "^micro/pingpong$", "-a", "bytes=8", "-a", "memory=host", "-n", 3, "-o", other, ranks=2), 0)
        self.expect(run("fleet", other), 4, "no screening in these files. To measure one")
        self.expect(run("fleet"), 2)
        self.expect(run("fleet", self.path("none.h5")), 3)
        self.expect(run("fleet", other, "--format", "csv"), 2)


if __name__ == "__main__":
    unittest.main()
