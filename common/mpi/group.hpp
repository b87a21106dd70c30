// SPDX-License-Identifier: Apache-2.0
// A group of processes.
#pragma once

#include <span>

#include <mpi.h>

#include "common/mpi/comm.hpp"

namespace scalemark::mpi {

/// Owner of a group. MPI errors become exceptions, as in check().
class Group {
 public:
  explicit Group(MPI_Group owned) : group_(owned) {}
  /// The `members` of `all`, ranks in it, in this order.
  Group(const Group& all, std::span<const int> members) {
    check(MPI_Group_incl(all.get(), static_cast<int>(members.size()), members.data(), &group_));
  }
  ~Group() { MPI_Group_free(&group_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  MPI_Group get() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace scalemark::mpi
