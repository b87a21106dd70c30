# SPDX-License-Identifier: Apache-2.0
"""`import` of what IMB prints, and the same lines by `export`."""
import re
import unittest

from harness import rows, run
from converting import GOLDEN, RESULTS, Exporting, Importing, table


class Imb(Importing):
    def test_all_tables(self):
        found = self.take(GOLDEN / "imb" / "pingpong_allreduce_barrier.txt")
        printed = table(GOLDEN / "imb" / "pingpong_allreduce_barrier.txt")
        self.assertEqual(len(found), len(printed))
        sizes = 0
        for cells in printed:
            if cells is printed[-1]:
                row, want = found["micro/barrier backend=mpi ranks=2"], {
                    "latency": cells[3], "latency_min": cells[1], "latency_max": cells[2]}
            elif len(cells) == 4:
                row = found[f"micro/pingpong backend=mpi bytes={cells[0]} memory=host ranks=2"]
                want = {"latency": cells[2], "bandwidth": cells[3]}
                sizes += 1
            else:
                row = found[f"micro/allreduce backend=mpi bytes={cells[0]} memory=host ranks=2"]
                want = {"latency": cells[4], "latency_min": cells[2], "latency_max": cells[3]}
            self.assertEqual(set(row["metrics"]), set(want))
            for metric, text in want.items():
                scale = 1e6 if metric == "bandwidth" else 1e-6
                self.assertAlmostEqual(self.value(row, metric), float(text) * scale, delta=1e-9 * scale)
            self.assertEqual((row["primary"], row["facts"]["iterations"]), ("latency", 50))
        self.assertEqual(sizes, 14)

    def test_types_ranks_and_tests_that_are_not_ours(self):
        text = ("# MPI_Datatype for reductions    :   MPI_DOUBLE\n# Benchmarking Allreduce\n# #processes = 8\n"
                "# ( 4 additional processes waiting in MPI_Barrier )\n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n8 100 1 3 2\n"
                "# Benchmarking Multi-Exchange\n# #processes = 4\n#bytes #repetitions t_avg[usec] t_new[usec]\n8 100 2.5 1\n")
        found = self.take(self.write(text), said=('"t_new[usec]" is not known',))
        self.assertEqual(sorted(found), ["imb/multi_exchange backend=mpi bytes=8 memory=host ranks=4",
                                         "micro/allreduce backend=mpi bytes=8 dtype=fp64 memory=host ranks=8"])

    def test_non_blocking_collectives(self):
        head = "# Benchmarking {}\n# #processes = 4; rank order (rowwise): \n#    0    2\n# \n"
        columns = " #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n"
        text = (head.format("Iallreduce") + "       #bytes" + columns + "            8         1000        30.50        20.25        20.00        48.15\n" +
                head.format("Ibarrier") + columns + "         1000        31.50        21.25        21.00        51.00\n" +
                head.format("Ireduce_scatter_pure") + "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n8 100 1 3 2\n")
        found = self.take(self.write(text))
        keys = ("micro/allreduce backend=mpi bytes=8 call=nonblocking memory=host ranks=4",
                "micro/barrier backend=mpi call=nonblocking ranks=4",
                "imb/ireduce_scatter_pure backend=mpi bytes=8 memory=host ranks=4")
        self.assertEqual(set(found), set(keys))
        for key, wanted in zip(keys, ((30.5, 20.25, 20, 48.15), (31.5, 21.25, 21, 51))):
            row = found[key]
            for metric, want in zip(("overall_time", "latency", "compute_time"), wanted):
                self.assertAlmostEqual(self.value(row, metric), want * 1e-6, delta=1e-18)
                self.assertEqual(row["metrics"][metric]["unit"], "s")
            self.assertAlmostEqual(self.value(row, "overlap_ratio"), wanted[3] * 1e-2, delta=1e-15)
            self.assertEqual((row["primary"], row["facts"]["iterations"]), ("latency", 1000))

    def test_groups_modes_and_rates(self):
        groups = "# Benchmarking {} \n# ( 2 groups of 2 processes each running simultaneous ) \n# Group  0:     0    1\n#\n"
        text = (groups.format("Multi-PingPong") + "        Group       #bytes #repetitions      t[usec]   Mbytes/sec\n\n"
                "            0            8          100         0.25        32.00\n            1            8          100         0.50        16.00\n" +
                "".join(f"# Benchmarking Unidir_Put \n# #processes = 2 \n#\n#    MODE: {mode} \n#\n"
                        f"#bytes #repetitions t[usec] Mbytes/sec\n8 100 {time} 8.00\n" for mode, time in (("AGGREGATE", 1), ("NON-AGGREGATE", 2))) +
                "# Benchmarking Uniband \n# #processes = 2 \n#bytes #repetitions Mbytes/sec Msg/sec\n8 100 80.50 10062500\n")
        found = self.take(self.write(text))
        self.assertEqual({key: float(f"{self.value(row, row['primary']):.9g}") for key, row in found.items()}, {
            "imb/multi_pingpong backend=mpi bytes=8 group=0 groups=2 memory=host ranks=4": 0.25e-6,
            "imb/multi_pingpong backend=mpi bytes=8 group=1 groups=2 memory=host ranks=4": 0.5e-6,
            "imb/unidir_put backend=mpi bytes=8 memory=host mode=aggregate ranks=2": 1e-6,
            "imb/unidir_put backend=mpi bytes=8 memory=host mode=non_aggregate ranks=2": 2e-6,
            "imb/uniband backend=mpi bytes=8 memory=host ranks=2": 80.5e6})
        rates = found["imb/uniband backend=mpi bytes=8 memory=host ranks=2"]["metrics"]
        self.assertEqual((rates["message_rate"]["median"], rates["message_rate"]["unit"]), (10062500, "1/s"))

    def test_sizes_of_all_ranks_are_divided(self):
        table = "# Benchmarking P_Read_Indv \n# #processes = 2 \n#    MODE: AGGREGATE \n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec\n"
        found = self.take(self.write(table + "64 10 1.00 2.00 1.50 32.00\n4096 out-of-mem.; needed X=   8.001 GB\n"))
        key = "micro/mpi_io bytes={} collective_io=false operation=read pointer=individual ranks=2 sync=false"
        self.assertEqual({one: row["status"] for one, row in found.items()}, {key.format(32): "ok", key.format(2048): "skipped"})
        # IMB divides in units of an int. Where ranks get unequal parts, the row keeps IMB's name and size.
        unequal = self.take(self.write(table + "".join(f"{size} 10 1.00 2.00 1.50 32.00\n" for size in (0, 4, 6, 8, 65))))
        self.assertEqual(sorted(unequal), sorted(
            [key.format(size) for size in (0, 4)] +
            [f"imb/p_read_indv backend=mpi bytes={size} memory=host mode=aggregate ranks=2" for size in (4, 6, 65)]))

    def test_tests_of_all_ranks_are_not_those_of_two(self):
        text = ("#    Intel(R) MPI Benchmarks 2021.7, IMB-P2P part\n# Benchmarking PingPong\n# #processes = 4\n"
                "#bytes #repetitions t[usec] Mbytes/sec Msg/sec\n8 100 0.25 32.00 4000000\n\n\n# All processes entering MPI_Finalize\n")
        row, = self.take(self.write(text)).values()
        self.assertEqual(row["key"], "imb/p2p_pingpong backend=mpi bytes=8 memory=host ranks=4")
        self.assertEqual(set(row["metrics"]), {"latency", "bandwidth", "message_rate"})

    def test_sizes_that_were_not_measured_are_skipped(self):
        reasons = ('out-of-mem.; needed X=   8.001 GB; use flag "-mem X" or MAX_MEM_USAGE>=X (IMB_mem_info.h)',
                   "int-overflow.; The production rank*size caused int overflow for given sample",
                   "time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over; use \"-time X\" or SECS_PER_SAMPLE=X")
        text = ("# Benchmarking Alltoall \n# #processes = 2 \n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n"
                "8 100 1.00 3.00 2.00\n" + "".join(f"{1 << 20 + i:>13} {reason}\n" for i, reason in enumerate(reasons)) +
                "# Benchmarking Barrier \n# #processes = 2 \n#repetitions t_min[usec] t_max[usec] t_avg[usec]\n            0 time-out.; over\n")
        found = self.take(self.write(text))
        self.assertEqual(found.pop("micro/alltoall backend=mpi bytes=8 memory=host ranks=2")["status"], "ok")
        self.assertEqual(found.pop("micro/barrier backend=mpi ranks=2")["status"], "skipped")
        self.assertEqual(len(found), 3)
        for i, reason in enumerate(reasons):
            row = found[f"micro/alltoall backend=mpi bytes={1 << 20 + i} memory=host ranks=2"]
            self.assertEqual((row["status"], row["metrics"]), ("skipped", {}))
            self.assertTrue(row["reason"].startswith("IMB: " + reason[:60]), row["reason"])

    def test_what_is_wrong_is_named(self):
        head = "# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec] Mbytes/sec\n"
        for content, said in ((head + "1 2 3\n", ":4: expected 4 columns"), (head + "1 2 x 3\n", ":4: expected a number"),
                              ("# Benchmarking PingPong\n1 2 3 4\n", ":2: expected"), (head, "no row"),
                              (head.replace("= 2", "= -2"), "an integer")):
            self.take(self.write(content), code=3, said=(said,))


