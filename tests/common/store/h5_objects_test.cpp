// SPDX-License-Identifier: Apache-2.0
// An object of another kind or type than the one that is read is refused, and never converted or
// followed.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::store::h5 {
namespace {

class H5Objects : public ::testing::Test {
 protected:
  /// An attribute without a value.
  void add(const std::string& name, hid_t type) {
    const Id space(H5Screate(H5S_SCALAR), H5Sclose, "space");
    const Id attribute(
        H5Acreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose, name);
  }
  void add_all_that_are_refused() {
    const Id committed(H5Tcopy(H5T_STD_I64LE), H5Tclose, "type");
    check(H5Tcommit2(file_.get(), "type", committed.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          "type");
    add("committed", committed.get());
    const Id narrow(H5Tcopy(H5T_STD_I64LE), H5Tclose, "type");
    check(H5Tset_precision(narrow.get(), 40), "type");
    add("narrow", narrow.get());
    const Id choice(H5Tenum_create(H5T_STD_I8LE), H5Tclose, "type");
    const std::int8_t zero = 0;
    check(H5Tenum_insert(choice.get(), "zero", &zero), "type");
    add("enumeration", choice.get());
    add("bits", H5T_STD_B64LE);
    const Id opaque(H5Tcreate(H5T_OPAQUE, 8), H5Tclose, "type");
    add("opaque", opaque.get());
    add("reference", H5T_STD_REF_OBJ);
  }
  test::TempDir folder_;
  Id file_ = create_file(folder_ / "a.h5");
  static constexpr const char* kRefused[] = {"committed", "narrow", "enumeration",
                                             "bits",      "opaque", "reference"};
};

TEST_F(H5Objects, IsReadAsWhatItIs) {
  write_attribute(file_.get(), "integer", std::int64_t{-3});
  write_attribute(file_.get(), "real", 0.5);
  write_attribute(file_.get(), "text", std::string("7"));
  EXPECT_EQ(read_integer_attribute(file_.get(), "integer"), -3);
  EXPECT_EQ(read_real_attribute(file_.get(), "real"), 0.5);
  EXPECT_EQ(read_real_attribute(file_.get(), "integer"), -3);
  EXPECT_EQ(read_text_attribute(file_.get(), "text"), "7");
  EXPECT_THROW(read_unsigned_attribute(file_.get(), "integer"), InputError);
  EXPECT_THROW(read_integer_attribute(file_.get(), "real"), InputError);
  EXPECT_THROW(read_integer_attribute(file_.get(), "text"), InputError);
  EXPECT_THROW(read_real_attribute(file_.get(), "text"), InputError);
  EXPECT_THROW(read_text_attribute(file_.get(), "integer"), InputError);
  EXPECT_THROW(read_integer_attribute(file_.get(), "missing"), InputError);
}

TEST_F(H5Objects, TypesThatAResultFileNeverHasAreRefused) {
  add_all_that_are_refused();
  for (const char* name : kRefused) {
    EXPECT_THROW(attribute_type(file_.get(), name), InputError) << name;
    EXPECT_THROW(read_integer_attribute(file_.get(), name), InputError) << name;
    EXPECT_THROW(read_real_attribute(file_.get(), name), InputError) << name;
    EXPECT_THROW(read_plain_attribute(file_.get(), name), InputError) << name;
  }
  const Id text(H5Tcopy(H5T_C_S1), H5Tclose, "type");
  check(H5Tset_size(text.get(), H5T_VARIABLE), "type");
  add("of variable length", text.get());
  EXPECT_THROW(read_plain_attribute(file_.get(), "of variable length"), InputError);
  EXPECT_THROW(read_text_attribute(file_.get(), "of variable length"), InputError);
  add("long", text_type(60000).get());
  EXPECT_NO_THROW(read_plain_attribute(file_.get(), "long"));
}

TEST_F(H5Objects, LinksAreNotFollowed) {
  create_group(file_.get(), "group");
  EXPECT_NO_THROW(open_group(file_.get(), "group"));
  check(H5Lcreate_soft("/group", file_.get(), "soft", H5P_DEFAULT, H5P_DEFAULT), "link");
  check(H5Lcreate_external((folder_ / "b.h5").c_str(), "/group", file_.get(), "external",
                           H5P_DEFAULT, H5P_DEFAULT),
        "link");
  for (const char* name : {"soft", "external", "missing"})
    EXPECT_THROW(open_group(file_.get(), name), InputError) << name;
  EXPECT_THROW(members(file_.get()), InputError);
}

TEST_F(H5Objects, NumbersOfOtherKindsAreRefused) {
  const std::vector<std::int64_t> integers{1, -2};
  const std::vector<double> reals{0.5, 2};
  write_vector(file_.get(), "integers", std::span<const std::int64_t>(integers));
  write_vector(file_.get(), "reals", std::span<const double>(reals));
  EXPECT_EQ(read_integers(file_.get(), "integers"), integers);
  EXPECT_THROW(read_integers(file_.get(), "reals"), InputError);
  EXPECT_THROW(read_bytes(file_.get(), "integers"), InputError);
  check(H5Lcreate_soft("/integers", file_.get(), "soft", H5P_DEFAULT, H5P_DEFAULT), "link");
  EXPECT_THROW(read_integers(file_.get(), "soft"), InputError);
  EXPECT_THROW(read_integers(file_.get(), "missing"), InputError);
  const std::array<hsize_t, 2> shape{2, 3};
  const Id space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, "space");
  const Id texts(H5Dcreate2(file_.get(), "texts", text_type(4).get(), space.get(), H5P_DEFAULT,
                            H5P_DEFAULT, H5P_DEFAULT),
                 H5Dclose, "texts");
  EXPECT_THROW(matrix_shape(texts.get()), InputError);
}

TEST_F(H5Objects, LongNamesAreRefused) {
  add(std::string(kMaxName, 'a'), H5T_STD_I8LE);
  EXPECT_EQ(attribute_names(file_.get()).size(), 1);
  add(std::string(kMaxName + 1, 'a'), H5T_STD_I8LE);
  EXPECT_THROW(attribute_names(file_.get()), InputError);
}

/// A dataset of texts of `width` bytes, `count` of them, without values.
void add_texts(hid_t file, const std::string& name, hid_t type, hsize_t count) {
  const Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, "space");
  const Id dataset(
      H5Dcreate2(file, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, name);
}

TEST_F(H5Objects, TextsThatAreNoneAreRefused) {
  write_text(file_.get(), "good", "text");
  EXPECT_EQ(read_text(file_.get(), "good"), "text");
  add_texts(file_.get(), "numbers", H5T_STD_I64LE, 1);
  add_texts(file_.get(), "two", text_type(4).get(), 2);
  add_texts(file_.get(), "none", text_type(4).get(), 0);
  add_texts(file_.get(), "wide", text_type(std::size_t{1} << 31).get(), 1);
  add_texts(file_.get(), "large", text_type(1 << 20).get(), 1 << 20);
  {
    const Id space(H5Screate(H5S_NULL), H5Sclose, "space");
    const Id dataset(H5Dcreate2(file_.get(), "null", text_type(4).get(), space.get(), H5P_DEFAULT,
                                H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose, "null");
  }
  for (const char* name : {"numbers", "wide", "large", "null"})
    EXPECT_THROW(read_texts(file_.get(), name), InputError) << name;
  for (const char* name : {"numbers", "two", "none", "wide", "large", "missing"})
    EXPECT_THROW(read_text(file_.get(), name), InputError) << name;
}

}  // namespace
}  // namespace scalemark::store::h5
