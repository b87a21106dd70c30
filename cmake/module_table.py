# SPDX-License-Identifier: Apache-2.0
"""Reads modules.txt of a build folder, which cmake/ScalemarkModule.cmake writes: rows "folder target visibility links..."."""
import collections


class ModuleTable:
    """`folder`: that of each target. `links`: by "PUBLIC" and "PRIVATE" the targets that a target links."""

    def __init__(self, path):
        self.folder = {}
        self.links = {"PUBLIC": collections.defaultdict(set), "PRIVATE": collections.defaultdict(set)}
        for line in path.read_text(encoding="utf-8").splitlines():
            folder, target, visibility, *links = line.split()
            self.folder[target] = folder
            self.links[visibility][target].update(links)
