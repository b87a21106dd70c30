// SPDX-License-Identifier: Apache-2.0
// The list of fields. An entry that ends in '*' stands for a family of fields, whose full names
// depend on the machine (adapters, libraries, environment variables).
#include "common/store/redact_fields.hpp"

#include <algorithm>
#include <cctype>
#include <span>

namespace scalemark::store {
namespace {

using Kind = FieldKind;

struct ListedField {
  std::string_view name;
  Kind kind;
};

/// Facts of a node. The fact "end.X", the value of X at the end of the run, has the same kind.
constexpr ListedField kEnvironment[] = {
    {"kernel", Kind::versions},
    {"machine", Kind::plain},
    {"os", Kind::plain},
    {"glibc", Kind::plain},
    {"kernel_options", Kind::plain},
    {"timer_resolution", Kind::plain},
    {"clock_source", Kind::plain},
    {"numa_balancing", Kind::plain},
    {"transparent_huge_pages", Kind::plain},
    {"transparent_huge_pages_defrag", Kind::plain},
    {"swappiness", Kind::plain},
    {"overcommit_memory", Kind::plain},
    {"zone_reclaim", Kind::plain},
    {"address_randomisation", Kind::plain},
    {"perf_event_paranoid", Kind::plain},
    {"cgroup_cpus", Kind::plain},
    {"cpu_governor", Kind::plain},
    {"cpu_frequency_driver", Kind::plain},
    {"cpu_clock_min_khz", Kind::plain},
    {"cpu_clock_max_khz", Kind::plain},
    {"cpu_idle_driver", Kind::plain},
    {"cpu_smt", Kind::plain},
    {"numa_nodes", Kind::plain},
    {"cpu_model", Kind::plain},
    {"cpu_stepping", Kind::plain},
    {"cpu_microcode", Kind::plain},
    {"cpu_count", Kind::plain},
    {"cpu_boost", Kind::plain},
    {"cpu_idle_states", Kind::plain},
    {"cpu_mitigations", Kind::plain},
    {"memory_total", Kind::plain},
    {"memory_speed", Kind::plain},
    {"huge_pages", Kind::plain},
    {"swap_total", Kind::plain},
    {"page_size", Kind::plain},
    {"limit_memlock", Kind::plain},
    {"limit_address_space", Kind::plain},
    {"limit_stack", Kind::plain},
    {"limit_open_files", Kind::plain},
    {"cgroup_cpu_max", Kind::plain},
    {"cgroup_memory_max", Kind::plain},
    {"container", Kind::plain},
    {"load_average", Kind::plain},
    {"memory_available", Kind::plain},
    {"processes_of_other_users", Kind::plain},
    {"cpu_clock_now", Kind::plain},
    {"cpu_throttle_events", Kind::plain},
    {"gpu_direct_rdma", Kind::plain},
    {"nic.*", Kind::versions},
    {"nic_errors.*", Kind::plain},
    {"mpi_library", Kind::versions},
    {"mpi.*", Kind::text},
    {"cuda", Kind::plain},
    {"nccl", Kind::plain},
    {"program_build_id", Kind::plain},
    {"library.*", Kind::plain},
    {"machine_kind", Kind::plain},
    {"output_file_system", Kind::plain},
    {"gpu_model", Kind::plain},
    {"gpu_count", Kind::plain},
    {"gpu_driver", Kind::plain},
    {"gpu_paths", Kind::plain},
    {"gpu_nvlinks", Kind::plain},
    {"nvml", Kind::versions},
    {"gpu_vbios", Kind::plain},
    {"gpu_power_limit", Kind::plain},
    {"gpu_power_limit_default", Kind::plain},
    {"gpu_power_limit_enforced", Kind::plain},
    {"gpu_sm_clock_max", Kind::plain},
    {"gpu_memory_clock_max", Kind::plain},
    {"gpu_pcie_generation_max", Kind::plain},
    {"gpu_pcie_width_max", Kind::plain},
    {"gpu_persistence", Kind::plain},
    {"gpu_compute_mode", Kind::plain},
    {"gpu_ecc", Kind::plain},
    {"gpu_mig", Kind::plain},
    {"gpu_remapped_rows", Kind::plain},
    // PBS writes the job number and its host: "1234.head.example.org".
    {"env.PBS_JOBID", Kind::job},
    {"env.*", Kind::text},
};

/// Producer of the file; also facts "build.X" of the environment. Versions of optional packages may
/// contain the path of their folder.
constexpr ListedField kProducer[] = {
    {"name", Kind::plain},        {"version", Kind::plain},    {"git_revision", Kind::plain},
    {"git_dirty", Kind::plain},   {"build_type", Kind::plain}, {"compiler", Kind::plain},
    {"sanitizers", Kind::plain},  {"mpi", Kind::plain},        {"hdf5", Kind::plain},
    {"hwloc", Kind::plain},       {"flags", Kind::versions},   {"cuda", Kind::versions},
    {"nccl", Kind::versions},     {"cupti", Kind::versions},   {"dali", Kind::versions},
    {"libtorch", Kind::versions}, {"gloo", Kind::versions},    {"redaction", Kind::plain},
};

/// Environment variables of job schedulers. Some of them are not recorded today.
constexpr ListedField kScheduler[] = {
    {"SLURM_JOB_ID", Kind::plain},        {"SLURM_STEP_ID", Kind::plain},
    {"SLURM_ARRAY_TASK_ID", Kind::plain}, {"LSB_JOBID", Kind::plain},
    {"FLUX_JOB_ID", Kind::plain},         {"PBS_JOBID", Kind::job},
    {"SLURM_JOB_NODELIST", Kind::hosts},  {"SLURM_NODELIST", Kind::hosts},
    {"SLURMD_NODENAME", Kind::host},      {"SLURM_SUBMIT_HOST", Kind::host},
    {"SLURM_SUBMIT_DIR", Kind::submit},   {"SLURM_JOB_USER", Kind::user},
    {"SLURM_JOB_ACCOUNT", Kind::account}, {"SLURM_JOB_NAME", Kind::job},
    {"LSB_HOSTS", Kind::hosts},           {"PBS_O_HOST", Kind::host},
    {"PBS_O_LOGNAME", Kind::user},        {"PBS_JOBNAME", Kind::job},
};

/// Facts of a case.
constexpr ListedField kFacts[] = {
    {"adapters", Kind::plain},
    {"algorithms", Kind::plain},
    {"answer_time", Kind::plain},
    {"barrier_time", Kind::plain},
    {"beta", Kind::plain},
    {"cache_flushed", Kind::plain},
    {"clock_method", Kind::plain},
    {"clock_residual", Kind::plain},
    {"screening_rounds", Kind::plain},
    {"clock_round_trip", Kind::plain},
    {"clock_syncs", Kind::plain},
    {"congestors", Kind::plain},
    {"cuda_aware", Kind::text},
    {"data_set", Kind::text},
    {"discarded_samples", Kind::plain},
    {"waits_for_gpu", Kind::plain},
    {"disk_bytes", Kind::plain},
    {"divided_by", Kind::plain},
    {"empty_rows", Kind::plain},
    {"edges", Kind::plain},
    {"emulated", Kind::plain},
    {"fake_quantised_maps", Kind::plain},
    {"flash", Kind::plain},
    {"generated_files", Kind::plain},
    {"generation_time", Kind::plain},
    {"gradient_bytes", Kind::plain},
    {"graph", Kind::plain},
    {"grid", Kind::plain},
    {"group_size", Kind::plain},
    {"hardware_flops", Kind::plain},
    {"images_seen", Kind::plain},
    {"k", Kind::plain},
    {"late_starts", Kind::plain},
    {"learning_rate", Kind::plain},
    {"loaded_bytes", Kind::plain},
    {"loss_scale", Kind::plain},
    {"m", Kind::plain},
    {"memory_numa_node", Kind::plain},
    {"kv_cache_bytes", Kind::plain},
    {"largest_share", Kind::plain},
    {"moved_bytes", Kind::plain},
    {"n", Kind::plain},
    {"neighbors", Kind::plain},
    {"nf4_bytes", Kind::plain},
    {"numa_distance", Kind::plain},
    {"numa_node", Kind::plain},
    {"occurrences", Kind::plain},
    {"optimiser", Kind::plain},
    {"page_bytes", Kind::plain},
    {"pages", Kind::plain},
    {"parameters", Kind::plain},
    {"parameters_fingerprint", Kind::plain},
    {"peak_bandwidth", Kind::plain},
    {"peak_bus_bandwidth", Kind::plain},
    {"peak_flops", Kind::plain},
    {"peak_missing", Kind::text},
    {"peak_source", Kind::text},
    {"process_group", Kind::plain},
    {"products", Kind::plain},
    {"busy_time", Kind::plain},
    {"extent_bytes", Kind::plain},
    {"profile_calls", Kind::plain},
    {"profile_incomplete_records", Kind::plain},
    {"profile_lost_records", Kind::plain},
    {"profile_problem", Kind::text},
    {"profile_unplaced_time", Kind::plain},
    {"quantisation_group", Kind::plain},
    {"queue_time_missing", Kind::plain},
    {"queued_launches", Kind::plain},
    {"rank_local", Kind::plain},
    {"rejected_answers", Kind::plain},
    {"release_time_of", Kind::plain},
    {"requested_bytes", Kind::plain},
    {"resumed_at_epoch", Kind::plain},
    {"resumed_at_step", Kind::plain},
    {"rows_read", Kind::plain},
    {"shapes_tried", Kind::plain},
    {"skipped_steps", Kind::plain},
    {"square_fraction", Kind::plain},
    {"start", Kind::plain},
    {"stopped_early", Kind::plain},
    {"steps_without_labels", Kind::plain},
    {"stopped_seconds", Kind::plain},
    {"test_images", Kind::plain},
    {"text_bytes", Kind::plain},
    {"text_empty_rows", Kind::plain},
    {"text_fully_masked_rows", Kind::plain},
    {"text_longest", Kind::plain},
    {"text_rows", Kind::plain},
    {"text_tokens", Kind::plain},
    {"text_truncated_rows", Kind::plain},
    {"time_of", Kind::plain},
    {"timed_data", Kind::plain},
    {"tokens", Kind::plain},
    {"total_bytes", Kind::plain},
    {"train_images", Kind::plain},
    {"trained_parameters", Kind::plain},
    {"victims", Kind::plain},
    {"vocabulary", Kind::plain},
    {"weight_decay", Kind::plain},
    {"weights", Kind::plain},
    {"weights_naming", Kind::plain},
    {"world_ranks", Kind::plain},
};

/// Columns of tables that hold texts, or numbers without a unit.
constexpr ListedField kColumns[] = {
    {"rank", Kind::plain},        {"peer", Kind::plain},
    {"count", Kind::plain},       {"node", Kind::host},
    {"place", Kind::place},       {"rank_place", Kind::place},
    {"peer_place", Kind::place},  {"device", Kind::plain},
    {"phase", Kind::plain},       {"clock_event_reasons", Kind::plain},
    {"region", Kind::text},       {"name", Kind::text},
    {"gpu_serial", Kind::serial}, {"gpu_uuid", Kind::device},
    {"local_rank", Kind::plain},  {"numa", Kind::plain},
    {"from_gpu", Kind::plain},    {"to_gpu", Kind::plain},
    {"from_pci", Kind::plain},    {"to_pci", Kind::plain},
    {"what", Kind::plain},        {"index", Kind::plain},
};

/// Labels of tools and hwloc, in lower case.
constexpr ListedField kLabels[] = {
    {"hostname", Kind::host},
    {"host name", Kind::host},
    {"user name", Kind::user},
    {"serial", Kind::serial},
    {"serial number", Kind::serial},
    {"board serial number", Kind::serial},
    {"gpu uuid", Kind::device},
    {"uuid", Kind::device},
    {"guid", Kind::device},
    {"serialnumber", Kind::serial},
    {"address", Kind::device},
    {"nodeguid", Kind::device},
    {"node guid", Kind::device},
    {"port guid", Kind::device},
    {"system image guid", Kind::device},
    {"sysimageguid", Kind::device},
    {"nvidiaserial", Kind::serial},
    {"nvidiauuid", Kind::device},
    {"amdserial", Kind::serial},
    {"amduuid", Kind::device},
    {"dmiproductserial", Kind::serial},
    {"dmiproductuuid", Kind::device},
    {"dmiboardserial", Kind::serial},
    {"dmiboardassettag", Kind::serial},
    {"dmichassisserial", Kind::serial},
    {"dmichassisassettag", Kind::serial},
};

std::span<const ListedField> fields_of(FieldGroup group) {
  switch (group) {
    case FieldGroup::environment:
      return kEnvironment;
    case FieldGroup::producer:
      return kProducer;
    case FieldGroup::scheduler:
      return kScheduler;
    case FieldGroup::fact:
      return kFacts;
    case FieldGroup::column:
      return kColumns;
    case FieldGroup::label:
      return kLabels;
  }
  return {};
}

/// Compares a name with an entry of the list, which is in lower case if `any_case`.
bool is_named(std::string_view listed, std::string_view name, bool any_case) {
  return std::ranges::equal(listed, name, [any_case](char wanted, char given) {
    const auto code = static_cast<unsigned char>(given);
    return wanted == (any_case ? static_cast<char>(std::tolower(code)) : given);
  });
}

bool lists(const ListedField& field, std::string_view name, bool any_case) {
  if (!field.name.ends_with('*')) return is_named(field.name, name, any_case);
  const std::string_view family = field.name.substr(0, field.name.size() - 1);
  return name.size() > family.size() && name.starts_with(family);
}

}  // namespace

std::string_view to_string(FieldKind kind) {
  switch (kind) {
    case Kind::plain:
      return "plain";
    case Kind::text:
      return "text";
    case Kind::versions:
      return "versions";
    case Kind::place:
      return "place";
    case Kind::host:
      return "host";
    case Kind::hosts:
      return "hosts";
    case Kind::user:
      return "user";
    case Kind::account:
      return "account";
    case Kind::serial:
      return "serial";
    case Kind::device:
      return "device";
    case Kind::job:
      return "job";
    case Kind::submit:
      return "submit";
    case Kind::mail:
      return "mail";
    case Kind::address:
      return "address";
  }
  return "name";
}

std::optional<FieldKind> field_kind(FieldGroup group, std::string_view name) {
  if (group == FieldGroup::environment) {
    if (name.starts_with("end.")) name.remove_prefix(4);
    if (name.starts_with("build.")) return field_kind(FieldGroup::producer, name.substr(6));
  }
  const std::span<const ListedField> fields = fields_of(group);
  const auto found = std::ranges::find_if(fields, [&](const ListedField& field) {
    return lists(field, name, group == FieldGroup::label);
  });
  return found == fields.end() ? std::nullopt : std::optional(found->kind);
}

}  // namespace scalemark::store
