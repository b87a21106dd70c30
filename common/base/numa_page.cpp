// SPDX-License-Identifier: Apache-2.0
// Asks the kernel where a page lies, by get_mempolicy(2).
#include "common/base/numa_page.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace scalemark {

int numa_node_of_page(const void* address) {
  int node = -1;
  const long code =
      syscall(SYS_get_mempolicy, &node, nullptr, 0, address, MPOL_F_NODE | MPOL_F_ADDR);
  return code == 0 ? node : -1;
}

}  // namespace scalemark
