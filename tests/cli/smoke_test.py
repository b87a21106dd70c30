# SPDX-License-Identifier: Apache-2.0
"""Every benchmark once, on two ranks and on one; what this machine cannot show says why: smoke_test.py [--others]

--others: those that the preset smoke leaves out. Without it, the preset and one rank, also with the CUDA build.
"""
import json
import sys
import unittest

from harness import SWAPS, ProgramTest, mpi_has_sessions, planned_keys, rows, run


# What a row of these moves is known, and what part of a peak that is, or why not.
COUNTED = {"micro/" + name for name in ("memcpy", "memory_registration", "stream", "gemm", "file_read", "conv2d", "layout_conversion")}


class Smoke(ProgramTest):
    def smoke(self, ranks):
        out = self.path(f"smoke{ranks}.h5")
        done = run("run", "--preset", "smoke", "-o", out, "--format", "jsonl", ranks=ranks, timeout=280)
        self.expect(done, 0)
        printed = {json.loads(line)["key"]: json.loads(line) for line in done.stdout.splitlines()}
        stored = rows(out)
        self.assertEqual(set(printed), set(stored), "what was printed is what is in the file")
        return stored

    def test_two_ranks(self):
        table = self.smoke(2)
        for name in ["micro/pingpong", "micro/allreduce", "micro/allgather", "micro/memcpy", "micro/memory_registration", "micro/stream",
                     "micro/gemm", "micro/file_read", "micro/conv2d", "micro/layout_conversion", "micro/lora_step", "imaging/train"]:
            states = {row["status"] for key, row in table.items() if row["name"] == name}
            self.assertIn("ok", states, f"{name}: {states}")
        for key, row in table.items():
            if row["status"] == "ok" and row["name"] in COUNTED:
                self.assertIn("moved_bytes", row["facts"], key)
                self.assertNotEqual("peak_fraction" in row["metrics"], "peak_missing" in row["facts"], f"one of them: {key}")
            if row["status"] == "skipped":
                self.assertTrue(row["reason"], key)
                self.assertRegex(key, "cuda|device|nccl|h2d|d2h|pinned|kernel_launch|micro/event|host_memory=|cache=(cold|direct)",
                                 "only rows of a GPU, of memory that a system may refuse, or past its page cache may be skipped here")

    def test_one_rank_says_what_it_cannot_show(self):
        done = run("run", "micro/(allreduce|memcpy|layout_conversion)", "--quick", "-n", "3", "-o", self.path("one.h5"), timeout=280)
        self.expect(done, 0, "one rank")
        table = rows(self.path("one.h5"))
        skipped = [row["reason"] for row in table.values() if row["name"] == "micro/allreduce"]
        self.assertTrue(skipped and all("ranks" in reason for reason in skipped), skipped)


class Others(ProgramTest):
    def test_what_the_preset_leaves_out(self):
        preset = planned_keys(run("run", "--preset", "smoke", "--dry-run", ranks=2))
        listed = {entry["name"] for entry in json.loads(run("list", "--json").stdout)}
        others = sorted(listed - {key.split()[0] for key in preset})
        self.assertGreater(len(others), 5)
        not_here = set() if mpi_has_sessions() else {"micro/session"}  # cli.micro checks what such a run says
        larger = [name for name in others if name.startswith("micro/neighbor_") or name == "micro/congestion"]
        measured = set()
        for ranks, names in ((2, sorted(set(others) - set(larger))), (4, larger)):
            out = self.path(f"others-{ranks}.h5")
            self.expect(run("run", *names, "--quick", "-o", out, ranks=ranks, timeout=280, env=SWAPS), 0)
            measured |= {row["name"] for row in rows(out).values() if row["status"] == "ok"}
        self.assertEqual(sorted(measured), sorted(set(others) - not_here), "each has a case that was measured")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "Others" if "--others" in sys.argv else "Smoke"])
