// SPDX-License-Identifier: Apache-2.0
// A failed call of HDF5 is an error, never a value: what its error stack says decides which one.
#include <cerrno>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "common/base/error.hpp"
#include "common/store/h5/h5.hpp"

namespace scalemark::store::h5 {
namespace {

using ::testing::HasSubstr;

/// Puts an error on the stack, as a failing call of HDF5 does.
void push(hid_t major, hid_t minor, const std::string& text) {
  H5Eclear2(H5E_DEFAULT);
  H5Epush2(H5E_DEFAULT, "file", "function", 1, H5E_ERR_CLS, major, minor, "%s", text.c_str());
}

TEST(H5Errors, AFailedCallThrowsWithTheReason) {
  EXPECT_NO_THROW(check(0, "reading"));
  push(H5E_DATASET, H5E_READERROR, "filter returned failure");
  try {
    check(-1, "reading");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("reading: filter returned failure"));
  }
}

TEST(H5Errors, AnIdThatIsNoneThrows) {
  push(H5E_SYM, H5E_NOTFOUND, "object 'x' doesn't exist");
  try {
    const Id none(H5I_INVALID_HID, H5Gclose, "group x");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("group x: object 'x' doesn't exist"));
  }
}

TEST(H5Errors, LackOfMemoryIsNoDamage) {
  push(H5E_RESOURCE, H5E_NOSPACE, "memory allocation failed");
  EXPECT_THROW(check(-1, "reading"), OutOfMemory);
  push(H5E_RESOURCE, H5E_CANTALLOC, "memory allocation failed");
  EXPECT_THROW(check(-1, "reading"), OutOfMemory);
  // The same words about something else.
  push(H5E_BTREE, H5E_NOSPACE, "no space in the tree");
  EXPECT_THROW(check(-1, "reading"), Error);
}

TEST(H5Errors, AFailedSystemCallIsNoDamage) {
  push(H5E_IO, H5E_READERROR, "file read failed: errno = 5, error message = 'Input/output error'");
  try {
    check(-1, "reading");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ReadFailed& error) {
    EXPECT_EQ(error.number(), EIO);
  }
  // A file that is not there says so in the caller's words.
  push(H5E_FILE, H5E_CANTOPENFILE, "unable to open file: errno = 2");
  try {
    check(-1, "opening");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ReadFailed&) {
    ADD_FAILURE() << "a missing file is none that could not be read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("opening: unable to open file"));
  }
}

}  // namespace
}  // namespace scalemark::store::h5
