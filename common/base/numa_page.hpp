// SPDX-License-Identifier: Apache-2.0
// Asks the kernel where a page of memory lies.
#pragma once

namespace scalemark {

/// NUMA node of the page at `address`, which was touched before; -1, with errno set, if the kernel
/// does not tell.
int numa_node_of_page(const void* address);

}  // namespace scalemark
