# SPDX-License-Identifier: Apache-2.0
"""--probe and --cuda-aware where no GPU is: nothing is tried, nothing is left, and rows say what they always said."""
import json
import os
import unittest

from harness import ProgramTest, rows, run

DEVICE = ("run", "micro/(pingpong|allreduce|put)$", "-a", "bytes=8", "-a", "memory=device", "-a", "ranks=2", "-n", "2")


class CudaAware(ProgramTest):
    def setUp(self):
        super().setUp()
        # Whatever the machine has, the program finds no GPU.
        self.env = {"XDG_CACHE_HOME": self.path("cache"), "CUDA_VISIBLE_DEVICES": ""}

    def test_a_probe_without_a_gpu_says_so_and_leaves_nothing(self):
        for ranks in (0, 2):
            with self.subTest(ranks=ranks):
                done = run("run", "--probe", ranks=ranks, env=self.env, cwd=self.folder)
                self.expect(done, 4, "--probe", "nothing was tried", "CUDA")
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count("nothing was tried"), 1, "one rank says it")
                self.assertEqual(os.listdir(self.folder), [])

    def test_a_probe_measures_nothing(self):
        for arguments in (["micro/pingpong"], ["--preset", "quick"], ["-o", self.path("a.h5")], ["--dry-run"],
                          ["--resume", "-o", self.path("a.h5")]):
            with self.subTest(arguments):
                self.expect(run("run", "--probe", *arguments, env=self.env), 2, "--probe measures nothing")

    def test_another_word_is_refused(self):
        self.expect(run("run", "--cuda-aware", "perhaps", "--dry-run"), 2, "--cuda-aware", "perhaps", "auto")
        self.expect(run("run", "--cuda-aware"), 2, "--cuda-aware")

    def test_device_rows_are_skipped_whatever_is_asked(self):
        seen = {}
        for word in ("auto", "yes", "no"):
            out = self.path(f"{word}.h5")
            done = run(*DEVICE, "-a", "backend=mpi", "--cuda-aware", word, "-o", out, ranks=2, env=self.env)
            self.expect(done, 4)
            seen[word] = {key: (row["status"], row["reason"]) for key, row in rows(out).items()}
            self.assertEqual(sorted(seen[word]), ["micro/allreduce backend=mpi bytes=8 memory=device ranks=2",
                                                  "micro/pingpong backend=mpi bytes=8 memory=device ranks=2",
                                                  "micro/put backend=mpi bytes=8 memory=device ranks=2 sync=flush"])
            for status, reason in seen[word].values():
                self.assertEqual(status, "skipped")
                self.assertRegex(reason, "CUDA")
        self.assertEqual(seen["auto"], seen["yes"])
        self.assertEqual(seen["auto"], seen["no"])

    def test_one_sided_rows_on_the_host_keep_their_keys(self):
        done = run("run", "micro/(put|get|accumulate)$", "--dry-run", "-a", "bytes=8", ranks=2, env=self.env)
        self.expect(done, 0)
        self.assertNotIn("memory=", done.stdout)
        listed = {one["name"]: {axis["name"] for axis in one["axes"]} for one in json.loads(run("list", "--json").stdout)}
        self.assertIn("memory", listed["micro/put"] & listed["micro/get"])
        self.assertNotIn("memory", listed["micro/accumulate"])
        self.assertFalse([name for name, axes in listed.items() if "transfer" in axes])


if __name__ == "__main__":
    unittest.main()
