# SPDX-License-Identifier: Apache-2.0
"""Who may include whom. The table is made by CMake from what each target links (cmake/ScalemarkModule.cmake): a folder's
sources may include what its targets link, and what that links PUBLIC. A source includes its own header first: so every
header with a source is seen to compile by itself.

includes_test.py BUILD/modules.txt"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
from module_table import ModuleTable  # noqa: E402

# Libraries that only these folders may include.
LIBRARIES = {
    r"mpi\.h": ["common/mpi", "common/collective", "common/core"],
    r"nccl\.h": ["common/collective"],
    r"cuda_runtime(_api)?\.h": ["common/device", "common/collective", "common/profile", "common/torch", "suites/llm/kernels", "suites/micro/compute/cuda", "suites/micro/memory/cuda"],
    r"cublasLt\.h": ["suites/micro/compute/cuda"],
    r"cupti.*\.h": ["common/profile"],
    r"hdf5(_hl)?\.h": ["common/store"],
    r"hwloc(/.*)?\.h": ["common/hardware"],
    r"png\.h": ["suites/imaging/data"],
    r"dali/.*": ["suites/imaging/loader"],
    r"CLI/.*": ["common/cli"],
    r"torch/.*|ATen/.*|c10/.*": ["common/torch", "suites/imaging", "suites/llm", "suites/micro"],
}


class Table(ModuleTable):
    def __init__(self, path):
        super().__init__(path)
        self.folders = set(self.folder.values())

    def public(self, target):
        """The targets that come with a link to this one."""
        found = {target}
        for link in self.links["PUBLIC"][target]:
            found |= self.public(link)
        return found

    def seen_from(self, folder):
        """The folders that sources of a folder may include."""
        targets = [target for target, where in self.folder.items() if where == folder]
        links = {link for target in targets for kind in ("PUBLIC", "PRIVATE") for link in self.links[kind][target]}
        return {self.folder[target] for link in links for target in self.public(link)} | {folder}

    def folder_of(self, path):
        """The longest folder of the table that a path lies in."""
        return max((f for f in self.folders if path.startswith(f + "/")), key=len, default=None)


def problems_of(path, table):
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text(encoding="utf-8")
    header = path.with_suffix(".hpp")
    first = re.search(r"^#include [<\"]([^>\"]+)", text, re.MULTILINE)
    if path.suffix == ".cpp" and header.exists() and (not first or first[1] != header.relative_to(ROOT).as_posix()):
        yield f"{name}: {header.name} must be included first"
    folder = table.folder_of(name)
    if folder is None:
        return
    seen = table.seen_from(folder)
    for number, line in enumerate(text.splitlines(), 1):
        included = re.match(r"#include [<\"]([^>\"]+)[>\"]", line)
        if not included:
            continue
        target = table.folder_of(included[1])
        if target is not None and target not in seen:
            yield f"{name}:{number}: {folder} may not include {target}, since it does not link it"
        for pattern, folders in LIBRARIES.items():
            if re.fullmatch(pattern, included[1]) and not any(name.startswith(f + "/") for f in folders):
                yield f"{name}:{number}: only {', '.join(folders)} may include <{included[1]}>"


def main():
    table = Table(pathlib.Path(sys.argv[1]))
    files = [path for top in ("common", "suites") for suffix in ("hpp", "cpp", "cu", "cuh") for path in (ROOT / top).rglob(f"*.{suffix}")]
    problems = [problem for path in sorted(files) for problem in problems_of(path, table)]
    print("\n".join(problems))
    print(f"{len(files)} files, {len(table.folders)} folders, {len(problems)} problems")
    if len(files) < 50 or len(table.folders) < 15:
        sys.exit("too few files or folders were found: is this the project's tree, and its build's table?")
    sys.exit(1 if problems else 0)


main()
