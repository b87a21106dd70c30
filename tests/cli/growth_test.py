# SPDX-License-Identifier: Apache-2.0
"""Processor time and memory grow with the input, not with its square: `import` of whole files, `report`, `compare` and `predict`. The
readers alone are in tests/common/formats/growth_test.cpp, where larger files cost less. What each takes is printed, and no
time is asserted.

    growth_test.py
"""
import json
import os
import subprocess
import unittest

from harness import FILES, ProgramTest

# The larger input by the smaller, and how much longer it may take: linear is 4, quadratic is 16.
SPAN = 4
MOST_GROWTH = 8
MIB = 1 << 20


class Growth(ProgramTest):
    def usage(self, *command, code=0):
        """Processor time in s, and most resident bytes of the program or of the child that reads its files."""
        with open(self.path("printed"), "w", encoding="utf-8") as printed:
            process = subprocess.Popen([FILES, *map(str, command)], stdout=printed, stderr=printed, stdin=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        with open(self.path("printed"), encoding="utf-8") as printed:
            self.assertEqual(process.returncode, code, f"{command}: {printed.read(2000)}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024

    def grows(self, n, command):
        """`command(n)` gives the arguments for n entries. The least of up to three runs counts: the machine may be busy."""
        seconds, memory = [float("inf")] * 2, [0, 0]
        for _ in range(3):
            for i in range(2):
                used, memory[i] = self.usage(*command((1, SPAN)[i] * n))
                seconds[i] = min(seconds[i], used)
            if seconds[1] < MOST_GROWTH * seconds[0]:
                break
        print(f"{self.id().rsplit('.', 1)[-1]}: {n} and {SPAN * n}: {seconds[0]:.2f} and {seconds[1]:.2f} s of processor time, "
              f"{memory[0] / MIB:.0f} and {memory[1] / MIB:.0f} MiB", flush=True)
        self.assertLess(seconds[1], MOST_GROWTH * seconds[0])
        self.assertLess(memory[1], 1.1 * SPAN * memory[0])

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def osu(self, n, time=lambda i: 2 + i / 1000):
        rows = "".join(f"{64 * i} {time(i):.3f}\n" for i in range(1, n + 1))
        return self.write(f"osu-{n}.txt", "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n" + rows)

    @staticmethod
    def cases(n, first=1):
        return {f"a/b number={i}": {"metric": "time", "unit": "s", "scale": 1e-9, "samples": [first, first + 1 + i % 7, first + i % 3]}
                for i in range(n)}

    def imported(self, source, name):
        self.usage("import", source, "-o", self.path(name), "--force")
        return self.path(name)

    def result(self, n, run="1"):
        line = json.dumps({"run": run, "cases": self.cases(n, 100 + len(run))})
        return self.imported(self.write(f"{run}-{n}.jsonl", line + "\n"), f"{run}-{n}.h5")


class Import(Growth):
    def importing(self, n, write):
        files = {count: write(count) for count in (n, SPAN * n)}
        self.grows(n, lambda count: ("import", files[count], "-o", self.path(f"out-{count}"), "--force"))

    def test_rows_of_text(self):
        self.importing(400, self.osu)

    def test_cases_of_a_json_line(self):
        self.importing(400, lambda n: self.write(f"{n}.jsonl", json.dumps({"run": 1, "cases": self.cases(n)}) + "\n"))

    def test_runs_of_json_lines(self):
        self.importing(100, lambda n: self.write(f"{n}.jsonl", "".join(
            json.dumps({"run": run, "cases": self.cases(1)}) + "\n" for run in range(n))))

    def test_memory_for_json_is_a_multiple_of_the_text(self):
        """What is small as text and large in memory: empty objects. An object takes some 100 bytes."""
        for one in ("{}", "[]", "{\"a\":1}"):
            text = "{\"run\":1,\"cases\":{\"a\":[" + ",".join([one] * 300_000) + "]}}\n"
            _, memory = self.usage("import", self.write("hostile.jsonl", text), "-o", self.path("none.h5"), code=3)
            print(f"{len(text) / MIB:.1f} MiB of {one}: {memory / MIB:.0f} MiB", flush=True)
            self.assertLess(memory, 64 * MIB + 80 * len(text), one)


class Report(Growth):
    def reporting(self, n, files):
        given = {count: files(count) for count in (n, SPAN * n)}
        self.grows(n, lambda count: ("report", *given[count], "-o", self.path("page.html"), "--force"))

    def test_sizes_of_a_curve(self):
        """A curve that follows no model, so that its fit is tried with fewer and fewer sizes."""
        self.reporting(350, lambda n: [self.imported(self.osu(n, lambda i: 2 + i % 97), f"curve-{n}.h5")])

    def test_rows(self):
        self.reporting(300, lambda n: [self.result(n)])

    def test_runs(self):
        def runs(n):
            lines = "".join(json.dumps({"run": run, "cases": self.cases(3, 100 + run % 5)}) + "\n" for run in range(n))
            folder = self.imported(self.write(f"runs-{n}.jsonl", lines), f"runs-{n}")
            return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        self.reporting(20, runs)


class Compare(Growth):
    def test_rows(self):
        sides = {count: (self.result(count, "a"), self.result(count, "bb")) for count in (150, SPAN * 150)}
        self.grows(150, lambda count: ("compare", sides[count][0], "--against", sides[count][1]))


class Predict(Growth):
    def test_sizes(self):
        """Each measured size is predicted, from those beside it."""
        def rows(sizes):
            cases = {f"micro/allreduce bytes={64 * size} ranks={ranks}": {"metric": "latency", "unit": "s", "scale": 1e-9,
                                                                          "samples": [1000 * ranks + size]}
                     for size in range(1, sizes + 1) for ranks in (2, 4, 8)}
            return self.imported(self.write(f"rows-{sizes}.jsonl", json.dumps({"run": "1", "cases": cases}) + "\n"), f"rows-{sizes}.h5")
        files = {count: rows(count) for count in (500, SPAN * 500)}
        self.grows(500, lambda count: ("predict", "--from", files[count], "--workload", "micro/allreduce", "-a", "ranks=16"))


if __name__ == "__main__":
    unittest.main()
