// SPDX-License-Identifier: Apache-2.0
// The list, and the links and types in it.
#include "tests/common/store/hostile_files.hpp"

#include <array>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "tests/common/store/example.hpp"
#include "tests/common/store/foreign_filter.hpp"
#include "tests/common/store/write_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::test {

namespace h5 = store::h5;
using Path = std::filesystem::path;

void edit(const Path& path, const char* object, const std::function<void(hid_t)>& change) {
  const h5::Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, h5::file_access().get()), H5Fclose, "edit");
  const h5::Id opened(H5Oopen(file.get(), object, H5P_DEFAULT), H5Oclose, "edit");
  change(opened.get());
}

void replace_samples(const Path& path, const Shape& shape,
                     const std::function<void(hid_t)>& properties, hid_t type) {
  edit(path, kLatency, [&](hid_t group) {
    h5::check(H5Ldelete(group, "samples", H5P_DEFAULT), "edit");
    const h5::Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "edit");
    if (properties) properties(list.get());
    const h5::Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                       H5Sclose, "edit");
    const h5::Id dataset(
        H5Dcreate2(group, "samples", type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
        H5Dclose, "edit");
  });
}

std::function<void(hid_t)> chunked(const Shape& chunk) {
  return [chunk](hid_t list) {
    h5::check(H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "edit");
    h5::check(H5Pset_deflate(list, 4), "edit");
  };
}

void remove_digests(const Path& path) {
  const auto remove = [](hid_t root, const char* name, const H5O_info_t*, void*) -> herr_t {
    const h5::Id object(H5Oopen(root, name, H5P_DEFAULT), H5Oclose, "edit");
    for (const char* digest : {"digest", "tables_digest"}) {
      if (h5::has_attribute(object.get(), digest)) H5Adelete(object.get(), digest);
    }
    return 0;
  };
  edit(path, "/", [&](hid_t root) {
    h5::check(H5Ovisit2(root, H5_INDEX_NAME, H5_ITER_INC, remove, nullptr, H5O_INFO_BASIC), "edit");
    H5Adelete(root, "format_version");
    h5::write_attribute(root, "format_version", std::string("1.0"));
  });
}

void write_good_file(const Path& path) {
  static const TempDir folder;
  // Written once: the tests begin with hundreds of copies.
  static const Path good = [] {
    Run run = example_run(1);
    run.cases = {example_case(0)};
    write_run(folder / "good.h5", run);
    remove_digests(folder / "good.h5");
    return folder / "good.h5";
  }();
  std::filesystem::copy_file(good, path, std::filesystem::copy_options::overwrite_existing);
}

Path make_hostile(const HostileFile& one, const Path& folder) {
  const Path path = folder / (one.name + ".h5");
  write_good_file(path);
  one.make(path);
  return path;
}

std::vector<HostileFile> hostile_files() {
  std::vector<HostileFile> all;
  for (auto* group : {hostile_links, hostile_types, hostile_sizes, hostile_chunks, hostile_texts}) {
    for (HostileFile& one : group()) all.push_back(std::move(one));
  }
  return all;
}

