// SPDX-License-Identifier: Apache-2.0
// Tables that no writer of ours makes.
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/store/hostile_fixture.hpp"

namespace scalemark {
namespace {

namespace h5 = store::h5;
using HostileTables = test::Hostile;
using ::testing::HasSubstr;

TEST_F(HostileTables, TablesOfAnotherForm) {
  const auto column = [](hid_t table, const char* name, std::size_t rows, std::int64_t order) {
    const std::vector<double> values(rows, 1.0);
    const h5::Id dataset = h5::write_vector(table, name, std::span<const double>(values));
    h5::write_attribute(dataset.get(), "unit", std::string("s"));
    h5::write_attribute(dataset.get(), "order", order);
  };
  using Change = std::function<void(hid_t)>;
  const std::vector<std::tuple<const char*, const char*, Change>> changes = {
      {"differ in length", "/profile/000000", [&](hid_t table) { column(table, "more", 9, 7); }},
      {"same order", "/profile/000000", [&](hid_t table) { column(table, "more", 2, 0); }},
      {"not the name of a column", "/profile/000000",
       [&](hid_t table) { column(table, "a b", 2, 7); }},
      {"unit", "/profile/000000/calls", [](hid_t calls) { H5Adelete(calls, "unit"); }},
      {"is not a dataset", "/profile/000000", [](hid_t table) { h5::create_group(table, "more"); }},
      {"not a vector", "/profile/000000",
       [&](hid_t table) {
         const h5::Id dataset = h5::write_matrix(table, "more", std::vector<double>(4), 2, 2);
         h5::write_attribute(dataset.get(), "unit", std::string("s"));
         h5::write_attribute(dataset.get(), "order", std::int64_t{7});
       }},
      {"not the name of a table", "/telemetry", [](hid_t all) { h5::create_group(all, "a b"); }},
      {"is not a group", "/telemetry/gpu", [](hid_t gpu) {
         H5Ldelete(gpu, "000000", H5P_DEFAULT);
         h5::write_text(gpu, "000000", "x");
       }}};
  for (const auto& [why, object, change] : changes) {
    std::filesystem::remove(path_);
    SetUp();
    edit(object, change);
    EXPECT_THAT(refusal(), HasSubstr(why)) << object;
  }
}

}  // namespace
}  // namespace scalemark
