# SPDX-License-Identifier: Apache-2.0
"""Who may include whom (docs/architecture.md). A module may include itself and what stands in its row. A source includes
its own header first: so every header with a source is seen to compile by itself."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

ALLOWED = {
    "common/base": [],
    "common/golden": ["base"],
    "common/stats": ["base"],
    "common/stats/golden": ["base", "golden", "stats"],
    "common/result": ["base", "stats"],
    "common/mpi": ["base"],
    "common/clock": ["base", "mpi"],
    "common/topology": ["base"],
    "common/device": ["base"],
    "common/collective": ["base", "device", "mpi"],
    "common/profile": ["base", "result"],
    "common/core": ["base", "clock", "result", "stats", "mpi", "topology", "device", "collective"],
    "common/store": ["base", "result", "stats"],
    "common/report": ["base", "result", "stats"],
    "common/page": ["base", "result", "stats", "report"],
    "common/convert": ["base", "result", "stats", "report"],
    "common/torch": ["base", "result", "mpi", "device", "collective", "profile", "core"],
    "common/cli": ["base", "golden", "stats", "result", "mpi", "topology", "device", "collective", "core", "store", "report", "page", "convert"],
    "suites/micro": ["base", "golden", "result", "topology", "device", "collective", "core", "torch"],
    "suites/micro/cuda": ["base", "device", "core"],
    "suites/micro/kernels": ["base", "result", "core", "store", "torch"],
    "suites/imaging": ["base", "golden", "result", "topology", "device", "collective", "core", "torch"],
    "suites/llm": ["base", "golden", "result", "device", "collective", "core", "torch"],
}
# Libraries that only these folders may include.
LIBRARIES = {
    r"mpi\.h": ["common/mpi", "common/collective", "common/core"],
    r"nccl\.h": ["common/collective"],
    r"cuda_runtime(_api)?\.h": ["common/device", "common/collective", "common/profile", "common/torch", "suites/llm", "suites/micro/cuda"],
    r"cublasLt\.h": ["suites/micro/cuda"],
    r"cupti.*\.h": ["common/profile"],
    r"hdf5(_hl)?\.h": ["common/store"],
    r"hwloc(/.*)?\.h": ["common/topology"],
    r"png\.h": ["suites/imaging"],
    r"dali/.*": ["suites/imaging"],
    r"CLI/.*": ["common/cli"],
    r"torch/.*|ATen/.*|c10/.*": ["common/torch", "suites/imaging", "suites/llm", "suites/micro"],
}


def folder_of(path):
    """The longest row of the table that the file lies in."""
    text = path.relative_to(ROOT).as_posix()
    rows = [row for row in ALLOWED if text.startswith(row + "/")]
    return max(rows, key=len) if rows else None


def problems_of(path):
    row = folder_of(path)
    if row is None:
        return
    header = path.with_suffix(".hpp")
    first = re.search(r"^#include [<\"]([^>\"]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    if path.suffix == ".cpp" and header.exists() and (not first or first[1] != header.relative_to(ROOT).as_posix()):
        yield f"{path.relative_to(ROOT)}: {header.name} must be included first"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        ours = re.match(r'#include "(common|suites)/([a-z_]+)/', line)
        if ours:
            target = f"{ours[1]}/{ours[2]}"
            own = target == row or row.startswith(target + "/")
            suite = ours[1] == "suites" and row in ("suites/micro", "suites/micro/kernels") and ours[2] in ("llm", "imaging")
            if not own and not suite and (ours[1] == "suites" or ours[2] not in ALLOWED[row]):
                yield f"{path.relative_to(ROOT)}:{number}: {row} may not include {target}"
        library = re.match(r"#include [<\"]([^>\"]+)[>\"]", line)
        for pattern, rows in LIBRARIES.items():
            if library and re.fullmatch(pattern, library[1]) and not any(row == r or row.startswith(r + "/") for r in rows):
                yield f"{path.relative_to(ROOT)}:{number}: only {', '.join(rows)} may include <{library[1]}>"


def main():
    files = [path for top in ("common", "suites") for suffix in ("hpp", "cpp", "cu") for path in (ROOT / top).rglob(f"*.{suffix}")]
    problems = [problem for path in sorted(files) for problem in problems_of(path)]
    print("\n".join(problems))
    print(f"{len(files)} files, {len(problems)} problems")
    if len(files) < 50:
        sys.exit("too few files were found: is this the project's tree?")
    sys.exit(1 if problems else 0)


main()
