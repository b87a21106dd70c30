# SPDX-License-Identifier: Apache-2.0
"""Changes of a result file by h5py."""
import shutil

import h5py

from harness import text_of


def replace_attribute(group, name, text):
    del group.attrs[name]
    group.attrs.create(name, text, dtype=h5py.string_dtype("utf-8", len(text)))


def drop_digests(case):
    for name in [name for name in case.attrs if "digest" in name]:
        del case.attrs[name]


def edit_header(path, change):
    """Calls change(file). The header becomes one of format 1.0, without digest: with one the change would be damage."""
    with h5py.File(path, "r+") as file:
        change(file)
        del file.attrs["digest"]
        replace_attribute(file, "format_version", "1.0")


def copy_of_another_machine(path, copy):
    """Another run, as if a machine with another CPU had measured it."""
    def change(file):
        replace_attribute(file, "run_uuid", "11111111-2222-3333-4444-777777777777")
        replace_attribute(file["env/common"], "cpu_model", "Another CPU")
    shutil.copy(path, copy)
    edit_header(copy, change)
    return copy


def twice_as_long(path, copy):
    """The same run, all of whose times are twice as long."""
    return times_as_long(path, copy, 2)


def with_axes(path, copy, **axes):
    """The same run, whose cases have these values of axes."""
    def change(file):
        for case in file["cases"].values():
            params = case["params"]
            for axis, value in axes.items():
                if isinstance(value, int):
                    params.attrs[axis] = value
                else:
                    replace_attribute(params, axis, value)
            axes_of_key = (f"{axis}={text_of(value)}" for axis, value in sorted(params.attrs.items()))
            replace_attribute(case, "key", " ".join([text_of(case.attrs["name"]), *axes_of_key]))
            drop_digests(case)
    shutil.copy(path, copy)
    edit_header(copy, change)
    return copy


def times_as_long(path, copy, factor, metrics=None):
    """The same run, all of whose times, or those of these metrics, are `factor` times as long."""
    def change(file):
        for case in file["cases"].values():
            for name, metric in case["metrics"].items():
                if "samples" in metric and metric.attrs["unit"] in ("s", b"s") and (metrics is None or name in metrics):
                    metric["samples"][...] = factor * metric["samples"][...]
                    del metric["samples"].attrs["digest"]
            drop_digests(case)
    shutil.copy(path, copy)
    edit_header(copy, change)
    return copy
