// SPDX-License-Identifier: Apache-2.0
// Files that are no results, or not any more, or that were made to do harm: one clear line, always,
// also where no child process reads them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <span>
#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/base/error.hpp"
#include "common/result/summarise.hpp"
#include "common/store/h5/h5.hpp"
#include "common/store/reader.hpp"
#include "common/store/schema_digest.hpp"
#include "common/store/untrusted/tree_check.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/hostile_fixture.hpp"
#include "tests/common/store/interrupted.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/trials.hpp"

// HDF5 1.10 itself loses memory when it gives up on a damaged file; ours is still checked.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }  // NOLINT

namespace scalemark {
namespace {

namespace h5 = store::h5;
using ::testing::HasSubstr;

using Hostile = test::Hostile;

TEST_F(Hostile, TruncatedFiles) {
  const auto size = std::filesystem::file_size(path_);
  for (const std::uintmax_t length :
       {size - 1, size - 100, size / 2, size / 10, std::uintmax_t{2048}, std::uintmax_t{96},
        std::uintmax_t{8}, std::uintmax_t{1}, std::uintmax_t{0}}) {
    std::filesystem::copy_file(path_, folder_ / "cut.h5",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder_ / "cut.h5", length);
    EXPECT_THAT(refusal(folder_ / "cut.h5"), HasSubstr("not a readable HDF5 file")) << length;
  }
}

TEST_F(Hostile, MoreObjectsThanALimit) {
  const h5::Id file = h5::open_file(path_);
  EXPECT_NO_THROW(store::check_tree(file.get()));
  EXPECT_THAT(test::message<InputError>([&] { store::check_tree(file.get(), {.objects = 10}); }),
              HasSubstr("more than 10 objects"));
}

TEST_F(Hostile, FilesThatAreNoResults) {
  std::ofstream(folder_ / "text.h5") << "bytes,latency\n8,1.5\n";
  EXPECT_THAT(refusal(folder_ / "text.h5"), HasSubstr("not a readable HDF5 file"));
  EXPECT_THAT(refusal(folder_ / "none.h5"), HasSubstr("No such file"));
  EXPECT_THAT(refusal(folder_.path()), HasSubstr("is a folder of 2 results; give one of them"));
  ASSERT_EQ(mkfifo((folder_ / "pipe.h5").c_str(), 0600), 0);
  EXPECT_THAT(refusal(folder_ / "pipe.h5"), HasSubstr("not a regular file"));
  { const h5::Id foreign = h5::create_file(folder_ / "foreign.h5"); }
  EXPECT_THAT(refusal(folder_ / "foreign.h5"), HasSubstr("no Scalemark result"));
  {
    const h5::Id foreign = h5::create_file(folder_ / "foreign.h5");
    h5::write_attribute(foreign.get(), "format", std::int64_t{1});
  }
  EXPECT_THAT(refusal(folder_ / "foreign.h5"), HasSubstr("'format'"));
}

TEST_F(Hostile, VersionsOfTheFormat) {
  for (const auto* version : {"2.0", "17.3", "99999999999999999999"}) {
    edit("/", [&](hid_t root) { set_text(root, "format_version", version); });
    EXPECT_THAT(refusal(), HasSubstr(version));
  }
  for (const auto* version : {"", "x", "0.9", "-1.0"}) {
    edit("/", [&](hid_t root) { set_text(root, "format_version", version); });
    EXPECT_THAT(refusal(), HasSubstr("version")) << version;
  }
}

TEST_F(Hostile, ANewerMinorVersionMayHaveMore) {
  edit("/", [&](hid_t root) {
    set_text(root, "format_version", "1.9");
    set_text(root, "novelty", "x");
    h5::create_group(root, "novelties");
    const h5::Id metric = h5::Id(H5Gopen2(root, test::kLatency, H5P_DEFAULT), H5Gclose, "edit");
    h5::write_attribute(metric.get(), "novelty", 1.5);
    store::seal_header(root);
    std::vector<std::string> tables;
    for (const auto& [name, table] : test::example_case(0).tables) tables.push_back(name);
    store::seal_case(root, "000000", tables);
    store::seal_cases(root);
  });
  EXPECT_EQ(read_run(path_).cases.size(), 1U);
}

TEST_F(Hostile, DataOfOtherFiles) {
  std::ofstream(folder_ / "secret") << std::string(80, 's');
  const std::string secret = folder_ / "secret";
  replace_samples({2, 5}, [&](hid_t list) { H5Pset_external(list, secret.c_str(), 0, 80); });
  EXPECT_THAT(refusal(), HasSubstr("another file"));
}

TEST_F(Hostile, VirtualDatasets) {
  const std::array<hsize_t, 2> shape = {2, 5};
  const h5::Id space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, "edit");
  const std::string source = folder_ / "other.h5";
  replace_samples({2, 5}, [&](hid_t list) {
    ASSERT_GE(H5Pset_virtual(list, space.get(), source.c_str(), "/x", space.get()), 0);
  });
  EXPECT_THAT(refusal(), HasSubstr("virtual"));
}

TEST_F(Hostile, LinksToElsewhere) {
  using Link = std::function<void(hid_t)>;
  const std::vector<std::pair<const char*, Link>> links = {
      {"/cases",
       [](hid_t group) { H5Lcreate_soft("/cases/loop", group, "loop", H5P_DEFAULT, H5P_DEFAULT); }},
      {"/cases",
       [](hid_t group) { H5Lcreate_soft("/", group, "000001", H5P_DEFAULT, H5P_DEFAULT); }},
      {"/cases",
       [](hid_t group) {
         H5Lcreate_external("/etc/passwd", "/", group, "000001", H5P_DEFAULT, H5P_DEFAULT);
       }},
      {"/env/raw",
       [](hid_t group) {
         H5Lcreate_external("other.h5", "/x", group, "tool", H5P_DEFAULT, H5P_DEFAULT);
       }},
      {test::kLatency,
       [](hid_t group) {
         H5Ldelete(group, "samples", H5P_DEFAULT);
         H5Lcreate_soft("/run/config", group, "samples", H5P_DEFAULT, H5P_DEFAULT);
       }},
      {"/", [](hid_t group) {
         H5Ldelete(group, "run", H5P_DEFAULT);
         H5Lcreate_soft("/run", group, "run", H5P_DEFAULT, H5P_DEFAULT);
       }}};
  for (const auto& [group, link] : links) {
    TearDown();
    std::filesystem::remove(path_);
    SetUp();
    edit(group, link);
    EXPECT_THAT(refusal(), HasSubstr("link to elsewhere")) << group;
  }
}

TEST_F(Hostile, CyclesOfHardLinks) {
  edit("/cases",
       [](hid_t cases) { H5Lcreate_hard(cases, "/", cases, "000001", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_THAT(refusal(), HasSubstr("a loop"));
  edit("/cases", [](hid_t cases) {
    H5Ldelete(cases, "000001", H5P_DEFAULT);
    H5Lcreate_hard(cases, "000000", cases, "000001", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_THAT(refusal(), HasSubstr("second name"));
  edit("/cases", [](hid_t cases) {
    H5Ldelete(cases, "000001", H5P_DEFAULT);
    H5Ocopy(cases, "000000", cases, "000001", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_THAT(refusal(), HasSubstr("index"));
}

TEST_F(Hostile, SizesThatNoMemoryHolds) {
  const auto chunked = [](hsize_t rows, hsize_t columns) {
    return [rows, columns](hid_t list) {
      const std::array<hsize_t, 2> chunk = {rows, columns};
      H5Pset_chunk(list, 2, chunk.data());
      H5Pset_deflate(list, 4);
    };
  };
  constexpr hsize_t kBig = hsize_t{1} << 32;
  // The last three multiply to something small, or to nothing, modulo 2^64.
  const std::vector<std::vector<hsize_t>> shapes = {
      {1, hsize_t{1} << 40}, {hsize_t{1} << 20, hsize_t{1} << 20},
      {1, hsize_t{1} << 28}, {hsize_t{1} << 62, 4},
      {kBig, kBig},          {kBig + 1, kBig}};
  for (const auto& shape : shapes) {
    replace_samples(shape, chunked(1, std::min<hsize_t>(shape[1], 1000)));
    EXPECT_THAT(refusal(), HasSubstr("'samples'")) << shape[0] << " x " << shape[1];
  }
  replace_samples({4, hsize_t{1} << 31}, chunked(4, hsize_t{1} << 22));
  EXPECT_THAT(refusal(), HasSubstr("chunks"));
  // Within 2 GiB, but never written.
  replace_samples({1, 200'000'000}, chunked(1, 1'000'000));
  EXPECT_THAT(refusal(), HasSubstr("claims more data"));
}

TEST_F(Hostile, TypesFiltersAndShapesOfNoResult) {
  const auto unknown_filter = [](hid_t list) {
    const std::array<hsize_t, 2> chunk = {2, 5};
    H5Pset_chunk(list, 2, chunk.data());
    ASSERT_GE(H5Pset_filter(list, 32015, H5Z_FLAG_OPTIONAL, 0, nullptr), 0);
  };
  replace_samples({2, 5}, unknown_filter);
  EXPECT_THAT(refusal(), HasSubstr("filter"));
  const h5::Id compound(H5Tcreate(H5T_COMPOUND, 8), H5Tclose, "edit");
  H5Tinsert(compound.get(), "x", 0, H5T_NATIVE_INT64);
  replace_samples({2, 5}, {}, compound.get());
  EXPECT_THAT(refusal(), HasSubstr("type"));
  replace_samples({2, 5}, {}, H5T_STD_REF_OBJ);
  EXPECT_THAT(refusal(), HasSubstr("type"));
  const h5::Id variable(H5Tcopy(H5T_C_S1), H5Tclose, "edit");
  H5Tset_size(variable.get(), H5T_VARIABLE);
  replace_samples({2, 5}, {}, variable.get());
  EXPECT_THAT(refusal(), HasSubstr("variable length"));
  replace_samples({2, 5, 2});
  EXPECT_THAT(refusal(), HasSubstr("dimensions"));
  edit(test::kLatency, [](hid_t group) {
    H5Ldelete(group, "samples", H5P_DEFAULT);
    h5::write_vector(group, "samples", std::vector<std::int64_t>(10));
  });
  EXPECT_THAT(refusal(), HasSubstr("not a matrix"));
}

TEST_F(Hostile, AttributesOfNoResult) {
  const h5::Id variable(H5Tcopy(H5T_C_S1), H5Tclose, "edit");
  H5Tset_size(variable.get(), H5T_VARIABLE);
  const h5::Id scalar(H5Screate(H5S_SCALAR), H5Sclose, "edit");
  const std::array<hsize_t, 1> many = {1000};
  const h5::Id array(H5Screate_simple(1, many.data(), nullptr), H5Sclose, "edit");
  const auto replace = [&](hid_t type, hid_t space) {
    edit("/cases/000000", [&](hid_t group) {
      H5Adelete(group, "key");
      const h5::Id attribute(H5Acreate2(group, "key", type, space, H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose, "edit");
    });
  };
  replace(variable.get(), scalar.get());
  EXPECT_THAT(refusal(), HasSubstr("'key' is not a text"));
  replace(H5T_NATIVE_INT, scalar.get());
  EXPECT_THAT(refusal(), HasSubstr("'key' is not a text"));
  replace(H5T_NATIVE_INT, array.get());
  EXPECT_THAT(refusal(), HasSubstr("'key' is not a single value"));
  edit("/cases/000000", [](hid_t group) { H5Adelete(group, "key"); });
  EXPECT_THAT(refusal(), HasSubstr("'key' is missing"));
}

TEST_F(Hostile, FieldsThatContradictEachOther) {
  using Edit = std::function<void(hid_t)>;
  const std::vector<std::tuple<const char*, Edit, const char*>> edits = {
      {"/cases/000000", [](hid_t group) { set_text(group, "status", "good"); }, "good"},
      {test::kLatency, [](hid_t group) { set_text(group, "kind", "colour"); }, "colour"},
      {test::kLatency,
       [](hid_t group) {
         H5Adelete(group, "inner");
         h5::write_attribute(group, "inner", std::uint64_t{0});
       },
       "inner"},
      {test::kLatency,
       [](hid_t group) {
         H5Ldelete(group, "warmup_mask", H5P_DEFAULT);
         h5::write_vector(group, "warmup_mask", std::vector<std::uint8_t>{1, 0});
       },
       "warmup_mask"},
      {test::kLatency,
       [](hid_t group) {
         H5Ldelete(group, "warmup_mask", H5P_DEFAULT);
         h5::write_vector(group, "warmup_mask", std::vector<std::uint16_t>{256, 0, 0, 0, 0});
       },
       "warmup_mask have a value too large"},
      {test::kLatency,
       [](hid_t group) {
         H5Ldelete(group, "t0", H5P_DEFAULT);
         h5::write_vector(group, "t0", std::vector<std::int64_t>{-1, 0, 1, 2, 3});
       },
       "negative numbers"},
      {"/cases/000000",
       [](hid_t group) { set_text(group, "key", "test/example backend=mpi bytes=16 ranks=2"); },
       "its key contradicts"},
      {"/cases/000000", [](hid_t group) { set_text(group, "key", "test/other bytes=8"); },
       "its key contradicts"},
      {test::kLatency,
       [](hid_t group) {
         H5Ldelete(group, "flags", H5P_DEFAULT);
         h5::write_texts(group, "flags", {"a", "b"});
       },
       "flags"},
      {test::kLatency,
       [](hid_t group) {
         H5Adelete(group, "order");
         h5::write_attribute(group, "order", std::int64_t{0});
       },
       "order"},
      {"/cases/000000/metrics/bandwidth", [](hid_t group) { set_text(group, "source", "nothing"); },
       "bandwidth"},
      {"/cases/000000/params", [](hid_t group) { set_text(group, "../../etc", "x"); }, "name"},
      {"/cases/000000/metrics",
       [](hid_t group) { H5Lmove(group, "accuracy", group, "\x1B[31m", H5P_DEFAULT, H5P_DEFAULT); },
       "name"},
      {"/cases/000000",
       [](hid_t group) {
         H5Adelete(group, "index");
         h5::write_attribute(group, "index", std::int64_t{-5});
       },
       "index"},
      {"/topology/ranks",
       [](hid_t group) {
         H5Ldelete(group, "node", H5P_DEFAULT);
         h5::write_texts(group, "node", {"a"});
       },
       "topology"}};
  for (const auto& [group, change, expected] : edits) {
    std::filesystem::remove(path_);
    SetUp();
    edit(group, change);
    EXPECT_THAT(refusal(), HasSubstr(expected)) << group;
  }
}

TEST_F(Hostile, DamagedSamplesAreNoticed) {
  auto run = test::example_run(1);
  run.cases = {test::example_case(0)};
  Samples& samples = run.cases[0].metrics[2].samples;
  std::vector<double> values;
  std::mt19937_64 generator(1);
  for (int i = 0; i < 5000; ++i) values.push_back(static_cast<double>(generator()) * 1e-19);
  samples.values = values;
  samples.iterations = values.size();
  std::filesystem::remove(path_);
  test::write_run(path_, run);
  haddr_t address = 0;
  hsize_t size = 0;
  edit(test::kLatency, [&](hid_t group) {
    const h5::Id dataset = h5::open_known_dataset(group, "samples");
    const std::array<hsize_t, 2> origin = {0, 0};
    unsigned mask = 0;
    ASSERT_GE(H5Dget_chunk_info_by_coord(dataset.get(), origin.data(), &mask, &address, &size), 0);
  });
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(address + size / 2));
  file.put('\x55').put('\xAA').put('\x55');
  file.close();
  EXPECT_THAT(refusal(), HasSubstr("chunk"));
  EXPECT_EQ(read_run(path_, {.samples = false}).cases.size(), 1U);
}

// Random damage: read or refused, never a crash, a hang or a number without its mask. HDF5 1.10
// itself crashes on some of these, freeing what it never took: that is what the child process is
// for.
TEST_F(Hostile, FlippedBytes) {
  std::ostringstream content;
  content << std::ifstream(path_, std::ios::binary).rdbuf();
  const std::string whole = content.str();
  std::mt19937_64 generator(20260131);
  int refused = 0;
  for (int trial = 0; trial < test::trials(100, 400); ++trial) {
    std::string damaged = whole;
    for (int flips = 0; flips <= trial % 8; ++flips) {
      damaged[generator() % damaged.size()] = static_cast<char>(generator());
    }
    std::ofstream(folder_ / "damaged.h5", std::ios::binary) << damaged;
    try {
      const auto run = read_run(folder_ / "damaged.h5");
      for (const auto& result : run.cases) {
        for (const auto& metric : result.metrics) summarise(result, metric);
      }
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 40);
}

}  // namespace
}  // namespace scalemark
