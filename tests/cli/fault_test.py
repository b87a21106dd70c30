# SPDX-License-Identifier: Apache-2.0
"""A rank misbehaves: nobody hangs, the culprit is named, finished cases are kept, the rest is done."""
import os
import resource
import unittest

from harness import FAULTY, ProgramTest, rows, run


def fault(what, when, number=0):
    return f"fault={what}", f"when={when}", f"number={number}"


def axes(*pairs):
    return [text for pair in pairs for text in ("-a", pair)]


class Faults(ProgramTest):
    def start(self, *arguments, ranks=2, **options):
        return run("run", *arguments, "-o", self.path("out.h5"), "-n", "20", ranks=ranks, program=FAULTY,
                   timeout=60, **options)

    def test_throw_before_communication_fails_the_case_only(self):
        done = self.start("test/fault", *axes("fault=throw,none", "when=before"))
        self.expect(done, 3)
        table = rows(self.path("out.h5"))
        failed = table["test/fault fault=throw number=0 ranks=2 when=before"]
        self.assertEqual(failed["status"], "failed")
        self.assertEqual(failed["reason"], "rank 1: planted failure")
        self.assertEqual(table["test/fault fault=none number=0 ranks=2 when=before"]["status"], "ok")

    def test_throw_after_communication_fails_the_case_only(self):
        done = self.start("test/fault", *axes("fault=throw,none", "when=after"))
        self.expect(done, 3)
        statuses = [row["status"] for row in rows(self.path("out.h5")).values()]
        self.assertEqual(sorted(statuses), ["failed", "ok"])

    def test_throw_in_rank_local_work_fails_the_case_only(self):
        done = self.start("test/local_fault", "test/nap")
        self.expect(done, 3)
        table = rows(self.path("out.h5"))
        self.assertEqual(table["test/local_fault ranks=2"]["reason"], "rank 1: planted failure")
        self.assertEqual(table["test/nap number=0 ranks=2"]["status"], "ok")

    def test_unavailable_on_one_rank_skips_on_all(self):
        done = self.start("test/fault", *axes("fault=unavailable,none", "when=before"))
        self.expect(done, 0)
        row = rows(self.path("out.h5"))["test/fault fault=unavailable number=0 ranks=2 when=before"]
        self.assertEqual((row["status"], row["reason"]), ("skipped", "planted reason"))

    def test_wrong_data_is_exit_6(self):
        done = self.start("test/fault", *axes("fault=wrong_data,none"))
        self.expect(done, 6)
        row = rows(self.path("out.h5"))["test/fault fault=wrong_data number=0 ranks=2 when=before"]
        self.assertEqual(row["status"], "failed")
        self.assertIn("1 of 16 elements wrong", row["reason"])

    def test_throw_inside_communication_ends_the_job_and_resume_finishes_the_rest(self):
        arguments = ["test/fault", *axes("fault=none,throw", "when=inside", "number=0:1:+1")]
        done = self.start(*arguments)
        self.expect(done, 3, "planted failure", "fault=throw number=0", "[1/2 ")
        self.assertEqual(rows(self.path("out.h5.parts"))["test/fault fault=none number=1 ranks=2 when=inside"]["status"], "ok")
        for _ in range(8):
            done = self.start(*arguments, "--resume")
            if os.path.exists(self.path("out.h5")):
                break
        self.expect(done, 3)
        table = rows(self.path("out.h5"))
        self.assertEqual(len(table), 4)
        for number in (0, 1):
            self.assertEqual(table[f"test/fault fault=none number={number} ranks=2 when=inside"]["status"], "ok")
            broken = table[f"test/fault fault=throw number={number} ranks=2 when=inside"]
            self.assertEqual(broken["status"], "failed")
            self.assertIn("measure", broken["reason"] + "warm-up")

    def test_out_of_memory_is_a_row(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
        done = self.start("test/fault", *axes("fault=memory,none", "when=before"), preexec_fn=limit)
        self.expect(done, 0)
        row = rows(self.path("out.h5"))["test/fault fault=memory number=0 ranks=2 when=before"]
        self.assertEqual(row["status"], "oom")

    def test_out_of_memory_inside_communication_is_a_row_after_one_relaunch(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
        arguments = ["test/fault", *axes("fault=memory,none", "when=inside")]
        done = self.start(*arguments, preexec_fn=limit)
        self.expect(done, 3, "failed inside communication", "out of host memory")
        self.expect(self.start(*arguments, "--resume", preexec_fn=limit), 0, "is given up: rank 1: out of host memory")
        table = rows(self.path("out.h5"))
        row = table["test/fault fault=memory number=0 ranks=2 when=inside"]
        self.assertEqual(row["status"], "oom")
        self.assertIn("rank 1: out of host memory; the run ended during phase", row["reason"])
        self.assertEqual(table["test/fault fault=none number=0 ranks=2 when=inside"]["status"], "ok")

    def test_late_rank_is_named(self):
        done = self.start("test/fault", *axes("fault=none,late", "when=inside"), "--timeout", "3")
        self.expect(done, 3, "no sign of life", "rank 1", "fault=late")
        self.assertEqual(len([r for r in rows(self.path("out.h5.parts")).values() if r["status"] == "ok"]), 1)

    def test_stopped_rank_is_named(self):
        done = self.start("test/fault", *axes("fault=none,stop", "when=inside"), "--timeout", "4")
        self.expect(done, 3, "rank 1", "is stopped", "fault=stop")

    def test_killed_rank_is_named_by_the_survivor(self):
        done = self.start("test/fault", *axes("fault=none,kill", "when=inside"))
        self.expect(done, 137, "rank 1", "is gone")
        self.assertEqual(len([r for r in rows(self.path("out.h5.parts")).values() if r["status"] == "ok"]), 1)


if __name__ == "__main__":
    unittest.main()
