#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/benchmarks.md, docs/presets.md and docs/glossary.md from what the program says of itself.

Benchmarks, axes and presets come from `scalemark list --json`, flags from the legend of `compare`. Metrics, verdicts and exit
codes stand in docs/reference_words.py.

Exit: 0 written, or all pages are current; 1 a page differs; 2 usage, or PROGRAM is no Scalemark.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

from reference_words import EXIT_CODES, METRICS, SUITES, VERDICTS

DOCS = pathlib.Path(__file__).resolve().parent
FLAG_WORDS = DOCS.parent / "common/compare/print/flags.cpp"
NOTE = "<!-- Written by docs/generate_reference.py: change that, or the program, and run it again. -->"


def refuse(text):
    print(f"generate_reference.py: {text}", file=sys.stderr)
    sys.exit(2)


def ask(program, *words):
    command = [program, "list", *words, "--json"]
    try:
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    except (OSError, subprocess.CalledProcessError, UnicodeDecodeError, json.JSONDecodeError) as error:
        # An error of the program has its reason on stderr; the last line is enough.
        said = (getattr(error, "stderr", None) or str(error)).strip().split("\n")[-1]
        refuse(f"'{' '.join(command)}' prints no JSON ({said}): name a built scalemark as PROGRAM")


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows])


