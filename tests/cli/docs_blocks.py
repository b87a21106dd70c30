# SPDX-License-Identifier: Apache-2.0
"""Commands and examples of a Markdown page.

Commands are the lines of a block of code that is indented or fenced as `sh`, and what stands in `back quotes` and begins with a
program's name. Every other fence names its language; `text` is output or a drawing.
"""
import re

PROGRAM = re.compile(r"(?:scalemark(?:-kernels)?|mpirun|python3|cmake|ctest|ninja|h5dump|eval|for|srun|sbatch|apt|apt-get|dpkg|"
                     r"jobscripts/\S+|packaging/\S+\.sh|tests/\S+\.(?:sh|py)|build/\S+|\.ci/\S+|source|docker|apptainer|spack)(?=\s|$)")
LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s")


def blocks(text):
    """(language, code, number of its first line); an indented block is `indented`, a fence without a language ''."""
    found, lines, at, in_list = [], text.split("\n"), 0, False
    while at < len(lines):
        line = lines[at]
        fence = re.match(r"(\s*)```(\S*)", line)
        if fence:
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == "```")
            body = [each.removeprefix(fence[1]) for each in lines[at + 1:end]]
            found.append((fence[2], "\n".join(body) + "\n", at + 2))
            at = end + 1
            continue
        before = lines[at - 1] if at > 0 else ""
        if line.startswith("    ") and not in_list and (not before.strip() or before.startswith("#")):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            body = [each[4:] for each in lines[at:end]]
            found.append(("indented", "\n".join(body).rstrip("\n") + "\n", at + 1))
            at = end
            continue
        if line.strip() and not line.startswith(" "):
            in_list = bool(LIST_ITEM.match(line)) or (in_list and bool(before.strip()))
        at += 1
    return found


def without_comment(line):
    """A command as the tables of the test name it."""
    return " ".join(re.sub(r"\s+#.*$", "", line).split())


def commands(text):
    """Lines of the blocks of commands, in order; continued lines are one."""
    found = []
    for language, code, _ in blocks(text):
        if language in ("indented", "sh"):
            found += [line for line in code.replace("\\\n", " ").split("\n") if line.strip()]
    return found


def inline_commands(text):
    """Commands in the running text; a program's name alone is none."""
    prose = re.sub(r"^\s*```.*?^\s*```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for language, code, _ in blocks(text):
        if language == "indented":
            prose = prose.replace("\n".join("    " + line for line in code.rstrip("\n").split("\n")), "")
    spans = (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose))
    return [span for span in spans if PROGRAM.match(span) and (" " in span or "/" in span)]
