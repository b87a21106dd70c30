# SPDX-License-Identifier: Apache-2.0
"""Reads result files of Scalemark into Python, with h5py and NumPy alone; pandas and xarray where they are asked for.

    import scalemark

    with scalemark.open("run.h5") as run:
        print(run.complete, len(run))
        case = run["micro/pingpong backend=mpi bytes=8 memory=host ranks=2"]
        print(case.params["bytes"], case.metrics["latency"].median, case.metrics["latency"].unit)
        frame = run.to_pandas()       # a row for each case
        samples = case.to_xarray()    # all samples, by rank and iteration

Numbers are those of `scalemark show --format json`. Digests are not checked here: `scalemark show` does that.
"""
from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property

import h5py
import numpy

__all__ = ["Case", "Metric", "Run", "open"]
__version__ = "1.0"

FORMAT = "scalemark-result"
LEAST = {"p95": (0.95, 100), "p99": (0.99, 500), "p999": (0.999, 5000)}  # iterations that a percentile needs
RANK_REDUCE = {"max": lambda values: values.max(axis=0), "mean": lambda values: values.mean(axis=0),
               "sum": lambda values: values.sum(axis=0), "root": lambda values: values[0]}


def _plain(value):
    """An attribute as Python's own type."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return value.item() if hasattr(value, "item") else value


def _attributes(holder) -> dict:
    return {name: _plain(value) for name, value in holder.attrs.items()}


def _values(case, name: str) -> dict:
    """Axes or facts; switches are stored as the words true and false."""
    if name not in case:
        return {}
    return {key: value == "true" if value in ("true", "false") else value for key, value in _attributes(case[name]).items()}


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _quantile(values: numpy.ndarray, q: float) -> float:
    """Linear between two values. numpy rounds the place between them, which a large step from one to the other multiplies."""
    place = Fraction(q) * (len(values) - 1)
    index = int(place)
    low, high = numpy.sort(values)[[index, min(index + 1, len(values) - 1)]]
    return low + float(place - index) * (high - low)


class Metric:
    """One metric of a case. Values are in `unit` (UCUM: s, By/s, flop/s, 1, J, By)."""

    def __init__(self, case: Case, name: str, group: h5py.Group):
        self._case, self._group = case, group
        about = _attributes(group)
        self.name, self.unit, self.better = name, about["unit"], about["better"]
        self.kind, self.formula, self.source = about["kind"], about["formula"], about["source"]
        self.rank_reduce, self._numerator = about["rank_reduce"], about["numerator"]
        self._scale, self._inner = about["scale"], about["inner"]

    def __repr__(self) -> str:
        return f"<scalemark.Metric {self.name}: {self.median} {self.unit}>"

    @property
    def _sampled(self) -> Metric:
        """The metric with the samples: of a rate, its time."""
        return self._case.metrics[self.source] if self.kind == "rate" else self

    def _of_samples(self, samples: numpy.ndarray) -> numpy.ndarray:
        """A rate is its work divided by the time."""
        if self.kind != "rate":
            return samples
        return numpy.divide(self._numerator, samples, out=numpy.full(samples.shape, numpy.nan), where=samples > 0)

    @property
    def _samples(self) -> numpy.ndarray:
        if "samples" not in self._group:
            return numpy.empty((0, 0))
        return self._group["samples"][()] * self._scale / self._inner

    @property
    def values(self) -> numpy.ndarray:
        """All samples [rank, iteration], those of the warm-up, too. A rate has those of its work divided by each time."""
        return self._of_samples(self._sampled._samples)

    @property
    def warmup(self) -> numpy.ndarray:
        """True for the iterations that do not count."""
        group = self._sampled._group
        if "warmup_mask" in group:
            return group["warmup_mask"][()] != 0
        return numpy.zeros(group["samples"].shape[1] if "samples" in group else 0, dtype=bool)

    @cached_property
    def _reduced(self) -> numpy.ndarray:
        samples = self._samples
        return RANK_REDUCE[self.rank_reduce](samples)[~self.warmup] if samples.shape[0] else numpy.empty(0)

    @property
    def per_iteration(self) -> numpy.ndarray:
        """One value for each iteration that counts: `rank_reduce` over the ranks; of a rate, of its time."""
        return self._of_samples(self._sampled._reduced)

    @cached_property
    def summary(self) -> dict:
        """median, low and high of its 95 % interval, n, mean, min, max and percentiles, as `show` prints them; None: not known."""
        known = self._group["derived"].attrs if "derived" in self._group else {}
        numbers = {name: _finite(known.get(name, math.nan)) for name in ("median", "low", "high")}
        direct, samples = self.per_iteration, self._sampled._reduced
        numbers["n"] = len(direct)
        least, most = (numpy.max, numpy.min) if self.kind == "rate" else (numpy.min, numpy.max)  # the longest time is the least rate
        for name, of in (("mean", numpy.mean), ("min", least), ("max", most)):
            value = of(samples) if len(samples) else math.nan  # of the times: the mean of rates is no rate
            numbers[name] = _finite(self._of_samples(numpy.asarray(value)))
        for name, (place, needed) in LEAST.items():
            numbers[name] = _finite(_quantile(direct, place)) if len(direct) >= needed else None
        return numbers

    @property
    def median(self) -> float | None:
        return self.summary["median"]

    @property
    def interval(self) -> tuple[float | None, float | None]:
        return self.summary["low"], self.summary["high"]


class Case:
    """One case of a run: `key`, `name`, `status`, `reason`, `params` (its axes), `facts`, `primary` (its main metric), `metrics`."""

    def __init__(self, group: h5py.Group):
        self._group = group
        about = _attributes(group)
        self.key, self.name, self.status = about["key"], about["name"], about["status"]
        self.reason, self.primary = about["reason"], about["primary_metric"]
        self.verified = {"done": bool(about["verified"]), "checked": about["checked"], "wrong": about["wrong"]}
        self.params, self.facts = _values(group, "params"), _values(group, "facts")

    def __repr__(self) -> str:
        return f"<scalemark.Case {self.key}: {self.status}>"

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        groups = self._group.get("metrics", {})
        names = sorted(groups, key=lambda name: groups[name].attrs["order"])
        return {name: Metric(self, name, groups[name]) for name in names}

    def to_dict(self) -> dict:
        """What `scalemark show --format json` says of the case itself."""
        return {"key": self.key, "name": self.name, "status": self.status, "reason": self.reason, "params": self.params,
                "facts": self.facts, "primary": self.primary,
                "metrics": {name: {"unit": metric.unit, "better": metric.better} | metric.summary for name, metric in self.metrics.items()},
                "verified": self.verified}

    def to_xarray(self):
        """A dataset of all samples: a variable for each metric by rank and iteration. Metrics that were not sampled together have
        dimensions of their own: `iteration_of_METRIC`, and `rank_of_METRIC` where not all ranks took part."""
        import xarray
        sampled = {name: metric.values for name, metric in self.metrics.items()}
        ranks = max((values.shape[0] for values in sampled.values()), default=0)
        variables = {}
        for name, values in sampled.items():
            metric = self.metrics[name]
            owner = metric.source or name
            dimensions = ("rank" if values.shape[0] == ranks else f"rank_of_{owner}", f"iteration_of_{owner}")
            variables[name] = xarray.DataArray(values, dims=dimensions, attrs={"units": metric.unit, "better": metric.better})
        return xarray.Dataset(variables, attrs={"key": self.key, "status": self.status} | self.params)


class Run(Mapping):
    """A result file: its cases by key, in the order of the run."""

    def __init__(self, path):
        self._file = h5py.File(path, "r")
        if _plain(self._file.attrs.get("format", b"")) != FORMAT:
            self._file.close()
            raise ValueError(f"{path} is no result file of Scalemark")
        self.attributes = _attributes(self._file)
        self.complete = bool(self.attributes["complete"])
        cases = self._file["cases"]
        self._cases = {case.key: case for case in (Case(cases[number]) for number in sorted(cases))}

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def __getitem__(self, key: str) -> Case:
        return self._cases[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cases)

    def __len__(self) -> int:
        return len(self._cases)

    def to_pandas(self):
        """A frame with a row for each case: name, status, its axes, and the median of each metric."""
        import pandas
        return pandas.DataFrame([{"name": case.name, "status": case.status} | case.params |
                                 {name: metric.median for name, metric in case.metrics.items()} for case in self.values()],
                                index=pandas.Index(self, name="key"))


def open(path) -> Run:
    """Opens a result file for reading. Close it, or use it in a `with` statement."""
    return Run(path)
