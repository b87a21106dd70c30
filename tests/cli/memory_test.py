# SPDX-License-Identifier: Apache-2.0
"""Memory, products and files on the host: keys, what is counted and moved, verification, rows that are skipped with a reason."""
import os
import unittest

from harness import ProgramTest, rows, run


class Memory(ProgramTest):
    def measure(self, *arguments, ranks=0, code=0, env=None):
        out = self.path("out.h5")
        self.expect(run("run", *arguments, "-n", "4", "--force", "-o", out, ranks=ranks, env=env), code)
        return rows(out)

    def check_row(self, key, row):
        self.assertEqual(row["status"], "ok", f"{key}: {row['reason']}")
        self.assertTrue(row["verified"]["done"], key)
        self.assertEqual(row["verified"]["wrong"], 0, key)
        self.assertGreater(row["verified"]["checked"], 0, key)


class Copies(Memory):
    COPY = ["micro/memcpy", "-a", "direction=h2h", "-a", "host_memory=pageable"]

    def test_each_byte_counts_once_and_moves_twice(self):
        table = self.measure(*self.COPY, "-a", "bytes=4,1000,1M")
        self.assertEqual(set(table), {f"micro/memcpy bytes={size} direction=h2h host_memory=pageable ranks=1"
                                      for size in (4, 1000, 1 << 20)})
        for key, row in table.items():
            self.check_row(key, row)
            size = row["params"]["bytes"]
            self.assertEqual(row["facts"]["moved_bytes"], 2 * size)
            self.assertEqual(row["primary"], "time")
            time, bandwidth = row["metrics"]["time"]["median"], row["metrics"]["bandwidth"]["median"]
            self.assertAlmostEqual(bandwidth * time / size, 1, 6, key)

    def test_ranks_together_and_in_turn(self):
        table = self.measure(*self.COPY, "-a", "bytes=64K", "-a", "devices=one,all", "-a", "ranks=1,2,3", ranks=3)
        key = "micro/memcpy bytes=65536 {}direction=h2h host_memory=pageable ranks={}"
        self.assertEqual(set(table), {key.format("", 1)} | {key.format(devices, ranks) for ranks in (2, 3)
                                                            for devices in ("", "devices=one ")},
                         "one rank alone is both, and all at once needs no name")
        for name, row in table.items():
            self.check_row(name, row)
            together = row["params"]["ranks"] > 1 and "devices=one" not in name
            for metric in ("alone_time", "alone_bandwidth", "total_bandwidth", "loss"):
                self.assertEqual(metric in row["metrics"], together, f"{metric} of {name}")
            if not together:
                continue
            time, alone = row["metrics"]["time"]["median"], row["metrics"]["alone_time"]["median"]
            self.assertEqual(row["metrics"]["loss"]["better"], "lower")
            self.assertLess(row["metrics"]["loss"]["median"], 1)
            total, each = row["metrics"]["total_bandwidth"]["median"], row["metrics"]["bandwidth"]["median"]
            self.assertAlmostEqual(total / each, row["params"]["ranks"], 6)
            self.assertGreater(min(time, alone), 0)

    def test_what_is_not_here_is_a_row_with_its_reason(self):
        table = self.measure("micro/memcpy", "-a", "bytes=4K", "-a", "direction=h2h", "-a", "numa=local,remote,15", code=0)
        reasons = {row["params"].get("numa", "local"): row for key, row in table.items() if "pageable" in key}
        self.check_row("local", reasons["local"])
        self.assertEqual(reasons["15"]["status"], "skipped")
        self.assertIn("no NUMA node 15", reasons["15"]["reason"])
        if not os.path.isdir("/sys/devices/system/node/node1"):
            self.assertEqual(reasons["remote"]["reason"], "the machine has one NUMA node")
        for key, row in self.measure("micro/memcpy", "-a", "bytes=4K", "-a", "direction=h2d,d2h,d2d,bidirectional", "-a",
                                     "host_memory=pageable,pinned,registered,write_combined,managed,huge_pages", "-a",
                                     "engine=copy_engine,kernel", code=4, env={"CUDA_VISIBLE_DEVICES": ""}).items():
            self.assertEqual(row["status"], "skipped", key)
            self.assertRegex(row["reason"], "CUDA|GPU", key)
        with open("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", encoding="ascii") as file:
            free = int(file.read())
        (key, row), = self.measure("micro/memcpy", "-a", "bytes=4K", "-a", "direction=h2h", "-a", "host_memory=huge_pages",
                                   code=0 if free else 4).items()
        self.assertEqual((row["status"], row["reason"]), ("ok", "") if free else ("skipped", "no 2 MiB huge pages free"), key)


