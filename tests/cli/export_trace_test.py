# SPDX-License-Identifier: Apache-2.0
"""`export --to trace`: events of the trace viewer, read as JSON."""
import collections
import json
import math
import unittest

import h5py

from harness import run
from converting import Exporting


class Trace(Exporting):
    def test_trace_events_nest(self):
        for name in ("mnist-full.h5", "run-2.h5"):
            trace = json.loads(self.export(name, "--to", "trace"))
            threads = {}
            for event in trace["traceEvents"]:
                self.assertIn(event["ph"], "XM")
                self.assertIsInstance(event["pid"], int)
                if event["ph"] == "M":
                    self.assertIn(event["name"], ("process_name", "thread_name"))
                    continue
                self.assertGreaterEqual(event["ts"], 0)
                self.assertGreaterEqual(event["dur"], 0)
                threads.setdefault((event["tid"], event["cat"]), []).append(event)
            cases = threads.pop((0, "case"))
            # These files are older than phases and beginnings of iterations.
            self.assertLessEqual({category for _, category in threads}, {"epoch"})
            for events in [cases, *threads.values()]:
                for one, other in zip(events, events[1:]):
                    self.assertGreaterEqual(other["ts"] + 1e-3, one["ts"] + one["dur"])
            for event in (event for events in threads.values() for event in events):
                self.assertEqual(event["cat"], "epoch")
                self.assertTrue(any(one["ts"] <= event["ts"] + 1e-3 and
                                    event["ts"] + event["dur"] <= one["ts"] + one["dur"] + 1e-3 for one in cases))
        self.assertTrue(threads)

    def test_a_trace_shows_phases_and_iterations_inside_their_case(self):
        done = run("run", "micro/memcpy", "-a", "direction=h2h", "-a", "host_memory=pageable", "-a", "bytes=4096,65536",
                   "-n", "20", "-w", "3", "-o", self.path("p.h5"), ranks=1)
        self.expect(done, 0)
        events = json.loads(run("export", self.path("p.h5"), "--to", "trace").stdout)["traceEvents"]
        of = lambda category: [event for event in events if event.get("cat") == category]
        cases, phases, samples = of("case"), of("phase"), of("sample")
        self.assertEqual(len(cases), 2)
        self.assertEqual(len(samples), 40)
        for number, case_event in enumerate(cases):
            inside = [one for one in phases if case_event["ts"] <= one["ts"] and
                      one["ts"] + one["dur"] <= case_event["ts"] + case_event["dur"] + 1e-3]
            self.assertEqual([one["name"] for one in inside],
                             ["set up", "first call", "verify", "warm-up", "measure", "verify", "gather"])
            for one, other in zip(inside, inside[1:]):
                self.assertAlmostEqual(one["ts"] + one["dur"], other["ts"], delta=1e-3)
            mine = samples[20 * number:20 * number + 20]
            self.assertEqual([one["name"] for one in mine], [f"sample {i}" for i in range(1, 21)])
            for one, other in zip(mine, mine[1:]):
                self.assertLessEqual(one["ts"] + one["dur"], other["ts"] + 1e-3)
            # The end of a case is known to a millisecond, so its last phases may be cut short.
            self.assertGreaterEqual(mine[0]["ts"] + 1e-3, inside[4]["ts"])
        # What two short cases share of telemetry is there once.
        readings = [(event["name"], event["ts"]) for event in events if event["ph"] == "C"]
        self.assertTrue(readings)
        self.assertEqual(len(readings), len(set(readings)))
        with h5py.File(self.path("p.h5")) as file:
            times = set(t for table in file["telemetry/node"].values() for t in table["t"][:])
        per_name = collections.Counter(name for name, _ in readings)
        self.assertLessEqual(max(per_name.values()), len(times))

    def test_a_trace_shows_telemetry_while_its_cases_ran(self):
        done = run("run", "micro/memcpy", "-a", "direction=h2h", "-a", "host_memory=pageable", "-a", "bytes=4096",
                   "--telemetry", "100ms", "--min-time", "0.2", "-o", self.path("t.h5"), ranks=1)
        self.expect(done, 0)
        events = json.loads(run("export", self.path("t.h5"), "--to", "trace").stdout)["traceEvents"]
        end = max(event["ts"] + event["dur"] for event in events if event["ph"] == "X")
        counters = [event for event in events if event["ph"] == "C"]
        self.assertGreater(len({event["name"] for event in counters}), 2)
        for event in counters:
            self.assertTrue(all(math.isfinite(value) for value in event["args"].values()))
            self.assertLess(-1e3, event["ts"])
            self.assertLess(event["ts"], end + 1e6)


if __name__ == "__main__":
    unittest.main()
