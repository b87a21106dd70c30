# SPDX-License-Identifier: Apache-2.0
"""Every command of README.md and docs/ runs as it stands there: docs_test.py

Each page has a folder of its own with the files that its commands name. A command is never rewritten, but for EXPANDED (where a
page leaves words out) and MPIRUN, which stands in for mpirun on the PATH: the quick preset runs once, and further runs of it get
a copy of its file. What cannot run here is listed in NOT_RUN with the reason. A command in neither place fails the test, and so
does an entry without its command: pages and tables cannot drift apart.
"""
import ast
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import tomllib
import unittest
import xml.etree.ElementTree
from pathlib import Path

import yaml

from docs_blocks import blocks, commands, inline_commands, without_comment
from harness import FILES, KERNELS, MPIRUN, OF_FILES, SCALEMARK, ranks_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]
BUILT = "build/cpu-release/suites/scalemark"

# Words that a page leaves out, and what stands for a placeholder.
EXPANDED = {
    "mpirun -n 4 ... run micro/allgather -b 8 -e 64K -f 8":
        f"mpirun -n 4 --bind-to none {BUILT} run micro/allgather -b 8 -e 64K -f 8 --max-time 50ms",
    "mpirun -n 2 ... run --probe": f"mpirun -n 2 --bind-to none {BUILT} run --probe",
    "mpirun -n 2 ... run micro/allgather --quick --sweeps 3":
        f"mpirun -n 2 --bind-to none {BUILT} run micro/allgather --quick --sweeps 3 --max-time 50ms -o sweeps.h5",
    "scalemark run suite/name --dry-run": "scalemark run micro/memcpy --dry-run",
    "mpirun -n 2 scalemark run suite/name --quick": "mpirun -n 2 scalemark run micro/memcpy --quick -n 20",
    "scalemark COMMAND --help": "scalemark compare --help",
    "scalemark study FILES": "scalemark study pin.h5",
    "scalemark run --redact": "scalemark run micro/memcpy --quick --redact -n 20 -o redacted.h5",
    "scalemark export FILE --to FORMAT [-o OUT]": "scalemark export run.h5 --to csv -o out.csv",
    "scalemark import FILE... -o OUT.h5": "scalemark import osu.txt osu.txt -o OUT.h5",
    "scalemark baseline RUNS... -o base.h5": "scalemark baseline base/real-1.h5 base/real-2.h5 -o base.h5",
    "scalemark run --resume":
        "mpirun -n 2 scalemark run micro/pingpong -a bytes=8:4K:*8 -a memory=host --min-time 500ms -o killed.h5 --resume",
}
SETS_UP = "installs packages and builds; tests/jobscripts has its tests"
PEER = "needs that peer's programs or Python packages"
DEVELOPER = "is what runs these tests"
PACKAGE = "installs or builds a package; packaging/test_deb.sh tries that of Debian"
INSTALLS = "installs; jobscripts.install has its test"
OUTSIDE = "builds a program with an installed Scalemark; jobscripts.install does"
HARNESS = "needs that harness; cli.harnesses runs it on what the page shows"
JOBS = "writes jobs; jobscripts.submit has its tests"
CAMPAIGNS = "writes jobs; jobscripts.campaign has its tests"
NOT_RUN = {
    "jobscripts/setup.sh --help": SETS_UP,
    'jobscripts/setup.sh --no-apt --libtorch "$HOME/venv/lib/python3.11/site-packages"': SETS_UP,
    'jobscripts/quickstart.sh --no-apt --offline --libtorch "$HOME/venv/lib/python3.11/site-packages"': SETS_UP,
    "jobscripts/setup.sh": SETS_UP,
    "jobscripts/setup.sh --cpu": SETS_UP,
    "jobscripts/submit.sh": JOBS,
    "jobscripts/submit.sh slurm --nodes 1,2,4,8 --ranks-per-node 4 --gpus-per-node 4 -- --preset quick": JOBS,
    "jobscripts/submit.sh slurm --nodes 8 --ranks-per-node 4 --gpus-per-node 4 --time 1:00:00 -- --preset nccl-tests": JOBS,
    "jobscripts/submit.sh pbs --nodes 8 --ranks-per-node 4 --gpus-per-node 4 --queue gpu --module openmpi -- --preset quick": JOBS,
    "jobscripts/submit.sh lsf --nodes 8 --ranks-per-node 4 --gpus-per-node 4 --account PROJECT -- --preset quick": JOBS,
    "jobscripts/submit.sh flux --nodes 8 --ranks-per-node 4 --gpus-per-node 4 -- --preset quick": JOBS,
    "jobscripts/submit.sh slurm --nodes 2 --ranks-per-node 4 --gpus-per-node 4 --container scalemark.sif -- --preset quick": JOBS,
    "jobscripts/campaign.sh jobscripts/campaign.toml --dry-run": CAMPAIGNS,
    "jobscripts/campaign.sh jobscripts/campaign.toml --cluster gpus --submit": CAMPAIGNS,
    "jobscripts/campaign.sh": CAMPAIGNS,
    "sbatch jobscripts/slurm.sbatch": "needs Slurm",
    "apt-get install python3-h5py python3-pandas": PACKAGE,
    "pip install ./packaging/python": PACKAGE,
    "jobscripts/quickstart.sh": SETS_UP,
    "jobscripts/setup.sh --tokenizer": SETS_UP,
    "jobscripts/quickstart.sh --no-apt --headers": SETS_UP,
    'eval "$(jobscripts/setup.sh --no-apt --headers)"': SETS_UP,
    "jobscripts/local.sh": "measures for minutes; jobscripts.local has its tests",
    "jobscripts/slurm.sbatch": "needs Slurm; jobscripts.slurm has its tests",
    "jobscripts/bundle.sh": "packs the build for minutes; jobscripts.bundle has its tests",
    'cmake --install build/cpu-release --prefix "$HOME/scalemark"': INSTALLS,
    "module use $HOME/scalemark/share/modulefiles": INSTALLS,
    "module load scalemark": INSTALLS,
    'cmake -S examples -B build/examples -DCMAKE_PREFIX_PATH="$HOME/scalemark"': OUTSIDE,
    "cmake --build build/examples": OUTSIDE,
    "mpirun -n 2 build/examples/reverse_copy run example/reverse_copy --quick": OUTSIDE,
    "srun --mpi=list": "needs Slurm",
    "packaging/deb.sh": PACKAGE,
    "packaging/test_deb.sh": PACKAGE,
    "apt-get install ./build/package/scalemark_*.deb": PACKAGE,
    "docker build -f packaging/container/Dockerfile .": PACKAGE,
    "apptainer build scalemark.sif packaging/container/scalemark.def": PACKAGE,
    "spack repo add packaging/spack": PACKAGE,
    "spack install scalemark +libtorch": PACKAGE,
    "build/cpu-release/suites/micro/scalemark-kernels": "measures for minutes; cli.kernels has its tests",
    "tests/run.sh": DEVELOPER,
    "tests/run.sh --full": DEVELOPER,
    ".ci/run": DEVELOPER,
    "tests/gpu/run.sh": "needs a GPU and a bundle",
    "tests/gpu/software/run.sh -n 2 mpirun -n 2 build/cuda-release/tests/cli/scalemark-micro run micro/memcpy --quick":
        "needs nvcc; gpu.software.micro runs the like",
    "tests/gpu/software/run.sh -m tests/topologies/4xgh200.xml build/cuda-release/tests/cli/scalemark-micro info":
        "needs nvcc; gpu.software.machine runs the like",
    "tests/gpu/software/run.sh --help": "needs the repository; gpu.software.micro runs the script",
    "ctest --test-dir build/cuda-release -L software_device": "needs nvcc; tests/run.sh runs these tests",
    "python3 tests/peers/osu.py --osu DIR --scalemark PROGRAM": PEER,
    "tests/peers/pytorch.py --runs 15 --scalemark PROGRAM": PEER,
    "tests/peers/torchtune_steps.py --runs 3 --scalemark PROGRAM": PEER,
    "tests/peers/hugging_face.py": PEER,
    "tests/peers/congested_hosts.py": PEER,
    "tests/peers/transformers_inference.py": PEER,
    "tests/peers/transformers_inference.py --runs 5 --scalemark PROGRAM": PEER,
    "tests/gpu/torch_imaging.py": PEER,
    "tests/peers/predict_hosts.py": "needs root, and measures for minutes",
    "python3 -m mlperf_logging.compliance_checker --ruleset 5.0.0 --config $PWD/common/formats/rules/mllog.yaml LOG": PEER,
    "srun --gpus-per-task": "the name of an option",
    "scalemark show --explain train.h5 rows-1.h5 rows-2.h5": "cli.explain measures the rows that it needs",
    "scalemark predict --from train.h5 messages-1.h5 messages-2.h5 --workload imaging/train -a ranks=2,64":
        "cli.predict_training measures the rows that it needs",
    "scalemark predict --from here/ --machine there/ --workload imaging/train": "cli.explain measures the rows that it needs",
    "scalemark predict --from here/ --machine there/ --workload imaging/train -a ranks=2,64":
        "cli.predict_training measures the rows that it needs",
    "jobscripts/node-check.sh --fleet fleet/": "jobscripts.fleet runs it",
    "scalemark fleet fleet/ fleet/together/ --hosts fleet/hosts --failing fleet/failing --only-together fleet/only-together": "cli.fleet runs it on files of its own",
    "tests/peers/imb.py --imb IMB-IO --scalemark PROGRAM": PEER,
    "tests/peers/imb.py --imb IMB-RMA --scalemark PROGRAM": PEER,
    "tests/peers/imb.py --imb IMB-MT --scalemark PROGRAM": PEER,
    "tests/peers/fleet_hosts.py": "needs root, and measures for minutes",
    "tests/peers/planted_delays.py --scalemark PROGRAM": "needs root, and measures for minutes",
    "tests/peers/predict_machine.py": "measures for an hour",
    "tests/peers/predict_coverage.py": "measures for minutes, with nothing beside it",
    "tests/peers/predict_steps.py": "needs root, and measures for minutes",
    "tests/peers/simulators.py --scalemark PROGRAM": "needs SimGrid",
    "tests/peers/extrap_series.py": "needs Extra-P",
    "scalemark baseline node-a.h5 node-b.h5 -o base.h5": "cli.fleet makes one of files of its own",
    "tests/peers/predict_studies.py --scalemark PROGRAM": "cli.study runs it",
    "tests/peers/explain_steps.py --scalemark PROGRAM": "measures for hours",
    "reframe -c scalemark_check.py -r -S ScalemarkPingpong.baseline=$PWD/base.h5": HARNESS,
    "jube run scalemark.xml --result": HARNESS,
    "ramble repo add packaging/ramble": "needs Ramble; cli.export reads the application",
}
# Where another code than 0 is an answer: no GPU to try, rows that are missing, and verdicts of noisy sides.
CODES = {command: {0, 4} for command in ("mpirun -n 2 ... run --probe", "scalemark run --probe",
                                         "mpirun -n 2 --bind-to none scalemark run --probe")}
