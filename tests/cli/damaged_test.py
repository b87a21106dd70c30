# SPDX-License-Identifier: Apache-2.0
"""Our reader beside h5py on the same damaged files: what we read is what h5py reads, and what was stored.

    damaged_test.py WRITE_EXAMPLE [--full]
"""
import random
import subprocess
import sys
import unittest

from harness import ProgramTest, run

FULL = "--full" in sys.argv and sys.argv.remove("--full") is None
WRITE_EXAMPLE = sys.argv.pop(1)
MUTANTS = 3000 if FULL else 40

# In a process of its own: the HDF5 below h5py crashes on some damaged files. Names of groups, numbers and texts; not what only names
# dimensions (rank and iteration of a metric), and not the text "schema", which describes the format to people.
READ_WITH_H5PY = """
import hashlib, sys
import h5py
seen = hashlib.sha256()
def take(path, one):
    seen.update(path.encode())
    for key in sorted(one.attrs):
        if key not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "DIMENSION_LABELS"):
            seen.update(f"{key} {one.attrs[key]}".encode())
    if isinstance(one, h5py.Dataset):
        seen.update(str((one.shape, one.dtype.kind)).encode() + one[()].tobytes())
    else:
        for name in one:
            names_dimension = "/metrics/" in path and path.count("/") == 4 and name in ("rank", "iteration")
            if path + name != "/schema" and not names_dimension:
                take(path.rstrip("/") + "/" + name, one[name])
with h5py.File(sys.argv[1]) as file:
    take("/", file)
print(seen.hexdigest())
"""


def read_with_h5py(path):
    done = subprocess.run(["/usr/bin/python3", "-c", READ_WITH_H5PY, path], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else f"{done.returncode} {done.stderr}"


def damage(content, chance):
    """Some bits, a byte that means much, or a block of another place."""
    content = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 8))):
        place = chance.randrange(len(content))
        how = chance.randrange(4)
        if how == 0:
            content[place] ^= 1 << chance.randrange(8)
        elif how == 1:
            content[place] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        else:
            length, source = chance.randrange(1, 64), chance.randrange(len(content))
            content[place:place + length] = bytes(length) if how == 2 else content[source:source + length]
    return bytes(content)


class Damaged(ProgramTest):
    def test_what_we_read_h5py_reads(self):
        good, path = self.path("good.h5"), self.path("damaged.h5")
        subprocess.run([WRITE_EXAMPLE, good], check=True)
        content, stored = self.content(good), read_with_h5py(good)
        self.assertRegex(stored, "^[0-9a-f]{64}$")
        chance, read, others = random.Random(1), 0, 0
        for mutant in range(MUTANTS):
            with open(path, "wb") as file:
                file.write(damage(content, chance))
            done = run("show", path)
            self.assertIn(done.returncode, (0, 3), f"mutant {mutant}: {done.stderr}")
            if done.returncode == 0:
                read += 1
                self.assertEqual(read_with_h5py(path), stored, f"mutant {mutant}")
            elif FULL:
                seen = read_with_h5py(path)
                others += len(seen) == 65 and seen != stored
        print(f"{MUTANTS} damaged files: {read} were read, all as h5py reads them; of those that we refuse, h5py reads {others} "
              "with other contents" if FULL else f"{MUTANTS} damaged files, {read} of them read")
        self.assertGreater(read, 0)
        self.assertLess(read, MUTANTS)


if __name__ == "__main__":
    unittest.main()
