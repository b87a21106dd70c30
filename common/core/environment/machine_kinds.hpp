// SPDX-License-Identifier: Apache-2.0
// Which nodes are alike, and one description of each kind.
#pragma once

#include <map>
#include <string>

#include "common/core/session.hpp"

namespace scalemark {

/// An hwloc description without what tells one node from another of its kind: names of hosts,
/// serial numbers, addresses, identifiers of devices, the state of links.
std::string anonymous_xml(const std::string& hwloc_xml);

/// Equal for nodes that are alike: `anonymous` without amounts of memory, which the kernel's own
/// use makes differ by some pages (they are rounded to GiB), and without numbers of pages.
std::string kind_text(const std::string& anonymous);

/// Collective. kind1, kind2, ... -> hwloc XML (anonymous_xml()) of the first node of the kind; on
/// rank 0. `mine` gets this node's kind, on all ranks. Nothing where hwloc was given another
/// machine.
std::map<std::string, std::string> gather_machines(const Session& session, std::string& mine);

}  // namespace scalemark
