// SPDX-License-Identifier: Apache-2.0
// Sessions of MPI-4.
#include "common/mpi/session.hpp"

#include <array>
#include <exception>
#include <string_view>

#include "common/mpi/group.hpp"

namespace scalemark::mpi {
namespace {

constexpr const char* kThreadKey = "thread_level";
/// Identifies the creation of a communicator. One at a time is under way.
constexpr const char* kTag = "scalemark";

/// An info object that asks for MPI_THREAD_MULTIPLE.
class ThreadRequest {
 public:
  ThreadRequest() {
    check(MPI_Info_create(&info_));
    check(MPI_Info_set(info_, kThreadKey, "MPI_THREAD_MULTIPLE"));
  }
  ~ThreadRequest() { MPI_Info_free(&info_); }
  ThreadRequest(const ThreadRequest&) = delete;
  ThreadRequest& operator=(const ThreadRequest&) = delete;
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

int level_named(std::string_view name) {
  if (name == "MPI_THREAD_MULTIPLE") return MPI_THREAD_MULTIPLE;
  if (name == "MPI_THREAD_SERIALIZED") return MPI_THREAD_SERIALIZED;
  if (name == "MPI_THREAD_FUNNELED") return MPI_THREAD_FUNNELED;
  return MPI_THREAD_SINGLE;
}

/// Finalises the session at the end, except while an exception unwinds.
class OpenSession {
 public:
  OpenSession() {
    const ThreadRequest request;
    check(MPI_Session_init(request.get(), MPI_ERRORS_RETURN, &session_));
  }
  ~OpenSession() {
    if (std::uncaught_exceptions() == 0) MPI_Session_finalize(&session_);
  }
  OpenSession(const OpenSession&) = delete;
  OpenSession& operator=(const OpenSession&) = delete;
  MPI_Session get() const { return session_; }

 private:
  MPI_Session session_ = MPI_SESSION_NULL;
};

MPI_Group world_of(MPI_Session session) {
  MPI_Group world = MPI_GROUP_NULL;
  check(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
  return world;
}

Comm create(MPI_Group group) {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_create_from_group(group, kTag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &made));
  return Comm(made);
}

}  // namespace

struct Session::Handles {
  OpenSession session;
  Group world{world_of(session.get())};
};

bool Session::supported() { return true; }

Session::Session() : handles_(std::make_unique<Handles>()) {}

Session::~Session() = default;

int Session::rank() const {
  int rank = 0;
  check(MPI_Group_rank(handles_->world.get(), &rank));
  return rank;
}

int Session::size() const {
  int size = 0;
  check(MPI_Group_size(handles_->world.get(), &size));
  return size;
}

int Session::thread_level() const {
  MPI_Info info = MPI_INFO_NULL;
  check(MPI_Session_get_info(handles_->session.get(), &info));
  std::array<char, 64> name{};
  int room = static_cast<int>(name.size()), found = 0;
  const int code = MPI_Info_get_string(info, kThreadKey, &room, name.data(), &found);
  MPI_Info_free(&info);
  check(code);
  return found != 0 ? level_named(name.data()) : MPI_THREAD_SINGLE;
}

Comm Session::communicator(std::span<const int> members) const {
  if (members.empty()) return create(handles_->world.get());
  return create(Group(handles_->world, members).get());
}

}  // namespace scalemark::mpi
