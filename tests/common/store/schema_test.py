# SPDX-License-Identifier: Apache-2.0
"""Everything in a file with every field filled stands in the schema that it carries, and everything
in the schema stands in the file.

    schema_test.py WRITE_EXAMPLE
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import h5py

WRITE_EXAMPLE = sys.argv.pop(1)


def pattern(name):
    """<word> stands for any name."""
    return "[^/]+".join(map(re.escape, re.split(r"<\w+>", name)))


def read_schema(text):
    """Object -> (its dimensions or None, its attributes), names as patterns."""
    objects = {}
    for line in text.splitlines():
        if found := re.match(r"(/\S*)( \[[\w, ]+\])?(?: |$)", line):
            objects[found[1]] = (found[2], [])
        elif found := re.match(r"  @(\S+)", line):
            objects[list(objects)[-1]][1].append(found[1])
    return objects


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="scalemark-test-") as folder:
            path = os.path.join(folder, "example.h5")
            subprocess.run([WRITE_EXAMPLE, path], check=True)
            cls.found = {}
            with h5py.File(path, "r") as file:
                cls.schema = read_schema(bytes(file["schema"][()]).decode())
                cls.note("/", file)
                file.visititems(lambda name, item: cls.note("/" + name, item))

    @classmethod
    def note(cls, name, item):
        cls.found[name] = (item.ndim if isinstance(item, h5py.Dataset) else None, list(item.attrs))

    def rules_of(self, name):
        return [rule for rule in self.schema if re.fullmatch(pattern(rule), name)]

    def test_what_is_in_the_file_is_in_the_schema(self):
        for name, (dimensions, attributes) in self.found.items():
            rules = self.rules_of(name)
            if not rules:
                # A group on the way to what the schema names.
                self.assertTrue(dimensions is None and not attributes, f"{name} is not in the schema")
                depth = name.count("/") + 1
                self.assertTrue(any(re.fullmatch(pattern("/".join(rule.split("/")[:depth])), name) for rule in self.schema),
                                f"{name} is not in the schema")
                continue
            self.assertEqual(len(rules), 1, f"{name} is in the schema twice")
            labels, allowed = self.schema[rules[0]]
            if dimensions is not None and "CLASS" not in attributes:
                self.assertIn("digest", attributes, name)
                attributes = [one for one in attributes if one != "digest"]
            self.assertEqual(dimensions or 0, labels.count(",") + 1 if labels else 0, f"dimensions of {name}")
            for attribute in attributes:
                self.assertTrue(any(re.fullmatch(pattern(one).replace("[^/]+", ".+"), attribute) for one in allowed),
                                f"{name}: attribute {attribute} is not in the schema")

    def test_what_is_in_the_schema_is_in_the_file(self):
        self.assertGreater(len(self.schema), 30)
        for rule, (_, attributes) in self.schema.items():
            objects = [name for name in self.found if re.fullmatch(pattern(rule), name)]
            self.assertTrue(objects, f"no object is {rule}")
            there = {attribute for name in objects for attribute in self.found[name][1]}
            for attribute in attributes:
                wanted = pattern(attribute).replace("[^/]+", ".+")
                self.assertTrue(any(re.fullmatch(wanted, one) for one in there), f"{rule}: no attribute {attribute}")


if __name__ == "__main__":
    unittest.main()
