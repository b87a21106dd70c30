# SPDX-License-Identifier: Apache-2.0
"""docs/reference_pages.py names public declarations without a comment, and links what comments name. Needs Doxygen."""
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "docs/reference_pages.py"
HEADER = """// SPDX-License-Identifier: Apache-2.0
// Weights of parcels.
#pragma once
namespace scalemark {

/// A parcel. pack() makes it.
class Parcel {
 public:
  explicit Parcel(int grams) : grams_(grams) {}
  int grams() const { return grams_; }
  %sint open();

 private:
  int hidden();
  int grams_;
};

/// Packs `grams`.
Parcel pack(int grams);
Parcel pack_twice(int grams);

%sstruct Label {};
%sint weigh(const Parcel& parcel = Parcel(1));
}  // namespace scalemark
"""


def write_pages(folder, comments):
    (folder / "common/post").mkdir(parents=True, exist_ok=True)
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs/mkdocs.yml").write_text("nav:\n  - common/post: reference/common/post.md\n")
    (folder / "common/post/parcel.hpp").write_text(HEADER % comments)
    run = subprocess.run([sys.executable, SCRIPT, folder / "pages", "--root", folder], capture_output=True, text=True)
    return run.returncode, run.stderr, folder / "pages/common/post.md"


def main():
    with tempfile.TemporaryDirectory() as name:
        status, errors, _ = write_pages(Path(name), ("", "", "\n"))
        assert status == 1, (status, errors)
        named = [line.split(": ")[1] for line in errors.splitlines()[:-1]]
        assert named == ["Parcel::open has no /// comment", "Label has no /// comment", "weigh has no /// comment"], errors
        status, errors, page = write_pages(Path(name), ("/// Opens it.\n  ", "/// Its address.\n", "/// In grams.\n"))
        assert status == 0 and "2 classes, 6 functions (1 share" in errors, (status, errors)
        text = page.read_text()
        for part in ("Weights of parcels.", "[`pack()`](#pack) makes it", "explicit Parcel(int grams);", "Opens it.",
                     "Parcel pack(int grams);\nParcel pack_twice(int grams);", "int weigh(const Parcel& parcel = Parcel(1));"):
            assert part in text, f"{part!r} is not in\n{text}"
        assert "hidden" not in text and "grams_" not in text, text
    print("reference pages: gaps are named, and pages are written")


if __name__ == "__main__":
    main()
