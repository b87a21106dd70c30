// SPDX-License-Identifier: Apache-2.0
// Counts, displacements and types of a call as MPI takes them.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "common/base/error.hpp"
#include "common/collective/mpi_calls.hpp"
#include "common/collective/mpi_operation.hpp"

namespace scalemark::collective {

/// The most elements that MPI counts.
inline constexpr std::size_t kMaxMpiCount = std::numeric_limits<int>::max();

/// Elements that MPI moves: as many as fit an int, or all of them as one big element.
struct MpiElements {
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};
/// `count` elements of `element_bytes` each; `keep` gets the type of a big one.
inline MpiElements mpi_elements(std::size_t count, MPI_Datatype element, std::size_t element_bytes,
                                Keep& keep) {
  if (count <= kMaxMpiCount) return {static_cast<int>(count), element};
  const auto big = std::make_shared<BigType>(count, element, element_bytes);
  keep.push_back(big);
  return {1, big->get()};
}

/// What the arguments of a call point to, kept as long as the operation.
class MpiArguments {
 public:
  MpiArguments(const MpiContext& context, const Call& call) : context_(context), call_(call) {}

  /// What the call moves, without parts.
  MpiElements moved() { return mpi_elements(call_.count, element(), element_bytes(), keep_); }

  /// Parts of these `sizes`, one behind the other. Throws Unavailable where a count or a
  /// displacement is beyond int.
  struct Parts {
    const int *counts, *displacements;
    MPI_Datatype type;
  };
  Parts parts(const std::vector<std::size_t>& sizes) {
    return {counts(sizes), displacements<int>(sizes, 1), element()};
  }
  /// The same with displacements in bytes, and a type for each part.
  template <typename Displacement>
  struct TypedParts {
    const int* counts;
    const Displacement* displacements;
    const MPI_Datatype* types;
  };
  template <typename Displacement>
  TypedParts<Displacement> typed_parts(const std::vector<std::size_t>& sizes) {
    return {counts(sizes), displacements<Displacement>(sizes, element_bytes()),
            kept(std::vector<MPI_Datatype>(sizes.size(), element()))};
  }

  /// Keeps what an argument points to as long as the arguments are in use.
  void keep_alive(std::shared_ptr<const void> one) { keep_.push_back(std::move(one)); }
  /// All that was kept so far, for the operation that uses the arguments.
  Keep keep() { return std::move(keep_); }

 private:
  MPI_Datatype element() const {
    return call_.blocks != nullptr ? call_.blocks->get() : context_.types.moving(call_.type);
  }
  std::size_t element_bytes() const {
    return call_.blocks != nullptr ? static_cast<std::size_t>(call_.blocks->extent())
                                   : size_of(call_.type);
  }

  template <typename T>
  const T* kept(std::vector<T> values) {
    if (values.empty()) values.emplace_back();  // MPI refuses null pointers, also to nothing
    const auto all = std::make_shared<std::vector<T>>(std::move(values));
    keep_.push_back(all);
    return all->data();
  }
  const int* counts(const std::vector<std::size_t>& sizes) {
    std::vector<int> counts;
    for (const std::size_t size : sizes) counts.push_back(narrow<int>(size));
    return kept(std::move(counts));
  }
  template <typename Displacement>
  const Displacement* displacements(const std::vector<std::size_t>& sizes, std::size_t unit) {
    std::vector<Displacement> starts;
    std::size_t before = 0;
    for (const std::size_t size : sizes) {
      starts.push_back(narrow<Displacement>(before * unit));
      before += size;
    }
    return kept(std::move(starts));
  }
  template <typename T>
  static T narrow(std::size_t value) {
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<T>::max());
    if (value > kMost)
      throw Unavailable(fmt::format("MPI's counts and displacements end at {}", kMost));
    return static_cast<T>(value);
  }

  const MpiContext& context_;
  const Call& call_;
  Keep keep_;
};

}  // namespace scalemark::collective