CODES["scalemark show --explain train.h5"] = {4}
CODES["scalemark predict --from train.h5 --workload imaging/train -a ranks=2,64"] = {4}
VERDICT = {0, 1}
# What begins so is run; any other command is a new one, which a table must name.
RUNNABLE = ("scalemark ", "mpirun ", BUILT + " ", "for ", "h5dump ", "source <(scalemark ")
# Python of other programs, by its first line: only its syntax is looked at.
FOREIGN_PYTHON = ("import reframe as rfm",)

# Python programs of a JSON object by where they stand, each with names of its own; says which have run.
RUN_EXAMPLES = """
import json, sys
for place, code in json.load(sys.stdin).items():
    exec(compile(code, place, "exec"), {"__name__": "__main__"})
    print("ran", place, file=sys.stderr)
"""

MPIRUN_SCRIPT = """#!/bin/bash
# mpirun, which keeps the file of the quick preset and hands it out again.
out= before=
for word in "$@"; do
  if [[ $before == -o ]]; then out=$word; fi
  before=$word
done
if [[ "$* " != *" run --preset quick "* ]]; then exec {mpirun} "$@"; fi
if [[ -e {quick} ]]; then exec cp {quick} "${{out:-quick.h5}}"; fi
{mpirun} "$@" && cp "$out" {quick}
"""

