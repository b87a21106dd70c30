// SPDX-License-Identifier: Apache-2.0
// Every field that the program records is in the list that redaction goes by. A new one must be put
// there: as a name of some kind, as a text, or as plain.
#include "common/store/redact_fields.hpp"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/version.hpp"
#include "common/cli/commands/run_facts.hpp"
#include "common/core/environment/collect_env.hpp"
#include "common/hardware/sensors/gpu_sensors.hpp"
#include "common/mpi/transport.hpp"

namespace scalemark::store {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = SCALEMARK_SOURCE_DIR;

void expect_listed(FieldGroup group, const std::string& name, const std::string& where) {
  EXPECT_TRUE(field_kind(group, name).has_value())
      << where << " records '" << name << "', which is not in common/store/redact_fields.cpp";
}

/// What stands in the first group of `pattern` wherever it occurs in C++ below the folders.
std::set<std::string> found_in_sources(const std::vector<std::string>& folders,
                                       const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".cu") continue;
      std::ostringstream content;
      content << std::ifstream(entry.path()).rdbuf();
      const std::string text = content.str();
      for (std::sregex_iterator one(text.begin(), text.end(), expression), end; one != end; ++one)
        found.insert((*one)[1]);
    }
  }
  return found;
}

TEST(RedactFields, EnvironmentOfANode) {
  const std::map<std::string, std::string> facts = collect_node_environment();
  EXPECT_GT(facts.size(), 60u);
  for (const auto& [fact, value] : facts) expect_listed(FieldGroup::environment, fact, "a node");
  for (const auto& [fact, value] : facts)
    expect_listed(FieldGroup::environment, "end." + fact, "the end of a run");
  for (const auto& [name, value] : mpi::transport_facts())
    expect_listed(FieldGroup::environment, "mpi." + name, "MPI");
  for (const std::string& fact : found_in_sources(
           {"common/core", "common/cli"}, R"re((?:facts|environment\.common)\["([\w.]+)"\] = )re"))
    if (fact != "name" && fact != "version" && !fact.starts_with("git_"))
      expect_listed(FieldGroup::environment, fact, "common");
}

TEST(RedactFields, SettingsOfGpus) {
  const std::vector<std::string> gpus = {"0000:0a:00.0"};
  const auto settings = hardware::gpu_settings(gpus, SCALEMARK_FAKE_NVML);
  ASSERT_EQ(settings.size(), 1u);
  EXPECT_GT(settings.begin()->second.size(), 10u);
  for (const auto& [setting, value] : settings.begin()->second)
    expect_listed(FieldGroup::environment, "gpu_" + setting, "NVML");
}

TEST(RedactFields, Producer) {
  for (const auto& [fact, value] : cli::producer_facts()) {
    expect_listed(FieldGroup::producer, fact, "the build");
    expect_listed(FieldGroup::environment, "build." + fact, "the build");
  }
  // Nobody's name may change what was built.
  for (const char* fact : {"name", "version", "compiler", "build_type", "git_revision"})
    EXPECT_EQ(field_kind(FieldGroup::producer, fact), FieldKind::plain) << fact;
}

TEST(RedactFields, Schedulers) {
  std::set<std::string> variables;
  std::ifstream source(kSource / "common/cli/commands/run_facts.cpp");
  std::ostringstream content;
  content << source.rdbuf();
  const std::string text = content.str();
  const std::size_t begin = text.find("scheduler_facts() {");
  ASSERT_NE(begin, std::string::npos);
  const std::string body = text.substr(begin, text.find("return facts", begin) - begin);
  const std::regex name(R"re("([A-Z_]+)")re");
  for (std::sregex_iterator one(body.begin(), body.end(), name), end; one != end; ++one)
    variables.insert((*one)[1]);
  EXPECT_GE(variables.size(), 6u);
  for (const std::string& variable : variables)
    expect_listed(FieldGroup::scheduler, variable, "scheduler_facts()");
}

TEST(RedactFields, FactsOfCases) {
  const auto facts = found_in_sources({"common/core", "common/torch", "suites"},
                                      R"re(\bfact\(\s*"(\w*\w)"\s*[,)])re");
  EXPECT_GT(facts.size(), 60u);
  for (const std::string& fact : facts) expect_listed(FieldGroup::fact, fact, "a case");
  for (const std::string& fact : found_in_sources({"suites"}, R"re(result\.facts\["(\w+)"\])re"))
    expect_listed(FieldGroup::fact, fact, "a kernel");
}

TEST(RedactFields, ColumnsWithoutAUnit) {
  const auto columns = found_in_sources({"common/core", "common/profile", "suites/micro"},
                                        R"re(\{"(\w+)", "", std::move\()re");
  EXPECT_GT(columns.size(), 5u);
  for (const std::string& column : columns) expect_listed(FieldGroup::column, column, "a table");
  for (const std::string& column :
       found_in_sources({"common/hardware"}, R"re(\btexts\["(\w+)"\] =)re"))
    expect_listed(FieldGroup::column, column, "telemetry");
  for (const char* label : {"node", "device"})
    expect_listed(FieldGroup::column, label, "telemetry");
}

TEST(RedactFields, NamesAreKnownByTheirWholeNameOnly) {
  const auto kind = [](const char* fact) { return field_kind(FieldGroup::environment, fact); };
  EXPECT_EQ(kind("processes_of_other_users"), FieldKind::plain);
  EXPECT_EQ(kind("end.processes_of_other_users"), FieldKind::plain);
  EXPECT_EQ(kind("library.hdf5_serial"), FieldKind::plain);
  EXPECT_EQ(kind("env.PBS_JOBID"), FieldKind::job);
  EXPECT_EQ(kind("env.UCX_TLS"), FieldKind::text);
  EXPECT_EQ(kind("env."), std::nullopt);
  EXPECT_EQ(kind("host"), std::nullopt);
  EXPECT_EQ(kind("gpu_serial_of_something"), std::nullopt);
  EXPECT_EQ(field_kind(FieldGroup::scheduler, "SLURM_JOB_USER"), FieldKind::user);
  EXPECT_EQ(field_kind(FieldGroup::scheduler, "slurm_job_user"), std::nullopt);
  EXPECT_EQ(field_kind(FieldGroup::label, "Serial Number"), FieldKind::serial);
  EXPECT_EQ(field_kind(FieldGroup::label, "DMIProductSerial"), FieldKind::serial);
  EXPECT_EQ(field_kind(FieldGroup::label, "Serial Number of what"), std::nullopt);
}

}  // namespace
}  // namespace scalemark::store
