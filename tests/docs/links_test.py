# SPDX-License-Identifier: Apache-2.0
"""Every relative link and picture of every page leads to a file, and every anchor to a heading."""
import re
import sys

from pages import ROOT, pages, without_code

MORE_PAGES = ("CHANGELOG.md", ".github/SECURITY.md")
LARGEST_PICTURE = 150_000  # bytes


def anchors(text):
    """What GitHub and MkDocs make of the headings."""
    found = set()
    for _, line in without_code(text):
        heading = re.match(r"#+\s+(.*)", line)
        if heading:
            name = re.sub(r"`|\*|\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
            found.add(re.sub(r"[^\w\- ]", "", name).replace(" ", "-"))
    return found


def problems_of(page):
    text = page.read_text(encoding="utf-8")
    prose = "\n".join(re.sub(r"`[^`]*`", "", line) for _, line in without_code(text))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        where = f"{page.relative_to(ROOT)}: {target}"
        if not file.is_relative_to(ROOT) or not file.exists():
            yield f"{where} does not exist"
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{where}: {name or page.name} has no such heading"
        elif file.suffix in (".png", ".svg") and file.stat().st_size > LARGEST_PICTURE:
            yield f"{where} has {file.stat().st_size} bytes, at most {LARGEST_PICTURE}"


def main():
    checked = [*pages(), *(ROOT / name for name in MORE_PAGES)]
    problems = [problem for page in checked for problem in problems_of(page)]
    readme = (ROOT / "README.md").read_text(encoding="utf-8").count("\n")
    if readme > 100:
        problems.append(f"README.md has {readme} lines, at most 100")
    print("\n".join(problems))
    print(f"{len(checked)} pages, {len(problems)} problems")
    sys.exit(1 if problems or len(checked) < 15 else 0)


main()