SCALEMARK_SCRIPT = """#!/bin/bash
# The program; for files the one without benchmarks, whose objects are the same and which starts in a tenth of the time.
if [[ " $* " == *" --explain "* || " $* " == *" --workload imaging/"* ]]; then exec {scalemark} "$@"; fi
case ${{1:-}} in
  {of_files}) exec {files} "$@" ;;
  *) exec {scalemark} "$@" ;;
esac
"""


def make_script(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def shell(command, folder, path, timeout=300):
    """Runs a line of a page as a user's shell would."""
    environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    with subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            out, err = process.communicate()
            err += f"\nended by the test after {timeout} s\n"
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def noisy_runs(side, runs, ranks):
    """JSON Lines of runs whose times differ by a percent."""
    lines = []
    for run in range(runs):
        cases = ", ".join(
            f'"micro/allreduce bytes={bytes_} ranks={ranks}": {{"metric": "time", "unit": "s", "scale": 1e-9, "samples": '
            f'[{", ".join(str(bytes_ * 100 + (run * 7 + bytes_ + i) % 11 * bytes_ // 4) for i in range(9))}]}}'
            for bytes_ in (8, 64, 512, 4096))
        lines.append(f'{{"run": "{side}{run}", "side": "{side}", "cases": {{{cases}}}}}')
    return "\n".join(lines) + "\n"


class Pages(unittest.TestCase):
    """The pages' commands and examples, each page in its folder."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="scalemark-test-docs-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.bin = cls.folder / "bin"
        cls.bin.mkdir()
        make_script(cls.bin / "scalemark",
                    SCALEMARK_SCRIPT.format(of_files="|".join(sorted(OF_FILES)), files=FILES, scalemark=SCALEMARK))
        (cls.bin / "scalemark-kernels").symlink_to(KERNELS)
        make_script(cls.bin / "mpirun", MPIRUN_SCRIPT.format(mpirun=MPIRUN, quick=cls.folder / "quick.h5"))
        cls.kinds = cls.folder / "kinds"
        cls.kinds.mkdir()
        cls.make_kinds()

    @classmethod
    def must(cls, command, folder):
        done = shell(command, folder, cls.bin)
        if done.returncode != 0:
            raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")

    @classmethod
    def make_kinds(cls):
        """One real file of each kind: of the three-run set, redacted, imported, interrupted."""
        shutil.copy(ROOT / "results/cpu-2core/run-3.h5", cls.kinds / "set.h5")
        cls.must("mpirun -n 2 scalemark run micro/pingpong --quick --redact -n 20 -o redacted.h5", cls.kinds)
        shutil.copy(ROOT / "tests/golden/osu/latency.txt", cls.kinds / "osu.txt")
        cls.must("scalemark import osu.txt -o imported.h5", cls.kinds)
        cls.interrupt()
        shutil.copytree(cls.kinds / "killed.h5.parts", cls.kinds / "again.h5.parts")
        cls.must("scalemark finalize again.h5.parts -o interrupted.h5", cls.kinds)

    @classmethod
    def interrupt(cls):
        """Kills a rank of the run that EXPANDED resumes, once a case is safe."""
        command = EXPANDED["scalemark run --resume"].removesuffix(" --resume").split()
        environment = {**os.environ, "PATH": f"{cls.bin}:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        with subprocess.Popen(command, cwd=cls.kinds, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 120
            while b'"ok"' not in subprocess.run([FILES, "show", cls.kinds / "killed.h5.parts", "--format", "json"],
                                                capture_output=True, check=False).stdout:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError("the run ended before it was interrupted")
                time.sleep(0.05)
            os.kill(ranks_of(process.pid)[1], signal.SIGKILL)
            process.wait(timeout=60)

    def page_folder(self, page):
        """What a page's commands name, beside links to what a clone has."""
        folder = self.folder / "pages" / page.replace("/", "-")
        folder.mkdir(parents=True)
        for name in ("suites", "jobscripts", "docs", "results", "common"):
            (folder / name).symlink_to(ROOT / name)
        (folder / BUILT).parent.mkdir(parents=True)
        (folder / BUILT).symlink_to(self.bin / "scalemark")
        golden = folder / "tests/golden"
        shutil.copytree(ROOT / "tests/golden", golden)
        self.shorten(golden / "imaging.json")
        for name in ("osu.txt", "before.txt"):
            shutil.copy(ROOT / "tests/golden/osu/latency.txt", folder / name)
        (folder / "nightly.jsonl").write_text(noisy_runs("A", 3, 2) + noisy_runs("B", 3, 2), encoding="utf-8")
        (folder / "more.jsonl").write_text(noisy_runs("base", 5, 2) + noisy_runs("new", 5, 2), encoding="utf-8")
        (folder / "sized.jsonl").write_text(noisy_runs("small", 3, 8) + noisy_runs("large", 3, 16), encoding="utf-8")
        self.must("scalemark import sized.jsonl -o sized", folder)
        for side in ("small", "large"):
            (folder / "sized" / side).rename(folder / side)
        for name, number in (("base", 1), ("base", 2), ("new", 3), ("a", 1), ("b", 2), ("c", 3)):
            (folder / name).mkdir(exist_ok=True)
            shutil.copy(ROOT / f"results/cpu-2core/run-{number}.h5", folder / name / f"real-{number}.h5")
        if page == "docs/comparing.md":  # --aa takes four runs
            self.must("scalemark import more.jsonl -o more", folder)
            for side in ("base", "new"):
                shutil.rmtree(folder / side)
                (folder / "more" / side).rename(folder / side)
        shutil.copy(ROOT / "results/cpu-2core/run-3.h5", folder / "one-new-run.h5")
        shutil.copy(self.kinds / "set.h5", folder / "run.h5")
        for name in ("OUT.h5.parts", "killed.h5.parts"):
            shutil.copytree(self.kinds / "killed.h5.parts", folder / name)
        return folder

    @staticmethod
    def shorten(path):
        """The checks of LibTorch's convolutions take half a minute: cli.verify and the suites' tests have them."""
        golden = json.loads(path.read_text(encoding="utf-8"))
        for part in ("cases", "data_parallel"):
            golden.pop(part)
        path.write_text(json.dumps(golden), encoding="utf-8")

    def expect(self, done, codes, what):
        self.assertIn(done.returncode, codes, f"{what}\nstdout: {done.stdout[-3000:]}\nstderr: {done.stderr[-3000:]}")

    def test_every_command_is_run_or_listed(self):
        used = set()
        for page in PAGES:
            text = (ROOT / page).read_text(encoding="utf-8")
            for command in [*map(without_comment, commands(text)), *inline_commands(text)]:
                if command in NOT_RUN or command in EXPANDED:
                    used.add(command)
                elif not command.startswith(RUNNABLE):
                    self.fail(f"{page}: '{command}' is not run by docs_test.py: it belongs in RUNNABLE, EXPANDED or, with the "
                              "reason, NOT_RUN")
        self.assertEqual(sorted(used), sorted([*NOT_RUN, *EXPANDED]), "an entry without its command")

    def test_every_block_says_what_it_is(self):
        for page in PAGES:
            for language, code, line in blocks((ROOT / page).read_text(encoding="utf-8")):
                with self.subTest(f"{page}:{line}"):
                    self.assertIn(language, {"indented", "sh", "text", "python", "toml", "xml", "yaml", "cpp", "cmake", "mermaid"},
                                  "a block of code names its language; output and drawings are 'text'")
                    if language == "toml":
                        tomllib.loads(code)
                    elif language == "xml":
                        xml.etree.ElementTree.fromstring(code)
                    elif language == "yaml":
                        yaml.safe_load(code)
                    elif language == "python":
                        ast.parse(code)

    def test_commands_run_as_they_stand(self):
        for page in PAGES:
            text = (ROOT / page).read_text(encoding="utf-8")
            lines = [line for line in [*commands(text), *inline_commands(text)] if without_comment(line) not in NOT_RUN]
            folder = self.page_folder(page) if lines else None
            for line in lines:
                command = without_comment(line)
                start = time.monotonic()
                done = shell(EXPANDED.get(command, line), folder, self.bin)
                print(f"{page}: {command}: {time.monotonic() - start:.1f} s", flush=True)
                with self.subTest(f"{page}: {command}"):
                    self.expect(done, CODES.get(command, VERDICT if " compare " in command else {0}), command)

    def test_commands_read_every_kind_of_file(self):
        """Those of docs/commands.md that read, with each kind of file as the one that they name."""
        reading = [line for line in commands((ROOT / "docs/commands.md").read_text(encoding="utf-8"))
                   if re.search(r" (a|one-new-run)\.h5\b| new/", line) and "mpirun" not in line]
        self.assertGreater(len(reading), 5)
        for kind in sorted(self.kinds.glob("*.h5")):
            folder = self.page_folder(f"docs/commands.md-{kind.stem}")
            for name in ("a.h5", "one-new-run.h5"):
                shutil.copy(kind, folder / name)
            for path in (folder / "new").iterdir():
                path.unlink()
            shutil.copy(kind, folder / "new")
            self.must(f"{BUILT} baseline base/ -o base.h5", folder)
            for line in reading:
                done = shell(line, folder, self.bin)
                with self.subTest(f"{kind.stem}: {without_comment(line)}"):
                    # 4: an import has no row in common with the set.
                    codes = {0, 1, 4} if " compare " in line else {0}
                    self.expect(done, codes, line)

    def test_the_quick_preset_learns(self):
        """The training that README's first command makes, on two ranks."""
        if not (self.folder / "quick.h5").exists():
            self.must(f"mpirun -n 2 --bind-to none scalemark run --preset quick -o {self.folder}/first.h5", self.folder)
        table = json.loads(subprocess.run([FILES, "show", self.folder / "quick.h5", "--format", "json"], capture_output=True,
                                          text=True, check=True).stdout)
        (training,) = (row for row in table if row["name"] == "imaging/train")
        self.assertIn("ranks=2 ", training["key"])
        self.assertEqual(training["status"], "ok", "identical parameters on all ranks are part of it")
        value = {name: metric["median"] for name, metric in training["metrics"].items()}
        self.assertLessEqual(value["loss"], value["first_loss"] / 2)
        self.assertGreater(value["accuracy"], 0.7)

    def test_python_examples_read_every_kind_of_file(self):
        """One process for each kind of file runs them all: their libraries take a second to load."""
        kinds = sorted(self.kinds.glob("*.h5"))
        self.assertEqual([kind.stem for kind in kinds], ["imported", "interrupted", "redacted", "set"])
        kinds += self.folder.glob("quick.h5")  # there once the commands have run
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "packaging" / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        examples = {f"{page}:{line}": code for page in PAGES
                    for language, code, line in blocks((ROOT / page).read_text(encoding="utf-8"))
                    if language == "python" and not code.startswith(FOREIGN_PYTHON)}
        self.assertGreaterEqual(len(examples), 5)
        for kind in kinds:
            folder = Path(tempfile.mkdtemp(dir=self.folder))
            shutil.copy(kind, folder / "run.h5")
            done = subprocess.run(["/usr/bin/python3", "-c", RUN_EXAMPLES], input=json.dumps(examples), cwd=folder, capture_output=True,
                                  text=True, timeout=120, check=False, env=environment)
            with self.subTest(kind.stem):
                self.expect(done, {0}, kind.stem)
                ran = [line for line in done.stderr.splitlines() if line.startswith("ran ")]
                self.assertEqual(ran, [f"ran {place}" for place in examples])


if __name__ == "__main__":
    unittest.main()