namespace {

/// A group of links packed by a filter that only the maker of the file knows.
void pack_links(const Path& path) {
  h5::check(H5Zregister(&kForeignFilter), "edit");
  edit(path, "/", [](hid_t root) {
    const h5::Id list(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "edit");
    h5::check(H5Pset_link_phase_change(list.get(), 0, 0), "edit");
    h5::check(H5Pset_filter(list.get(), kForeignFilterId, H5Z_FLAG_MANDATORY, 0, nullptr), "edit");
    const h5::Id group(H5Gcreate2(root, "novelty", H5P_DEFAULT, list.get(), H5P_DEFAULT), H5Gclose,
                       "edit");
    for (int i = 0; i < 20; ++i) h5::create_group(group.get(), fmt::format("g{}", i));
  });
  h5::check(H5Zunregister(kForeignFilterId), "edit");
}

void link_by_user(const Path& path) {
  constexpr auto kKind = static_cast<H5L_type_t>(187);
  const H5L_class_t kind = {H5L_LINK_CLASS_T_VERS,
                            kKind,
                            "foreign",
                            nullptr,
                            nullptr,
                            nullptr,
                            [](const char*, hid_t, const void*, std::size_t, hid_t, hid_t) {
                              return static_cast<hid_t>(H5I_INVALID_HID);
                            },
                            nullptr,
                            nullptr};
  h5::check(H5Lregister(&kind), "edit");
  edit(path, "/cases", [](hid_t cases) {
    h5::check(H5Lcreate_ud(cases, "000001", kKind, "x", 1, H5P_DEFAULT, H5P_DEFAULT), "edit");
  });
  h5::check(H5Lunregister(kKind), "edit");
}

HostileFile linked(const char* name, const char* why, const char* object,
                   const std::function<void(hid_t)>& change) {
  return {name, why, [=](const Path& path) { edit(path, object, change); }};
}

HostileFile typed(const char* name, const char* why, const std::function<h5::Id()>& make) {
  return {name, why, [=](const Path& path) { replace_samples(path, {2, 5}, {}, make().get()); }};
}

h5::Id copied(hid_t type) { return {H5Tcopy(type), H5Tclose, "edit"}; }

void use_committed_type(const Path& path) {
  edit(path, "/", [](hid_t root) {
    const h5::Id type = copied(H5T_NATIVE_UINT64);
    h5::check(H5Tcommit2(root, "type", type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "edit");
    const h5::Id metric(H5Gopen2(root, kLatency, H5P_DEFAULT), H5Gclose, "edit");
    h5::check(H5Ldelete(metric.get(), "samples", H5P_DEFAULT), "edit");
    const Shape shape = {2, 5};
    const h5::Id space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, "edit");
    const h5::Id dataset(H5Dcreate2(metric.get(), "samples", type.get(), space.get(), H5P_DEFAULT,
                                    H5P_DEFAULT, H5P_DEFAULT),
                         H5Dclose, "edit");
    h5::check(H5Ldelete(root, "type", H5P_DEFAULT), "edit");
  });
}

}  // namespace

std::vector<HostileFile> hostile_links() {
  return {
      {"external_storage", "another file",
       [](const Path& path) {
         replace_samples(path, {2, 5},
                         [](hid_t list) { H5Pset_external(list, "/etc/passwd", 0, 80); });
       }},
      {"virtual_dataset", "virtual",
       [](const Path& path) {
         replace_samples(path, {2, 5}, [](hid_t list) {
           const Shape shape = {2, 5};
           const h5::Id space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, "edit");
           h5::check(H5Pset_virtual(list, space.get(), "other.h5", "/x", space.get()), "edit");
         });
       }},
      linked("soft_link", "link to elsewhere", "/cases",
             [](hid_t cases) {
               H5Lcreate_soft("/cases/000000", cases, "000001", H5P_DEFAULT, H5P_DEFAULT);
             }),
      linked("soft_link_to_itself", "link to elsewhere", "/",
             [](hid_t root) { H5Lcreate_soft("/loop", root, "loop", H5P_DEFAULT, H5P_DEFAULT); }),
      linked("soft_link_for_samples", "link to elsewhere", kLatency,
             [](hid_t metric) {
               H5Ldelete(metric, "samples", H5P_DEFAULT);
               H5Lcreate_soft("/run/config", metric, "samples", H5P_DEFAULT, H5P_DEFAULT);
             }),
      linked("external_link", "link to elsewhere", "/env/raw",
             [](hid_t raw) {
               H5Lcreate_external("/etc/passwd", "/", raw, "tool", H5P_DEFAULT, H5P_DEFAULT);
             }),
      {"link_of_a_user", "link to elsewhere", link_by_user},
      linked("loop_to_the_root", "a loop", "/cases",
             [](hid_t cases) {
               H5Lcreate_hard(cases, "/", cases, "000001", H5P_DEFAULT, H5P_DEFAULT);
             }),
      linked("loop_of_two_groups", "a loop", "/",
             [](hid_t root) {
               const h5::Id one = h5::create_group(root, "one");
               const h5::Id two = h5::create_group(one.get(), "two");
               H5Lcreate_hard(root, "one", two.get(), "one", H5P_DEFAULT, H5P_DEFAULT);
             }),
      linked("case_of_two_names", "second name", "/cases",
             [](hid_t cases) {
               H5Lcreate_hard(cases, "000000", cases, "000001", H5P_DEFAULT, H5P_DEFAULT);
             }),
      linked("groups_200_deep", "deeper than 8", "/",
             [](hid_t root) {
               h5::Id group = h5::create_group(root, "deep");
               for (int i = 0; i < 200; ++i) group = h5::create_group(group.get(), "deep");
             }),
      {"links_packed_by_a_foreign_filter", "packed by a filter", pack_links},
  };
}

