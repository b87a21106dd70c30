// SPDX-License-Identifier: Apache-2.0
// Which environment variables a result may hold.
#pragma once

#include <string>

namespace scalemark {

/// Whether a variable may be stored. Its name starts with a prefix of the allow-list, and none of
/// its parts (separated by '_') is a word for secrets, names, folders or commands: NVIDIA_PW,
/// UCX_CM_CREDS, NCCL_TOPO_FILE, OMPI_MCA_plm_rsh_agent.
bool may_store_variable(const std::string& name);

/// Why the value of an allowed variable is not stored: it shows a password, or it is a command with
/// arguments. Empty if it may be stored.
std::string why_withheld(const std::string& value);

}  // namespace scalemark
