# SPDX-License-Identifier: Apache-2.0
"""Bad input: exit codes and texts."""
import csv
import json
import os
import pathlib
import re
import unittest

from harness import ALL, ProgramTest, SCALEMARK, run


ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results" / "cpu-2core"


class Usage(ProgramTest):
    def test_unknown_benchmark_names_the_nearest(self):
        self.expect(run("run", "micro/alreduce", "--dry-run"), 2, "micro/alreduce", "micro/allreduce")

    def test_unknown_axis_names_the_nearest(self):
        self.expect(run("run", "micro/allreduce", "-a", "byte=8", "--dry-run"), 2, "byte", "bytes")

    def test_unknown_axis_value_lists_the_allowed(self):
        self.expect(run("run", "micro/allreduce", "-a", "backend=smoke", "--dry-run"), 2, "smoke", "mpi", "nccl")

    def test_value_out_of_range(self):
        self.expect(run("run", "micro/allreduce", "-a", "bytes=-1", "--dry-run"), 2, "bytes", "0")

    def test_bad_ranges(self):
        for text in ["8:4", "8:4:*2", "8:16:*1", "x", "8:99999999999999999999:*2", ""]:
            self.expect(run("run", "micro/allreduce", "-a", f"bytes={text}", "--dry-run"), 2)

    def test_unknown_preset_names_the_nearest(self):
        self.expect(run("run", "--preset", "quik"), 2, "quik", "quick")

    def test_preset_file_with_unknown_key_names_line_and_key(self):
        path = self.path("mine.toml")
        with open(path, "w") as file:
            file.write('[[benchmark]]\nname = "micro/allreduce"\naxis = {bytes = 8}\n')
        self.expect(run("run", "--preset", path, "--dry-run"), 2, "mine.toml:3", "axis", "axes")

    def test_preset_file_that_is_not_toml(self):
        path = self.path("mine.toml")
        with open(path, "w") as file:
            file.write("[[benchmark]\n")
        self.expect(run("run", "--preset", path, "--dry-run"), 2, "mine.toml:1")

    def test_the_cpu_part_of_a_preset_file(self):
        path = self.path("mine.toml")
        blocks = '[[benchmark]]\nname = "micro/gemm"\n[cpu]\n[[cpu.benchmark]]\nname = "micro/stream"\naxes = {device = "cpu", %s}\n'
        with open(path, "w") as file:
            file.write(blocks % 'operation = "copy"')
        whole, part = run("run", "--preset", path, "--dry-run"), run("run", "--preset", self.path("mine-cpu.toml"), "--dry-run")
        self.expect(whole, 0)
        self.expect(part, 0)
        self.assertIn("micro/gemm", whole.stdout)
        self.assertNotIn("micro/gemm", part.stdout)
        self.assertIn("micro/stream", part.stdout)
        with open(path, "w") as file:
            file.write(blocks % "doc = nan")
        for name in ("mine.toml", "mine-cpu.toml"):  # refused whichever of the two is asked for
            self.expect(run("run", "--preset", self.path(name), "--dry-run"), 2, "mine.toml:6", "finite")

    def test_a_preset_without_a_cpu_part_has_none_by_name(self):
        with open(self.path("mine.toml"), "w") as file:
            file.write('[[benchmark]]\nname = "micro/gemm"\n')
        self.expect(run("run", "--preset", self.path("mine-cpu.toml"), "--dry-run"), 2, "mine-cpu.toml", "mine.toml has no [cpu] part")
        self.expect(run("run", "--preset", "quick-cpu", "--dry-run"), 2, "quick-cpu")

    def test_missing_preset_file(self):
        self.expect(run("run", "--preset", self.path("none.toml")), 2, "none.toml")

    def test_unknown_option_and_subcommand(self):
        self.expect(run("run", "--presett", "quick"), 2)
        self.expect(run("measure"), 2)
        self.expect(run(), 2)

    def test_what_is_not_known_is_named_with_what_is_meant(self):
        for arguments, said in ((["shwo", "a.h5"], ['"shwo"', "did you mean show?"]),
                                (["zzzzzz"], ['"zzzzzz"', "available", "compare"]),
                                (["compare", "a.h5", "--agianst", "b.h5"], ["compare has no option --agianst", "--against"]),
                                (["run", "--presett=quick"], ["run has no option --presett ", "did you mean --preset"]),
                                (["show", "a.h5", "--zzzzzz"], ["--zzzzzz", "show --help"]),
                                (["compare", "a.h5", "--against", "b.h5", "--paired", "maybe"], ["--paired", "maybe", "auto"]),
                                (["finalize", self.path("none.h5.parts")], ["none.h5.parts", "does not exist", "OUT.h5.parts"]),
                                (["finalize", __file__], [__file__, "is a file"]),
                                (["finalize", self.folder], [self.folder, "--output"])):
            with self.subTest(arguments):
                done = run(*arguments)
                self.expect(done, 2, *said)
                self.assertNotIn("->", done.stderr)
        self.assertNotIn("->2", run("compare", "--help").stdout)

    def test_a_map_that_does_nothing_is_refused(self):
        sides = ["compare", RESULTS / "run-1.h5", "--against", RESULTS / "run-2.h5", "--fail-on", "none", "--map"]
        self.expect(run(*sides, "nosuchaxis=*"), 2, "--map", "nosuchaxis", "ranks")
        self.expect(run(*sides, "byte=drop"), 2, "did you mean bytes?")
        self.expect(run(*sides, "ranks=16->2"), 2, "no case of A has ranks=16", "2")
        self.expect(run(*sides, "ranks=2->16"), 2, "no case of B has ranks=16", "2")
        self.expect(run(*sides, "ranks=2->2"), 0)

    def test_peak_file_names_line_and_key(self):
        path = self.path("peak.toml")
        with open(path, "w") as file:
            file.write("[gpu.flops]\nfp31 = 1e12\n")
        self.expect(run("run", "micro/memcpy", "--peak", path, "--dry-run"), 2, "peak.toml:2", "fp31", "fp32")
        self.expect(run("run", "micro/memcpy", "--peak", self.path("none.toml"), "--dry-run"), 2, "--peak", "none.toml")

    def test_bad_policy(self):
        for arguments in [["-n", "0"], ["--ci", "0"], ["--max-time", "soon"], ["--max-volume", "0"], ["--telemetry", "5ms"], ["--placement", "wrong"],
                          ["--force", "--resume"], ["--tag", "novalue"], ["--resume"]]:
            self.expect(run("run", "micro/memcpy", *arguments), 2)

    def test_no_number_is_no_setting(self):
        # tests/common/cli/options_test.cpp goes over all options.
        sides = ["compare", RESULTS / "run-1.h5", "--against", RESULTS / "run-2.h5", "--fail-on", "none"]
        for bad in ["nan", "inf", "1e400", "", "abc", "0", "200"]:
            self.expect(run(*sides, "--threshold", bad), 2, f"--threshold is '{bad}'; allowed: 0.001 to 100 percent")
        self.expect(run("run", "micro/memcpy", "--timeout", "0"), 2, "--timeout is '0'", "a duration above 0, up to 10000h")
        self.expect(run("run", "micro/memcpy", "--dry-run", env={"SCALEMARK_REPEAT": "nan"}), 2,
                    "SCALEMARK_REPEAT is 'nan'", "0 to 999999")

    def test_percent_may_be_written(self):
        sides = ["compare", RESULTS / "run-1.h5", "--against", RESULTS / "run-2.h5", "--fail-on", "none"]
        plain, percent = (run(*sides, "--threshold", text) for text in ("2", "2%"))
        self.expect(percent, 0)
        self.assertEqual(percent.stdout, plain.stdout)

    def test_numbers_of_a_preset_are_numbers(self):
        path = self.path("mine.toml")
        for key, bad in (("max_time", "inf"), ("ci", "nan"), ("min_time", "inf"), ("iterations", "nan")):
            with open(path, "w") as file:
                file.write(f'[policy]\n{key} = {bad}\n[[benchmark]]\nname = "micro/memcpy"\n')
            self.expect(run("run", "--preset", path, "--dry-run"), 2, "mine.toml:2", f"{key} is '{bad}'", "allowed: ")

    def test_what_would_be_ignored_is_refused(self):
        for arguments, said in ((["--data", "mnits=x"], ["--data", "mnits", "did you mean mnist?", "weights"]),
                                (["-b", "8", "-a", "bytes=64"], ["--min-bytes", "bytes=64"]),
                                (["-e", "8", "-a", "micro/memcpy:bytes=64"], ["--max-bytes", "micro/memcpy:bytes=64"]),
                                (["-b", "1M", "-e", "8"], ["--max-bytes is '8'", "--min-bytes (1M)"]),
                                (["-f", "4"], ["--factor is 4", "--max-bytes"]),
                                (["--min-time", "2", "--max-time", "1"], ["--min-time is 2 s", "--max-time, 1 s"]),
                                (["--min-time", "2"], ["--min-time is 2 s", "--max-time, 1 s"]),
                                (["-n", "3", "--ci", "1"], ["--iterations is 3", "--ci"])):
            with self.subTest(arguments):
                self.expect(run("run", "micro/memcpy", *arguments, "--dry-run"), 2, *said)
        for option in (["--threshold", "2"], ["--fwer"], ["--map", "ranks=*"]):
            done = run("report", RESULTS / "run-1.h5", "-o", self.path("page.html"), *option)
            self.expect(done, 2, option[0], "--base")
            self.assertFalse(os.path.exists(self.path("page.html")))
        for option in (["--summary"], ["--submitter", "us"], ["--field", "cooling=air"]):
            self.expect(run("export", RESULTS / "run-1.h5", "--to", "jsonl", *option), 2, "--to jsonl; allowed: --to ")

    def test_every_name_of_data_that_is_asked_for_is_known(self):
        suites = pathlib.Path(__file__).resolve().parents[2] / "suites"
        names = {name for path in suites.rglob("*.cpp")
                 for name in re.findall(r"(?:\bc\.inputs\(\)\.data\(|\bfolder_for\(c, )\"(\w+)\"\)", path.read_text(encoding="utf-8"))}
        self.assertLessEqual({"mnist", "rgb300", "weights", "adapters", "file_read", "mpi_io"}, names)
        for row in json.loads(run("list", "--json", program=ALL).stdout):
            axes = {axis["name"]: axis["values"] for axis in row["axes"]}
            if "source" in axes and "file" in axes["source"]:
                names |= set(axes["dataset"])
        self.assertIn("samsum", names)
        known = [one for name in sorted(names | {"tokenizer"}) for one in ("--data", f"{name}=x")]
        self.expect(run("run", "micro/memcpy", "--dry-run", *known), 0)

    def test_an_option_of_one_value_leaves_the_paths_behind_it(self):
        one, two = RESULTS / "run-1.h5", RESULTS / "run-2.h5"
        for option in (["--fail-on", "none"], ["--map", "ranks=*"], ["--threshold", "1"], ["--format", "text"]):
            done = run("compare", "--fail-on=none", "--against", one, *option, two)
            self.expect(done, 0)
        done = run("import", "--tag", "a=b", self.path("none.txt"), "-o", self.path("x.h5"))
        self.expect(done, 3, "none.txt")

    def test_sizes_from_zero(self):
        for arguments, sizes in ((["-b", "0", "-e", "8"], [0, 1, 2, 4, 8]), (["-b", "0"], [0]),
                                 (["-b", "0", "-e", "64", "-f", "4"], [0, 1, 4, 16, 64]), (["-a", "bytes=0,8,64"], [0, 8, 64])):
            done = run("run", "micro/pingpong", "-a", "backend=mpi", "-a", "memory=host", *arguments, "--dry-run")
            self.expect(done, 0)
            self.assertEqual([int(size) for size in re.findall(r" bytes=(\d+) ", done.stdout)], sizes)

    def test_one_case_is_not_many(self):
        done = run("run", "micro/pingpong", "-a", "backend=mpi", "-a", "memory=host", "-b", "8", "--dry-run")
        self.assertTrue(done.stdout.splitlines()[-1].startswith("1 case: "), done.stdout)

    def test_a_filter_without_its_suite_suggests_the_full_name(self):
        done = run("run", "alreduce", "--dry-run")
        self.expect(done, 2, "'alreduce' matches no benchmark (did you mean micro/allreduce")
        done = run("list", "zzzzzz")
        self.expect(done, 2, '"scalemark list"')
        self.assertLess(len(done.stderr), 200)

    def test_ranks_below_one(self):
        done = run("run", "micro/allreduce", "-a", "ranks=0", "--dry-run")
        self.expect(done, 2, "axis ranks is 0; allowed: 1 or more")

    def test_compare_asks_one_thing_at_a_time(self):
        self.expect(run("compare", self.folder), 2, "--against", "--aa", "--power")
        for arguments in [["--aa", "--power"], ["--aa", "--against", self.folder], ["--power", "--strict"],
                          ["--runs", "3", "--against", self.folder], ["--power", "--runs", "1"],
                          ["--power", "--effect", "0"], ["--power", "--budget", "soon"],
                          ["--aa", "--fail-on", "inconclusive"]]:
            self.expect(run("compare", self.folder, *arguments), 2)

    def test_help_of_every_subcommand(self):
        for name in ["run", "list", "info", "show", "study", "plan", "predict", "fleet", "campaign", "compare", "report", "verify", "finalize", "schema", "import",
                     "export"]:
            done = run(name, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Usage", done.stdout)

    def test_under_a_launcher_an_error_is_said_once(self):
        for arguments in [["--resume"], ["-a", "bytes=x"], ["--presett", "quick"]]:
            done = run("run", "micro/memcpy", *arguments, ranks=4)
            self.assertEqual(done.returncode, 2, done.stderr)
            lines = [line for line in done.stderr.splitlines() if "scalemark" in line or arguments[0] in line]
            self.assertEqual(len([line for line in lines if "Process name" not in line]), 1, done.stderr)

    def test_promised_ranks_that_are_not_there(self):
        done = run("run", "micro/memcpy", "--quick", "-o", self.path("x.h5"), env={"OMPI_COMM_WORLD_SIZE": "4"})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("4", done.stderr)
        self.assertFalse(os.path.exists(self.path("x.h5")))


class Files(ProgramTest):
    def test_unreadable_files_give_one_line_and_exit_3(self):
        foreign = self.path("text.h5")
        with open(foreign, "w") as file:
            file.write("not HDF5\n")
        for path in [foreign, self.path("missing.h5")]:
            done = run("show", path)
            self.expect(done, 3)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_a_folder_that_is_no_run_is_described(self):
        self.expect(run("show", self.folder), 3, self.folder, "no run in this folder", "Give a result file")
        self.expect(run("export", self.folder, "--to", "csv"), 3, self.folder, "is a folder without results", "give a file")
        os.mkdir(self.path("a.h5.parts"))
        self.expect(run("show", self.path("a.h5.parts")), 3, "ended before its first case", "start the run again")
        self.expect(run("export", RESULTS, "--to", "csv"), 3, "is a folder of ", " results; give one of them, as ", ".h5")

    def test_output_in_a_folder_that_is_not_there(self):
        self.expect(run("run", "micro/memcpy", "--quick", "-o", self.path("no/such/x.h5")), 2, "no/such")

    def test_output_is_not_overwritten_without_force(self):
        out = self.path("x.h5")
        arguments = ["run", "micro/memcpy", "-a", "direction=h2h", "-a", "bytes=4K", "-n", "3", "-o", out]
        self.expect(run(*arguments), 0)
        before = self.content(out)
        self.expect(run(*arguments), 2, "--force")
        self.assertEqual(self.content(out), before)
        self.expect(run(*arguments, "--force"), 0)


class List(ProgramTest):
    def test_a_filter_of_presets_that_is_no_expression(self):
        self.expect(run("list", "--presets", "["), 2, 'FILTER is "["', "a regular expression")

    def test_json_has_the_contract_fields(self):
        done = run("list", "--json", program=ALL)
        self.assertEqual(done.returncode, 0)
        names = []
        for row in json.loads(done.stdout):
            self.assertLessEqual({"name", "doc", "axes", "needs"}, set(row))
            for axis in row["axes"]:
                self.assertLessEqual({"name", "values", "default"}, set(axis))
            names.append(row["name"])
        self.assertEqual(names, sorted(names))
        for name in ["micro/accumulate", "micro/allgather", "micro/allreduce", "micro/alltoallw", "micro/attention", "micro/comm_create", "micro/compare_and_swap", "micro/conv2d",
                     "micro/cross_entropy", "micro/elementwise", "micro/embedding", "micro/get", "micro/get_bandwidth", "micro/event", "micro/fetch_and_op", "micro/get_accumulate", "micro/init",
                     "micro/kernel_launch", "micro/lora_step", "micro/memcpy", "micro/memory_registration", "micro/neighbor_alltoallw", "micro/normalization", "micro/reduce_scatter_block",
                     "micro/optimizer", "micro/pingpong", "micro/put", "micro/put_bandwidth", "micro/put_bidirectional_bandwidth", "micro/quantized_linear", "imaging/train"]:
            self.assertIn(name, names)

    def test_every_axis_has_a_sentence_and_a_unit(self):
        """Words and switches have no unit; what is counted or measured states one, a plain number "1"."""
        shown, lacking = run("list", "-v").stdout, []
        for row in json.loads(run("list", "--json").stdout):
            for axis in row["axes"]:
                doc, unit = axis.get("doc", ""), axis.get("unit", "")
                numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in axis["default"])
                if not re.fullmatch(r"\S.{10,}[^.]", doc) or doc not in shown or (unit != "") != numbers:
                    lacking.append((row["name"], axis["name"], doc, unit))
        self.assertEqual(lacking, [], "an axis has its sentence in its declaration, or in common/core/axis_docs.cpp if benchmarks share it")
        self.assertRegex(shown, r"(?m)^    bytes +Message size as OSU defines it for the operation\n +\[By\] 0 to ")

    def test_every_preset_has_a_sentence_and_those_of_the_studies_what_they_repeat(self):
        presets = {one["name"]: one for one in json.loads(run("list", "--presets", "--json").stdout)}
        expected = set()
        for path in pathlib.Path(ROOT, "suites", "presets").iterdir():
            expected |= {path.stem, f"{path.stem}-cpu"} if "\n[cpu]\n" in path.read_text(encoding="utf-8") else {path.stem}
        self.assertEqual(set(presets), expected)
        self.assertEqual(len([name for name in presets if name.endswith("-cpu")]), 24)
        shown = run("list", "--presets").stdout
        for name, one in presets.items():
            with self.subTest(name):
                self.assertRegex(one["doc"], r"^\S.{10,}[^.]$")
                self.assertIn(f"{name}\n    {one['doc']}\n", shown)
                self.assertEqual(name.startswith("paper-"), one["repeats"] != "")
                self.assertEqual(one["repeats"] != "", one["experiment"] != "")
                self.assertEqual(set(one), {"name", "doc", "repeats", "experiment", "benchmarks"})
                if one["repeats"]:
                    self.assertRegex(one["repeats"], r"^(profiling|allocation) study, (Table|Fig|text)")
                    self.assertIn(f"repeats: {one['repeats']} ({one['experiment']})", shown)
        with open(os.path.join(ROOT, "results", "published", "studies.csv"), encoding="utf-8") as file:
            published = {(row["experiment"], row["source"]) for row in csv.DictReader(file)}
        tables = [(experiment, source) for experiment, source in published if re.fullmatch(r"Table \d+", source)]
        self.assertEqual(len(tables), 4)
        for experiment, source in tables:  # every published table has a preset, which names it
            self.assertTrue(any(one["experiment"] == experiment and source in one["repeats"] for one in presets.values()), source)
        some = json.loads(run("list", "--presets", "paper-llm", "--json").stdout)
        self.assertTrue(some and all("paper-llm" in one["name"] for one in some))
        self.expect(run("list", "--presets", "nothing_like_it"), 2, "nothing_like_it", "paper-llm-pin")

    def test_filter(self):
        done = run("list", "micro/(memcpy|ping)", "--json")
        self.assertEqual([row["name"] for row in json.loads(done.stdout)], ["micro/memcpy", "micro/pingpong"])

    def test_options_of_run_are_frozen(self):
        # Scripts rely on these names: an option may be added here, never taken away.
        text = run("run", "--help").stdout
        for option in ["--preset", "--axis", "--quick", "--output", "--force", "--resume", "--resume-hosts", "--seed", "--dry-run",
                       "--budget", "--tag", "--redact", "--min-bytes", "--max-bytes", "--factor", "--iterations",
                       "--warmup", "--ci", "--min-time", "--max-time", "--max-volume", "--sweeps", "--sync", "--no-verify", "--placement", "--cuda-aware", "--probe", "--telemetry", "--timeout",
                       "--format", "--decimals", "--color", "--quiet", "--verbose", "--data"]:
            self.assertIn(option, text)

    def test_formats_are_frozen(self):
        # An emitter may be added here, never taken away; one appears in --help when it works.
        for command in ("run", "show"):
            text = run(command, "--help").stdout
            formats = re.search(r"--format \S*\{([^}]*)\}", text)[1].split(",")
            self.assertEqual(formats, ["table", "csv", "json", "jsonl", "osu", "imb", "nccl", "nvbandwidth",
                                       "google-benchmark"])
            self.assertIn("-v,--verbose", text)


if __name__ == "__main__":
    unittest.main()
