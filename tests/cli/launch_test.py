# SPDX-License-Identifier: Apache-2.0
"""Getting memory and giving it back, launches, events: what a machine lacks is a row with the reason."""
import ctypes
import resource
import unittest

from harness import ProgramTest, rows, run

PR_CAPBSET_DROP, CAP_IPC_LOCK = 24, 14
NO_GPU = "CUDA|GPU"
KINDS = ["pageable", "pinned", "registered", "write_combined", "managed", "huge_pages", "locked", "device"]


def lose_the_right_to_lock():
    """Of the process that is about to start and all that it starts: no limit to use, no capability to go beyond."""
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0)


class MemoryRegistration(ProgramTest):
    def measure(self, **how):
        out = self.path("memory.h5")
        self.expect(run("run", "micro/memory_registration", "-a", "bytes=4097,1M", "-n", "5", "-o", out, ranks=2, **how), 0)
        table = {(row["params"]["host_memory"], row["params"]["bytes"]): row for row in rows(out).values()}
        self.assertEqual(set(table), {(kind, size) for kind in KINDS for size in (4097, 1 << 20)})
        for (kind, _), row in table.items():
            if kind in ("pinned", "registered", "write_combined", "managed", "device") and row["status"] == "skipped":
                self.assertRegex(row["reason"], NO_GPU)
            elif kind == "huge_pages" and row["status"] != "ok":
                self.assertRegex(row["reason"], "huge pages")
            elif kind != "locked":
                self.assertEqual(row["status"], "ok", row["reason"])
        return table

    def test_kinds_of_a_host(self):
        table = self.measure()
        for (kind, size), row in table.items():
            if row["status"] != "ok":
                continue
            metrics, facts = row["metrics"], row["facts"]
            for name in ("time", "release_time"):
                self.assertEqual((metrics[name]["unit"], metrics[name]["n"]), ("s", 5), f"{kind} {name}")
            self.assertEqual((row["primary"], metrics["bandwidth"]["unit"]), ("time", "By/s"))
            self.assertAlmostEqual(metrics["bandwidth"]["median"] * metrics["time"]["median"] / size, 1, delta=1e-6)
            self.assertIn("peak_missing", facts)
            if kind != "device":
                self.assertEqual(facts["pages"], -(-size // facts["page_bytes"]))
                self.assertEqual(row["verified"], {"done": True, "checked": 2 * 2 * facts["pages"], "wrong": 0})
        self.assertEqual(table["pageable", 4097]["facts"]["time_of"], "mmap, a write to each page")
        self.assertEqual(table["pageable", 4097]["facts"]["release_time_of"], "munmap")
        facts = table["pageable", 4097]["facts"]
        self.assertEqual(facts["moved_bytes"], 2 * facts["page_bytes"], "whole pages are filled")
        locked = table["locked", 4097]
        if locked["status"] == "ok":
            self.assertEqual((locked["facts"]["time_of"], locked["facts"]["moved_bytes"]), ("mlock of touched pages", 0))
        else:
            self.assertIn("no permission to lock 8 KiB of memory (RLIMIT_MEMLOCK: ", locked["reason"])

    def test_no_permission_to_lock(self):
        table = self.measure(preexec_fn=lose_the_right_to_lock)
        for size, text in ((4097, "8 KiB"), (1 << 20, "1 MiB")):
            row = table["locked", size]
            self.assertEqual((row["status"], row["reason"]),
                             ("skipped", f"no permission to lock {text} of memory (RLIMIT_MEMLOCK: 0 B)"))


class OnGpus(ProgramTest):
    def measure(self, *arguments):
        out = self.path("gpu.h5")
        done = run("run", *arguments, "-n", "3", "-o", out, ranks=2)
        table = rows(out)
        skipped = [row for row in table.values() if row["status"] == "skipped"]
        self.expect(done, 4 if len(skipped) == len(table) else 0)
        for row in skipped:
            self.assertRegex(row["reason"], NO_GPU)
        return table

    def test_launches(self):
        table = self.measure("micro/kernel_launch")
        self.assertEqual(len(table), 5 * 3)
        self.assertIn("micro/kernel_launch ranks=2", table, "plain launches in one stream are implied")
        self.assertIn("micro/kernel_launch graph_nodes=1000 ranks=2 streams=16", table)
        for row in table.values():
            if row["status"] == "ok":
                self.assertLessEqual({"latency", "launch_time", "start_latency"}, set(row["metrics"]))
                self.assertIn("discarded_samples", row["facts"])
                self.assertTrue("queue_time" in row["metrics"] or row["facts"]["queue_time_missing"])

    def test_events(self):
        table = self.measure("micro/event", "-a", "timing=true,false")
        self.assertEqual(set(table), {f"micro/event operation={name} ranks=2{timing}" for name, timing in
                                      [(name, timing) for timing in ("", " timing=false")
                                       for name in ("create", "destroy", "record", "synchronize")] +
                                      [(name, "") for name in ("elapsed", "stream_synchronize", "device_synchronize")]})
        for row in table.values():
            if row["status"] == "ok":
                self.assertEqual(row["metrics"]["time"]["unit"], "s")


if __name__ == "__main__":
    unittest.main()
