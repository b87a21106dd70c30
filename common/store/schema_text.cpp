// SPDX-License-Identifier: Apache-2.0
// The description of the file layout. A test compares it with the files that are written.
#include "common/store/schema_text.hpp"

#include <string>

namespace scalemark {
namespace {

constexpr std::string_view kIntroduction = R"(Scalemark result file, format 1 (HDF5).

A line that begins with / is a group, a dataset with its dimensions, or a text; a line that begins
with @ is an attribute of the object above it; <word> stands for any name. Later versions 1.x add
objects and attributes, and change none: ignore what you do not know. Texts are UTF-8 of a fixed
length, filled up with NUL. Each dataset but dimension scales has an attribute digest: of its type,
shape and values. In names of links '/', '.' and '%' are written %2F, %2E and %25.

)";

constexpr std::string_view kHeader =
    R"(/                                       one run: what one mpirun measured
  @format                               scalemark-result
  @format_version                       1.1
  @run_uuid                             no two runs share it
  @campaign                             what the run belongs to; may be empty
  @created                              its start, ISO 8601 in UTC
  @stopped                              its end; empty where it was killed
  @complete                             1: the run came to its end; 0: it was stopped or killed
  @planned_cases                        cases that it was to measure
  @producer.<fact>                      the program: version, git_revision, how it was built
  @digest                               of all but cases and tables
/schema                                 this text
/run                                    how it was started
  @seed                                 of everything drawn at random
  @repeat                               its number among repeated runs
  @exit_reason                          why it ended
  @tag.<name>                           what --tag said
  @scheduler.<name>                     the batch job
/run/command_line                       as it was given
/run/config                             plan and options as they were resolved
/run/planned [case]                     keys of the planned cases, in order
/env/common                             facts of the environment that all nodes share
  @<fact>
/env/differs/<fact>                     a fact that differs
  @<node>                               its value there
/env/raw/<tool> [1]                     what a tool printed; compressed where long
/topology/ranks/rank [rank]             number in MPI_COMM_WORLD
/topology/ranks/node [rank]             host name
/topology/ranks/local_rank [rank]       number among the ranks of its node
/topology/ranks/cpuset [rank]           CPUs it was bound to, as 0-3,8; empty: not bound
/topology/ranks/numa [rank]             NUMA node; -1: more than one, or unknown
/topology/ranks/gpu_uuid [rank]         its GPU; empty: none
/topology/ranks/gpu_pci [rank]          PCI address of the GPU
/topology/ranks/gpu_model [rank]        name of the GPU
/topology/ranks/nic [rank]              nearest network adapter
/topology/ranks/note [rank]             what of its placement could not be done as wished
/topology/nodes/<kind>/hwloc_xml [1]    nodes of a kind, as hwloc sees them; compressed where long
)";

constexpr std::string_view kCases =
    R"(/cases                                  all cases
  @digest                               of their names and digests; parts of a run have none
/cases/<nnnnnn>                         one case; <nnnnnn> is its index with leading zeros
  @index                                its place in the plan, from 0
  @name                                 suite/benchmark
  @key                                  name and parameters: the same experiment has the same key
  @config_hash                          of all that shapes the measurement
  @status                               ok, skipped, failed, oom (out of memory) or timeout
  @reason                               why it is not ok
  @phase                                the last one that it entered
  @stop_reason                          what ended sampling: ci, count or time
  @primary_metric                       name of the metric that comparisons judge
  @started                              ISO 8601 in UTC
  @stopped
  @predicted_memory                     bytes a rank; 0: unknown
  @verified                             1: its data were checked
  @checked                              elements looked at
  @wrong                                elements found wrong
  @rule                                 what was compared with what, and the tolerance
  @digest                               of all below, with the digests of its datasets
  @tables_digest                        of its tables, with the digests of their columns
/cases/<nnnnnn>/params                  what stands in the key
  @<parameter>                          integer, real or text; true and false are texts
/cases/<nnnnnn>/facts                   what else is known; of several sweeps, whose samples lie one
                                        behind the other: sweeps, sweeps_planned, sweep_starts (the
                                        iterations at which they begin, as 0,20,40), between_sweeps
                                        and within_sweeps (sd of the logarithm of the primary metric)
  @<fact>