class Stream(Memory):
    def test_bytes_and_flops_are_those_of_stream(self):
        table = self.measure("micro/stream", "-a", "bytes=80000", "-a", "stores=plain,non_temporal", "-a", "dtype=fp64,fp32", "-a",
                             "threads=1,2")
        self.assertEqual(len(table), 4 * 2 * 2 * 2)
        arrays = {"copy": (2, 0), "scale": (2, 1), "add": (3, 1), "triad": (3, 2)}
        for key, row in table.items():
            self.check_row(key, row)
            counted, flops = arrays[row["params"]["operation"]]
            past_caches = row["params"].get("stores") == "non_temporal"
            self.assertEqual(row["facts"]["moved_bytes"], (counted + (0 if past_caches else 1)) * 80000, key)
            time = row["metrics"]["time"]["median"]
            self.assertAlmostEqual(row["metrics"]["bandwidth"]["median"] * time / (counted * 80000), 1, 6, key)
            elements = 80000 // (4 if row["params"].get("dtype") == "fp32" else 8)
            if flops:
                self.assertAlmostEqual(row["metrics"]["achieved_flops"]["median"] * time / (flops * elements), 1, 6, key)
            else:
                self.assertNotIn("achieved_flops", row["metrics"], key)

    def test_sizes_that_fill_no_page_are_whole(self):
        for key, row in self.measure("micro/stream", "-a", "bytes=8,4096,36872", "-a", "threads=3", "-a",
                                     "stores=plain,non_temporal").items():
            self.check_row(key, row)
            self.assertEqual(row["verified"]["checked"], 2 * (row["params"]["bytes"] // 8), "the first and the last " + key)


class Latency(Memory):
    def test_a_set_beyond_the_caches_takes_longer(self):
        """Loads of main memory take some 50 times those of the first cache: twice is beyond any noise."""
        table = self.measure("micro/memory_latency", "-a", "bytes=64,100,16K,64M")
        times = {row["params"]["bytes"]: row["metrics"]["load_latency"]["median"] for row in table.values()}
        self.assertEqual(set(times), {64, 100, 16 << 10, 64 << 20})
        self.assertGreater(times[64 << 20], 2 * times[16 << 10])
        for key, row in table.items():
            self.assertEqual((row["status"], row["verified"]["wrong"]), ("ok", 0), key)


class Files(Memory):
    def test_every_way_of_reading(self):
        folder = self.path("files")
        table = self.measure("micro/file_read", "-a", "bytes=4K,100000", "-a", "file_bytes=1M", "--data", f"file_read={folder}",
                             "-a", "access=sequential,random,files")
        self.assertEqual(len(table), 3 * 3 * 2)
        for key, row in table.items():
            size, cache = row["params"]["bytes"], row["params"]["cache"]
            if cache == "direct" and size % 4096:
                self.assertEqual((row["status"], row["reason"]), ("skipped", "direct reads must be multiples of 4096 B"))
                continue
            if row["status"] == "skipped":  # a file system in memory
                self.assertRegex(row["reason"], "keeps the file in memory|cannot open", key)
                self.assertIn(cache, ("cold", "direct"), key)
                continue
            self.check_row(key, row)
            self.assertEqual(row["verified"]["checked"], 2 * size, "the first read and the last one")
            time, rate = row["metrics"]["time"]["median"], row["metrics"]["read_rate"]["median"]
            self.assertAlmostEqual(rate * time, 1, 6, key)
            self.assertAlmostEqual(row["metrics"]["bandwidth"]["median"] * time / size, 1, 6, key)
        self.assertGreater(len(os.listdir(folder)), 0, "the files are kept for the next run")

    def test_a_changed_file_is_wrong_data(self):
        folder = self.path("files")
        point = ["micro/file_read", "-a", "bytes=4K", "-a", "access=random", "-a", "cache=page_cache", "-a", "file_bytes=64K",
                 "--data", f"file_read={folder}"]
        self.measure(*point)
        name, = os.listdir(folder)
        with open(os.path.join(folder, name), "r+b") as file:
            content = bytearray(file.read())
            for i in range(4096, len(content) - 4096):  # begin and end, by which the file is known, stay
                content[i] ^= 1
            file.seek(0)
            file.write(content)
        out = self.path("wrong.h5")
        self.expect(run("run", *point, "-n", "2", "-o", out), 6)
        (_, row), = rows(out).items()
        self.assertEqual(row["status"], "failed")
        self.assertGreater(row["verified"]["wrong"], 0)

    def test_a_folder_that_cannot_be_written_is_a_reason(self):
        blocked = self.path("blocked")
        with open(blocked, "w", encoding="ascii") as file:
            file.write("no folder")
        for key, row in self.measure("micro/file_read", "-a", "bytes=4K", "--data", f"file_read={blocked}", code=4).items():
            self.assertEqual(row["status"], "skipped", key)
            self.assertIn(blocked, row["reason"])


class Products(Memory):
    def test_shapes_and_types(self):
        table = self.measure("micro/gemm", "-a", "shape=square,key_value,query", "-a", "model=1b,8b", "-a", "rows=16", "-a",
                             "precision=fp64,fp32,bf16,tf32,fp8,fp4", "-a", "device=cpu",
                             code=0 if self.has_torch() else 4)
        self.assertEqual(len(table), (1 + 2 * 2) * 6, "a square is of no model")
        sizes = {("square", "8b"): (16, 16, 16), ("key_value", "1b"): (16, 512, 2048), ("key_value", "8b"): (16, 1024, 4096),
                 ("query", "1b"): (16, 2048, 2048), ("query", "8b"): (16, 4096, 4096)}
        for key, row in table.items():
            if not self.has_torch():
                self.assertRegex(row["reason"], "without LibTorch", key)
                continue
            if row["params"]["precision"] in ("tf32", "fp8", "fp4"):
                self.assertIn("by GPUs only", row["reason"], key)
                continue
            self.check_row(key, row)
            m, n, k = sizes[row["params"]["shape"], row["params"].get("model", "8b")]
            self.assertEqual([row["facts"][name] for name in "mnk"], [m, n, k], key)
            flops, time = row["metrics"]["achieved_flops"]["median"], row["metrics"]["time"]["median"]
            self.assertAlmostEqual(flops * time / (2 * m * n * k), 1, 6, key)

    @staticmethod
    def has_torch():
        return "without LibTorch" not in run("list", "micro/lora_step", "-v").stdout


if __name__ == "__main__":
    unittest.main()