std::vector<HostileFile> hostile_types() {
  constexpr const char* kType = "type that a result file never uses";
  return {
      typed("references", kType, [] { return copied(H5T_STD_REF_OBJ); }),
      typed("references_to_regions", kType, [] { return copied(H5T_STD_REF_DSETREG); }),
      linked("committed_type", "neither a group nor a dataset", "/",
             [](hid_t root) {
               H5Tcommit2(root, "type", copied(H5T_NATIVE_INT).get(), H5P_DEFAULT, H5P_DEFAULT,
                          H5P_DEFAULT);
             }),
      {"samples_of_a_committed_type", "committed type", use_committed_type},
      typed("texts_of_variable_length", "variable length",
            [] {
              h5::Id type = copied(H5T_C_S1);
              H5Tset_size(type.get(), H5T_VARIABLE);
              return type;
            }),
      typed("lists_of_variable_length", kType,
            [] { return h5::Id(H5Tvlen_create(H5T_NATIVE_INT), H5Tclose, "edit"); }),
      typed("compound", kType,
            [] {
              h5::Id type(H5Tcreate(H5T_COMPOUND, 8), H5Tclose, "edit");
              H5Tinsert(type.get(), "x", 0, H5T_NATIVE_INT64);
              return type;
            }),
      typed("arrays", kType,
            [] {
              const hsize_t extent = 1 << 20;
              return h5::Id(H5Tarray_create2(H5T_NATIVE_INT, 1, &extent), H5Tclose, "edit");
            }),
      typed("integers_of_a_megabyte", kType,
            [] {
              h5::Id type = copied(H5T_NATIVE_UINT64);
              H5Tset_size(type.get(), 1 << 20);
              return type;
            }),
      typed("integers_of_three_bits", kType,
            [] {
              h5::Id type = copied(H5T_NATIVE_UINT64);
              H5Tset_precision(type.get(), 3);
              return type;
            }),
      typed("floats_of_no_processor", kType,
            [] {
              h5::Id type = copied(H5T_IEEE_F64LE);
              H5Tset_fields(type.get(), 63, 40, 23, 0, 40);
              return type;
            }),
      {"foreign_filter", "filter",
       [](const Path& path) {
         replace_samples(path, {2, 5}, [](hid_t list) {
           const Shape chunk = {2, 5};
           H5Pset_chunk(list, 2, chunk.data());
           h5::check(H5Pset_filter(list, kForeignFilterId, H5Z_FLAG_OPTIONAL, 0, nullptr), "edit");
         });
       }},
      {"packed_twice", "filter",
       [](const Path& path) {
         replace_samples(path, {2, 5}, [](hid_t list) {
           chunked({2, 5})(list);
           h5::check(H5Pset_deflate(list, 9), "edit");
         });
       }},
  };
}

}  // namespace scalemark::test