/cases/<nnnnnn>/metrics/<metric>        a measured quantity
  @order                                its place among the metrics
  @unit                                 UCUM: s, By/s, flop/s, 1, J, By
  @better                               lower, higher or none
  @kind                                 duration, rate, count or ratio
  @rank_reduce                          how ranks become one value an iteration: max, mean, root, sum
  @formula                              what the number is, in symbols
  @source                               of a rate: the duration that it derives from
  @numerator                            of a rate: what is divided by that duration's value
  @scale                                value = sample * scale / inner
  @inner                                operations that a sample is the total of
/cases/<nnnnnn>/metrics/<metric>/samples [rank, iteration]
                                        raw samples, all of them: integer nanoseconds for durations,
                                        integers or reals for others; a rate has none
  @DIMENSION_LABELS                     rank, iteration
  @DIMENSION_LIST                       the scales below
/cases/<nnnnnn>/metrics/<metric>/warmup_mask [iteration]
                                        1: warm-up, not counted; missing: there was none
  @DIMENSION_LIST
/cases/<nnnnnn>/metrics/<metric>/flags [iteration]
                                        sum of 1 throttled, 2 clock changed, 4 retried, 8 invalid
  @DIMENSION_LIST
/cases/<nnnnnn>/metrics/<metric>/t0 [iteration]
                                        when rank 0 began it: ns since its launch, as t of telemetry
  @DIMENSION_LIST
/cases/<nnnnnn>/metrics/<metric>/rank [rank]
                                        dimension scale without values, for netCDF
  @CLASS
  @NAME
  @REFERENCE_LIST
/cases/<nnnnnn>/metrics/<metric>/iteration [iteration]
                                        dimension scale without values, for netCDF
  @CLASS
  @NAME
  @REFERENCE_LIST
/cases/<nnnnnn>/metrics/<metric>/derived
                                        a cache: over iterations that are no warm-up
  @median
  @low                                  95 % order-statistic interval of the median
  @high
  @version                              of the program that computed them
)";

constexpr std::string_view kTables =
    R"(/telemetry/<what>/<nnnnnn>/<column> [row]
                                        seen during case <nnnnnn>: node, gpu; columns of equal length
  @order                                its place among the columns
  @unit                                 UCUM; empty: a name or a number of things
/baseline/<what>/<nnnnnn>/<column> [row]
                                        in the place of runs, of case <nnnnnn>, which has no samples:
                                        rows (mean_log, variance: of ln of a run's value, over runs),
                                        families (prior of the variances, by metric), facts, runs
  @order
  @unit
/profile/<nnnnnn>/<column> [row]        where case <nnnnnn> spent its time
  @order
  @unit
/phases/<nnnnnn>/<column> [row]         phase: what rank 0 entered; t: when, in ns since its launch, as
                                        t of telemetry; each lasts until the next one begins, the
                                        last one (done, or end of a case that failed) is no phase,
                                        nor is done between sweeps
  @order
  @unit
/timeline/<nnnnnn>/<column> [row]       what each rank of case <nnnnnn> did: rank; what (epoch,
                                        epoch_start_pause, test, test_pause, step); index: which epoch
                                        or step, from 1; t: when, as t of phases, on rank 0's clock;
                                        duration
  @order
  @unit
/pairs/<nnnnnn>/<column> [row]          every pair of ranks, or of GPUs, of case <nnnnnn>, and where they are
                                        (rank_place, peer_place: node and NUMA node), the median of
                                        the case's primary time; of a screening the round, and the
                                        rail where each is screened by itself
  @order
  @unit
/devices/<nnnnnn>/<column> [row]        every rank of case <nnnnnn> alone and beside the others: rank,
                                        where it runs (place: node and NUMA node), its device (PCI
                                        address, or host), its bandwidth while the others waited
                                        (alone_bandwidth) and while all worked (bandwidth), and the
                                        part of it that is lost by that (loss)
  @order
  @unit
/places/<nnnnnn>/<column> [row]         every rank of the job, where case <nnnnnn> ran elsewhere than
                                        /topology/ranks says, since --resume launched it anew: rank,
                                        node, local_rank, cpuset, numa, gpu_uuid, gpu_pci, gpu_model,
                                        nic, note; fact hosts of the case names the hosts where these
                                        are others
  @order
  @unit
)";

}  // namespace

std::string_view schema_text() {
  static const std::string text = [] {
    std::string whole;
    for (const std::string_view part : {kIntroduction, kHeader, kCases, kTables}) whole += part;
    return whole;
  }();
  return text;
}

}  // namespace scalemark
