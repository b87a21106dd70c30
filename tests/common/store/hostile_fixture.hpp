// SPDX-License-Identifier: Apache-2.0
// A good result file of one case, and ways to spoil it with HDF5's own calls.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/reader.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/hostile_files.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::test {

namespace h5 = store::h5;

class Hostile : public ::testing::Test {
 protected:
  void SetUp() override { write_good_file(path_); }
  void TearDown() override {
    EXPECT_EQ(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL), 0)
        << "HDF5 ids are left open";
  }

  /// Changes the file with HDF5's own calls, below `group`.
  void edit(const char* group, const std::function<void(hid_t)>& change) const {
    test::edit(path_, group, change);
  }

  /// Replaces the samples of the latency by a dataset of that shape, without data.
  void replace_samples(const Shape& shape, const std::function<void(hid_t)>& properties = {},
                       hid_t type = H5T_NATIVE_UINT64) const {
    test::replace_samples(path_, shape, properties, type);
  }

  static void set_text(hid_t object, const char* name, const std::string& value) {
    if (h5::has_attribute(object, name)) H5Adelete(object, name);
    h5::write_attribute(object, name, value);
  }

  /// The error's text, which must be one line that names the file.
  std::string refusal(const std::filesystem::path& path) const {
    try {
      read_run(path, {.apart = false});
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      EXPECT_EQ(text.find(path.string()), 0U) << text;
      EXPECT_LT(text.size(), 1000U);
      return text;
    }
    return "(not refused)";
  }
  std::string refusal() const { return refusal(path_); }

  TempDir folder_;
  std::filesystem::path path_ = folder_ / "a.h5";
};

}  // namespace scalemark::test