def word(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def size(number):
    """With K, M, G as `-a` takes them."""
    for suffix, factor in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if number >= factor and number % factor == 0:
            return f"{number // factor}{suffix}"
    return str(number)


def values_text(values):
    """Values as `-a` takes them; a long geometric or arithmetic row is a range."""
    if len(values) > 3 and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        first, second, last = values[0], values[1], values[-1]
        factor, step = second // first if first else 0, second - first
        if factor > 1 and values == [first * factor**i for i in range(len(values))]:
            return f"{size(first)}:{size(last)}:*{factor}"
        if values == list(range(first, last + 1, step)):
            return f"{first}:{last}:+{step}"
        return ", ".join(map(size, values))
    return ", ".join(map(word, values))


def unit_of(axis):
    return re.sub(r"[{}]", "", axis["unit"]) if axis["unit"] not in ("", "1") else ""


def anchor(name):
    return re.sub(r"[^a-z0-9_-]", "", name.lower())


def benchmarks_page(benchmarks):
    parts = [f"# Benchmarks\n\n{NOTE}\n\nAfter this page you know what each benchmark measures, which axes it has, and what `run` takes "
             "where you name none.\n\nAn axis is set by `-a AXIS=VALUES`: one value, a list `8,1K`, or a range `8:4M:*2`. "
             "`scalemark list -v` prints the same, with the defaults on one rank without a GPU."]
    for suite, what in SUITES.items():
        of_suite = [one for one in benchmarks if one["name"].startswith(suite + "/")]
        rows = [(f"[{one['name']}](#{anchor(one['name'])})", one["doc"], ", ".join(one["needs"])) for one in of_suite]
        parts.append(f"## Suite {suite}\n\n{what}\n\n" + table(("benchmark", "measures", "needs"), rows))
        for one in of_suite:
            axes = [(f"`{axis['name']}`", axis["doc"], unit_of(axis), values_text(axis["values"]),
                     values_text(axis["default"])) for axis in one["axes"]]
            parts.append(f"### {one['name']}\n\n{one['doc']}.\n\n" + table(("axis", "what it is", "unit", "values", "default"), axes))
    return parts


CPU_PART = """## Variants for CPUs

`NAME-cpu` is a preset of its own: the part `[cpu]` in the file of `NAME`, with cases that a CPU can measure. `--preset NAME`
never takes that part by itself. So the same command measures the same cases on every machine."""
OWN_PRESET = """## A preset of your own

It is a TOML file: `run --preset mine.toml`. `suites/presets` has more of them.

```toml
doc = "All-reduce between the GPUs of this cluster"

[policy]                   # optional: how to measure
ci = 1

[[benchmark]]              # one block for each benchmark; `name` may be a list
name = "micro/allreduce"
axes = { backend = "nccl", memory = "device", bytes = "8:1G:*2" }

[cpu]                      # optional: `run --preset mine-cpu.toml`
doc = "All-reduce between its hosts"

[[cpu.benchmark]]
name = "micro/allreduce"
axes = { bytes = "8:4M:*2" }
```

The blocks of `[cpu]` replace all others. A text or a policy that `[cpu]` does not name is that of the preset. A file
`mine-cpu.toml` wins over the part."""


def presets_page(presets):
    own = [one for one in presets if not one["repeats"]]
    papers = [one for one in presets if one["repeats"]]
    listed = lambda ones: [(f"`{one['name']}`", one["doc"], ", ".join(one["benchmarks"])) for one in ones]
    return [f"# Presets\n\n{NOTE}\n\nAfter this page you can choose a preset; `run --preset NAME` measures it, and `--dry-run` only "
            "prints its cases.",
            "## For a machine\n\n" + table(("preset", "measures", "benchmarks"), listed(own)),
            CPU_PART,
            "## The studies' experiments\n\nVariants that end in `-cpu` run a few steps of each case. [Reproducing](reproducing.md) says what the "
            "full ones want.\n\n" + table(("preset", "measures", "repeats"), [(f"`{one['name']}`", one["doc"], one["repeats"]) for one in papers]),
            OWN_PRESET]


def flags():
    text = FLAG_WORDS.read_text(encoding="utf-8")
    found = re.findall(r'\{"([a-z_]+)",\s*((?:"[^"]*"\s*)+)\}', text)
    if len(found) < 10:
        sys.exit(f"{FLAG_WORDS} has no table of flags as this script knows it")
    return [(f"`{name}`", "".join(re.findall(r'"([^"]*)"', words))) for name, words in found]


def axes_of(benchmarks):
    """(axis, sentence, unit, where): where a sentence is not the same everywhere, one line each."""
    places = {}
    for one in benchmarks:
        for axis in one["axes"]:
            places.setdefault((axis["name"], axis["doc"], unit_of(axis)), []).append(one["name"])
    several = {name for name, _, _ in places if sum(other == name for other, _, _ in places) > 1}
    return [(f"`{name}`", doc, unit, ", ".join(where) if name in several and len(where) < 4 else "")
            for (name, doc, unit), where in sorted(places.items(), key=lambda item: (item[0][0], -len(item[1])))]


def glossary_page(benchmarks):
    parts = [f"# Glossary\n\n{NOTE}\n\nAfter this page you can read every word of a result: metrics, axes, verdicts, flags and exit codes, "
             "one line each.", "## Metrics\n\nX stands for one of several names. Units are those of the file (UCUM); tables print "
             "multiples such as us and GB/s. Formulas are in [How numbers are made](measuring/README.md)."]
    for title, rows in METRICS.items():
        parts.append(f"### {title}\n\n" + table(("metric", "unit", "what it is"), [(f"`{name}`", unit, doc) for name, unit, doc in rows]))
    parts.append("## Axes\n\n" + table(("axis", "what it is", "unit", "only in"), axes_of(benchmarks)))
    parts.append("## Verdicts\n\n" + table(("verdict", "of", "what it means"), VERDICTS))
    parts.append("## Flags\n\nThey stand beside a row of `compare`. `FLAG:n` means in n of the runs.\n\n" + table(("flag", "what it means"), flags()))
    parts.append("## Exit codes\n\nWhere several apply: 2, 3, 6, 1, 4, 5 in this order. A rank killed by a signal gives the launcher's code "
                 "(137 by mpirun).\n\n" + table(("code", "run", "verify", "compare", "others", "all"), EXIT_CODES))
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM", help="a built scalemark: a path, or a name on PATH")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page differs")
    options = parser.parse_args()
    program = options.program
    if not shutil.which(program):
        refuse(f"there is no program '{program}': build Scalemark, then name build/<preset>/suites/scalemark")
    benchmarks = ask(program)
    pages = {"benchmarks.md": benchmarks_page(benchmarks), "presets.md": presets_page(ask(program, "--presets")),
             "glossary.md": glossary_page(benchmarks)}
    stale = []
    for name, parts in pages.items():
        text = "\n\n".join(parts) + "\n"
        if not options.check:
            (DOCS / name).write_text(text, encoding="utf-8")
        elif (DOCS / name).read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        sys.exit(f"{', '.join(stale)} is not what the program says: run docs/generate_reference.py {program}")


if __name__ == "__main__":
    main()
