// SPDX-License-Identifier: Apache-2.0
// A TCPStore whose address is broadcast over MPI.
#include "common/torch/process_group/rendezvous.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include <arpa/inet.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::torch_support {
namespace {

constexpr std::chrono::seconds kStoreTimeout{60};

std::string numeric(const sockaddr* address, socklen_t length) {
  std::array<char, NI_MAXHOST> text{};
  const int code =
      getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return code == 0 ? text.data() : std::string();
}

/// Whether the address is loopback or link-local.
bool is_local(const std::string& address) {
  return address == "::1" || address.starts_with("127.") || address.starts_with("fe80:");
}

/// Address of the host's own name; empty if unresolved or loopback only (as Debian sets it up).
std::string address_by_name(int family) {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(name.data(), nullptr, &hints, &list) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    const std::string text = numeric(one->ai_addr, one->ai_addrlen);
    if (!text.empty() && !is_local(text)) return text;
  }
  return {};
}

/// The first IPv4 address of an interface that is up.
std::string address_by_interface() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    const bool usable = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (!usable || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    const std::string text = numeric(one->ifa_addr, sizeof(sockaddr_in));
    if (!text.empty()) return text;
  }
  return {};
}

std::string host_address() {
  std::string address = address_by_name(AF_INET);
  if (address.empty()) address = address_by_interface();
  if (address.empty()) address = address_by_name(AF_INET6);
  if (address.empty()) throw Error("this host has no network address but loopback");
  return address;
}

}  // namespace

void all_or_none(const mpi::Comm& ranks, const std::function<void()>& work) {
  std::string problem;
  const auto note = [&](const std::string& text) {
    problem = text.empty() ? "an error without a text" : text.substr(0, text.find('\n'));
  };
  try {
    work();
  } catch (const c10::Error& error) {
    note(error.what_without_backtrace());
  } catch (const std::exception& error) {
    note(error.what());
  }
  const std::vector<std::string> problems = ranks.all_gather(problem);
  for (std::size_t rank = 0; rank < problems.size(); ++rank) {
    if (!problems[rank].empty())
      throw Error(fmt::format("rank {}: {}", rank, text::printable(problems[rank], 400)));
  }
}

Rendezvous make_rendezvous(const mpi::Comm& ranks) {
  const bool one_node = ranks.min(ranks.split_node().size()) == ranks.size();
  Rendezvous meeting;
  c10d::TCPStoreOptions options;
  options.isServer = ranks.rank() == 0;
  options.waitWorkers = false;
  options.timeout = kStoreTimeout;
  options.port = 0;
  all_or_none(ranks, [&] {
    meeting.address = one_node ? "127.0.0.1" : host_address();
    if (!options.isServer) return;
    const auto store = c10::make_intrusive<c10d::TCPStore>(meeting.address, options);
    options.port = store->getPort();
    meeting.store = store;
  });
  const std::string host = ranks.broadcast(meeting.address);
  options.port = static_cast<std::uint16_t>(ranks.max(options.port));
  all_or_none(ranks, [&] {
    if (!options.isServer) meeting.store = c10::make_intrusive<c10d::TCPStore>(host, options);
  });
  return meeting;
}

}  // namespace scalemark::torch_support