class Printed(Exporting):
    def test_imb_prints_what_imb_printed(self):
        """A text of IMB's, imported and exported, has the same lines."""
        for golden in sorted((GOLDEN / "imb").glob("*.txt")):
            with self.subTest(golden.stem):
                self.check_imb(golden)

    def check_imb(self, golden):
        self.expect(run("import", golden, "-o", self.path("a.h5"), "--force"), 0)
        printed = run("export", self.path("a.h5"), "--to", "imb").stdout
        # Tables of our own tests: not PingPingMT, which is SendRecvMT of two ranks, and not accesses that are completed all at once.
        theirs = [table for table in self.imb_tables(golden.read_text())
                  if "PingPingMT" not in table[0] and not ("MODE: AGGREGATE" in " ".join(table) and "Read" not in table[0] and "IW" not in table[0])]
        mine = self.imb_tables(printed)
        self.assertEqual(mine, theirs)
        with open(self.path("again.txt"), "w", encoding="utf-8") as file:
            file.write(printed)
        self.expect(run("import", self.path("again.txt"), "-o", self.path("b.h5"), "--force"), 0)
        first = {key: row for key, row in rows(self.path("a.h5")).items() if row["name"].startswith("micro/")}
        second = rows(self.path("b.h5"))
        self.assertEqual(list(first), list(second))
        for key, row in first.items():
            self.assertEqual(row["metrics"], second[key]["metrics"])

    @staticmethod
    def imb_tables(text):
        """The lines of each table, without those of dashes and of Scalemark."""
        found = []
        for line in map(str.rstrip, text.splitlines()):
            if line.startswith("# Benchmarking "):
                found.append([])
            if found and line and not set(line) <= {"#", "-"} and not re.search("Scalemark|MPI_Finalize|not in this", line):
                found[-1].append(line)
        return found

    def test_what_imb_cannot_say_comes_back(self):
        shown, text = rows(RESULTS / "run-1.h5"), self.export("run-1.h5", "--to", "imb")
        with open(self.path("a.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        self.expect(run("import", self.path("a.txt"), "-o", self.path("a.h5")), 0)
        found = rows(self.path("a.h5"))
        names = ("micro/pingpong", "micro/allreduce", "micro/allgather")
        self.assertEqual(set(found), {key for key, row in shown.items() if row["status"] == "ok" and row["name"] in names})
        with open(self.path("b.txt"), "w", encoding="utf-8") as file:
            file.write(text.replace("backend=mpi memory=host ranks=2", "nothing"))
        self.expect(run("import", self.path("b.txt"), "-o", self.path("b.h5")), 3, "axis=value")


if __name__ == "__main__":
    unittest.main()
