# SPDX-License-Identifier: Apache-2.0
"""Peaks of memory and cores: fractions of what --peak says, reasons where nobody tells, what info prints."""
import json
import os
import unittest

from harness import ProgramTest, rows, run

COPIES = ["micro/memcpy", "-a", "direction=h2h", "-a", "host_memory=pageable", "-a", "bytes=4096"]
STREAM = ["micro/stream", "-a", "operation=triad", "-a", "bytes=80000", "-a", "device=cpu", "-a", "threads=1"]


class Peaks(ProgramTest):
    def measure(self, *arguments, ranks=1, peak=""):
        out = self.path("out.h5")
        if peak:
            with open(self.path("peak.toml"), "w", encoding="ascii") as file:
                file.write(peak)
            arguments += ("--peak", self.path("peak.toml"))
        self.expect(run("run", *arguments, "-n", "4", "--force", "-o", out, ranks=ranks), 0)
        found = rows(out)
        self.assertTrue(found)
        return found

    def test_ranks_share_the_memory_that_is_given(self):
        peak = "[memory]\nhost = 8e9\nnuma_node = 4e9\n"
        whole = {}
        for ranks in (1, 2):
            table = self.measure(*COPIES, "-a", f"ranks={ranks}", "-a", "devices=one,all", "--placement", "none", ranks=ranks, peak=peak)
            for key, row in table.items():
                sharers = ranks if "devices=one" not in key else 1
                facts, metrics = row["facts"], row["metrics"]
                whole[key] = facts["peak_bandwidth"] * sharers * 2
                self.assertEqual(facts["moved_bytes"], 2 * 4096)
                self.assertEqual(facts["peak_source"], "--peak" + (f", shared by {ranks} ranks" if sharers > 1 else ""), key)
                self.assertAlmostEqual(metrics["peak_fraction"]["median"] * facts["peak_bandwidth"] / metrics["bandwidth"]["median"],
                                       1, places=9, msg=key)
        self.assertEqual(len(whole), 3)
        # Ranks that are not bound have the host's memory, or that of its only node.
        self.assertEqual(len(set(whole.values())), 1, whole)
        self.assertIn(set(whole.values()).pop(), (4e9, 8e9))

    def test_a_row_of_bytes_and_flops_has_one_fraction(self):
        for stores, arrays in (("plain", 4), ("non_temporal", 3)):
            for key, row in self.measure(*STREAM, "-a", f"stores={stores}", peak="[memory]\nhost = 8e9\nnuma_node = 8e9\n").items():
                if row["status"] == "skipped":
                    continue
                self.assertIn("achieved_flops", row["metrics"])
                self.assertAlmostEqual(row["facts"]["peak_bandwidth"], 8e9 * 3 / arrays, delta=1, msg=key)
                self.assertEqual(row["facts"]["peak_source"], "--peak")

    def test_without_a_peak_there_is_a_reason(self):
        for arguments in (COPIES, STREAM):
            for key, row in self.measure(*arguments).items():
                told = "peak_fraction" in row["metrics"]
                self.assertNotEqual(told, bool(row["facts"].get("peak_missing")), key)
                self.assertEqual(told, "peak_source" in row["facts"], key)

    def test_info_tells_peaks_or_why_not(self):
        machine = json.loads(run("info", "--json").stdout)["machine"]
        for peak in (machine["memory"], machine["numa_node_memory"], machine["network"]):
            self.assertNotEqual("bytes_per_second" in peak, bool(peak.get("missing")))
        flops = machine["core_flops"]
        if "missing" not in flops:
            self.assertGreater(flops["fp64"]["flops_per_second"], 1e9)
            self.assertEqual(flops["fp32"]["flops_per_second"], 2 * flops["fp64"]["flops_per_second"])
        for gpu in machine["gpus"]:
            self.assertNotEqual("bytes_per_second" in gpu["memory"], bool(gpu["memory"].get("missing")))
        text = run("info").stdout
        self.assertRegex(text, r"\n  memory (unknown: \w|[\d.]+ [GT]B/s \()")
        self.assertRegex(text, r"\n  CPU peak (unknown: \w|fp64 [\d.]+ GFLOP/s per core \()")
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            if " hypervisor" in file.read():
                self.assertIn("virtual machine", flops["missing"])
                self.assertIn("virtual machine", machine["memory"]["missing"])


class Nvbandwidth(ProgramTest):
    def test_run_and_show_print_one_object(self):
        out = self.path("out.h5")
        done = run("run", "micro/memcpy", "-a", "direction=h2d,h2h", "-a", "host_memory=pinned,pageable", "-a", "bytes=4K,8K", "-n", "4",
                   "-o", out, "--format", "nvbandwidth")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        printed = json.loads(done.stdout)["nvbandwidth"]
        self.assertRegex(printed["version"], r"^scalemark \d")
        test, = printed["testcases"]
        self.assertEqual(test["name"], "host_to_device_memcpy_ce")
        measured = any(row["status"] == "ok" and "direction=h2d host_memory=pinned" in key for key, row in rows(out).items())
        self.assertEqual(test["status"], "Passed" if measured else "Waived")
        self.assertIn("bytes=8192", test["scalemark_key"])
        self.assertRegex(done.stderr, "not in this format: micro/memcpy bytes=4096 direction=h2d host_memory=pageable")
        shown = run("show", out, "--format", "nvbandwidth")
        self.assertEqual(json.loads(shown.stdout)["nvbandwidth"]["testcases"], printed["testcases"])
        exported = run("export", out, "--to", "nvbandwidth").stdout
        with open(self.path("a.json"), "w", encoding="utf-8") as file:
            file.write(exported)
        self.expect(run("import", self.path("a.json"), "-o", self.path("back.h5")), 0)
        back, = rows(self.path("back.h5")).items()
        self.assertEqual((back[0], back[1]["status"]), (test["scalemark_key"], "ok" if measured else "skipped"))
        self.assertTrue(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
