# SPDX-License-Identifier: Apache-2.0
"""Completion scripts in the shells that they are for, and manual pages in groff."""
import os
import pty
import re
import select
import subprocess
import time
import unittest

from harness import ProgramTest, SCALEMARK, run

SUBCOMMANDS = ["run", "list", "info", "show", "study", "plan", "predict", "fleet", "campaign", "compare", "baseline", "report", "verify", "finalize", "schema",
               "import", "export", "completion", "man"]


def read_until(descriptor, pattern, seconds=20):
    """What a terminal shows until it matches; a slow machine gets its time."""
    text, end = "", time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([descriptor], [], [], 0.2)[0]:
            text += os.read(descriptor, 65536).decode(errors="replace")
        if re.search(pattern, text):
            return text
    raise AssertionError(f"no {pattern!r} in {text!r}")


class Shell:
    """A shell at a terminal, in which somebody types."""

    def __init__(self, command, setup, folder):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="dumb", PS1="ready> ", HOME=folder, PATH=f"{os.path.dirname(SCALEMARK)}:{os.environ['PATH']}")
            os.execvp(command[0], command)
        os.write(self.terminal, (setup + "; echo set''up\n").encode())
        read_until(self.terminal, "setup\r?\n")

    def type(self, keys, expected):
        """Types the keys; the terminal must show the pattern. Ctrl-U empties the line."""
        os.write(self.terminal, keys.encode())
        try:
            return read_until(self.terminal, expected)
        finally:
            os.write(self.terminal, b"\x15")

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


class Completion(ProgramTest):
    def script(self, shell, name):
        done = run("completion", shell)
        self.expect(done, 0)
        with open(self.path(name), "w") as file:
            file.write(done.stdout)
        return self.path(name)

    def shell(self, command, setup):
        shell = Shell(command, setup, self.folder)
        self.addCleanup(shell.close)
        return shell

    def complete_in(self, shell):
        shell.type("scalemark comp\t\t", r"compare[\s\S]*completion")
        shell.type("scalemark run micro/allr\t", "run micro/allreduce ")
        shell.type("scalemark run --pre\t", "run --preset ")
        shell.type("scalemark run --preset tuned-im\t", "--preset tuned-imaging")
        shell.type("scalemark show --format nv\t", "--format nvbandwidth ")

    def test_bash(self):
        script = self.script("bash", "scalemark.bash")
        bash = self.shell(["bash", "--norc", "-i"], f"bind 'set bell-style none'; bind 'set page-completions off'; source {script}")
        self.complete_in(bash)
        bash.type("scalemark show --format=nv\t", "--format=nvbandwidth ")
        bash.type("scalemark run micro/pingpong -a backe\t", "-a backend=")
        bash.type("scalemark run micro/pingpong -a backend=gl\t", "-a backend=gloo")
        with open(self.path("result.h5"), "w"):
            pass
        bash.type(f"scalemark show {self.folder}/res\t", "result.h5 ")

    def test_bash_offers_what_begins_so_and_nothing_else(self):
        script = self.script("bash", "scalemark.bash")
        said = subprocess.run(
            ["bash", "-c", f"source {script}; COMP_WORDS=(scalemark run micro/al) COMP_CWORD=2; _scalemark; echo ${{COMPREPLY[@]}}"],
            capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout.split(), ["micro/allgather", "micro/allgatherv", "micro/allreduce", "micro/alltoall", "micro/alltoallv", "micro/alltoallw"])

    def test_zsh(self):
        self.script("zsh", "_scalemark")
        zsh = self.shell(["zsh", "-f", "-i"], f"fpath=({self.folder} $fpath); autoload -Uz compinit; compinit -u -d {self.path('dump')}; unsetopt beep")
        self.complete_in(zsh)

    def test_fish(self):
        script = self.script("fish", "scalemark.fish")
        for line, offered in {"scalemark run micro/allr": {"micro/allreduce"}, "scalemark comp": {"compare", "completion"},
                              "scalemark run --preset tuned-im": {"tuned-imaging", "tuned-imaging-cpu"},
                              "scalemark show --format nv": {"nvbandwidth"}}.items():
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], capture_output=True,
                                  text=True, check=True, env={**os.environ, "HOME": self.folder})
            self.assertEqual({row.split("\t")[0] for row in done.stdout.splitlines()}, offered)

    def test_another_shell_is_refused(self):
        self.expect(run("completion", "tcsh"), 2, "tcsh", "bash")


class Manual(ProgramTest):
    def page(self, *subcommand):
        done = run("man", *subcommand)
        self.expect(done, 0)
        read = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-cbou", "-rLL=120n"], input=done.stdout, capture_output=True, text=True, check=True)
        self.assertEqual(read.stderr, "")
        return read.stdout

    def test_each_subcommand_has_a_page_with_its_options(self):
        main = self.page()
        for name in SUBCOMMANDS:
            with self.subTest(name):
                self.assertIn(f"scalemark-{name}(1)", main)
                page, told = self.page(name), run(name, "--help").stdout
                for option in set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", told, re.M)):
                    self.assertIn(option, page)

    def test_examples_are_of_the_subcommand_alone(self):
        seen = {}
        for name in SUBCOMMANDS:
            told = run(name, "--help").stdout
            self.assertIn("Examples:", told, name)
            examples = [line.strip() for line in told[told.index("Examples:"):].splitlines()[1:] if line.startswith("  ")]
            self.assertTrue(any(f"scalemark {name}" in line for line in examples), name)
            for line in examples:
                self.assertNotIn(line, seen, f"{name} and {seen.get(line)} share an example")
                seen[line] = name

    def test_unknown_page(self):
        self.expect(run("man", "comprae"), 2, "comprae", "compare")


if __name__ == "__main__":
    unittest.main()
