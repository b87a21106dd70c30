# SPDX-License-Identifier: Apache-2.0
"""A Slurm of a few virtual nodes, started for one test file on this machine."""
import os
import re
import shutil
import sys
import tempfile
import time
import unittest

from support import ROOT, start

RECIPES = os.path.join(ROOT, "tests", "recipes")


def start_slurm(nodes, cpus):
    """For setUpModule(). Returns the folder of the daemons' files; all ends with the module."""
    folder = tempfile.mkdtemp(prefix="slurm-", dir="/tmp")
    unittest.addModuleCleanup(stop_slurm, folder)
    done = start(os.path.join(RECIPES, "slurm-up.sh"), folder, nodes, cpus)
    if done.returncode != 0:
        raise RuntimeError(f"slurm-up.sh ended with {done.returncode}: {done.stderr}")
    for name, value in re.findall(r"^export (\w+)=(.*)$", done.stdout, re.MULTILINE):
        os.environ[name] = value
    return folder


def stop_slurm(folder):
    done = start(os.path.join(RECIPES, "slurm-down.sh"), folder, "--remove")
    shutil.rmtree(folder, ignore_errors=True)
    if done.returncode != 0:
        raise RuntimeError(f"slurm-down.sh: {done.stderr}")


def wait_for(what, condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.2)


def main():
    """unittest.main(), or 77 (skipped) where root or Slurm is missing."""
    missing = [name for name in ("munged", "slurmctld", "slurmd", "srun", "sbatch") if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        print(f"skipped: needs root and Slurm (missing: {' '.join(missing) or 'root'}); jobscripts/setup.sh --full installs it")
        sys.exit(77)
    unittest.main()
