// SPDX-License-Identifier: Apache-2.0
// Reads MPI_T control variables.
#include "common/mpi/transport.hpp"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "common/mpi/environment.hpp"

namespace scalemark::mpi {
namespace {

/// Names of Open MPI's variables. The last ones depend on the version (4: vader; 5: sm and smsc).
constexpr std::array kVariables = {"pml",
                                   "mtl",
                                   "btl",
                                   "osc",
                                   "coll",
                                   "smsc",
                                   "btl_vader_single_copy_mechanism",
                                   "mpi_yield_when_idle"};

/// A framework of Open MPI, and components of which it uses one.
struct Framework {
  const char* name;
  std::array<const char*, 3> components;
};
constexpr std::array kFrameworks = {Framework{"pml", {"ob1", "ucx", "cm"}},
                                    Framework{"smsc", {"cma", "xpmem", "knem"}}};

/// Initialises the MPI_T interface for the lifetime of the object.
class Tools {
 public:
  Tools() {
    // The level that the process has: Open MPI up to 5.0 takes this call's level for all of MPI,
    // and leaves out locks at MPI_THREAD_SINGLE (open-mpi/ompi#14164).
    int provided = 0;
    open_ = MPI_T_init_thread(thread_level(), &provided) == MPI_SUCCESS;
  }
  ~Tools() {
    if (open_) MPI_T_finalize();
  }
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;
  bool open() const { return open_; }

 private:
  bool open_ = false;
};

struct Variable {
  int index = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum names = MPI_T_ENUM_NULL;
};

std::optional<Variable> find(const char* name) {
  Variable found;
  if (MPI_T_cvar_get_index(name, &found.index) != MPI_SUCCESS) return std::nullopt;
  int verbosity = 0, binding = 0, scope = 0, none = 0;
  int no_text = 0;
  if (MPI_T_cvar_get_info(found.index, nullptr, &none, &verbosity, &found.type, &found.names,
                          nullptr, &no_text, &binding, &scope) != MPI_SUCCESS ||
      binding != MPI_T_BIND_NO_OBJECT) {
    return std::nullopt;
  }
  return found;
}

/// Name of a value in the variable's enumeration; the number if it has no name.
std::string name_of(MPI_T_enum names, int value) {
  int count = 0, length = 0;
  if (names == MPI_T_ENUM_NULL ||
      MPI_T_enum_get_info(names, &count, nullptr, &length) != MPI_SUCCESS)
    return std::to_string(value);
  for (int i = 0; i < count; ++i) {
    int item = 0;
    std::array<char, 128> text{};
    int room = static_cast<int>(text.size());
    if (MPI_T_enum_get_item(names, i, &item, text.data(), &room) == MPI_SUCCESS && item == value)
      return text.data();
  }
  return std::to_string(value);
}

std::optional<std::string> read(const Variable& variable) {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(variable.index, nullptr, &handle, &count) != MPI_SUCCESS)
    return std::nullopt;
  std::optional<std::string> value;
  if (variable.type == MPI_CHAR && count > 0) {
    std::vector<char> text(static_cast<std::size_t>(count) + 1, '\0');
    if (MPI_T_cvar_read(handle, text.data()) == MPI_SUCCESS) value = text.data();
  } else if ((variable.type == MPI_INT || variable.type == MPI_UNSIGNED) && count == 1) {
    int number = 0;
    if (MPI_T_cvar_read(handle, &number) == MPI_SUCCESS) value = name_of(variable.names, number);
  } else if (variable.type == MPI_C_BOOL && count == 1) {
    bool flag = false;
    if (MPI_T_cvar_read(handle, &flag) == MPI_SUCCESS) value = flag ? "true" : "false";
  }
  MPI_T_cvar_handle_free(&handle);
  return value;
}

/// The component that MPI uses. Open MPI closes those that it does not choose, and with them go
/// their variables. Empty unless exactly one is left.
std::string component_in_use(const Framework& framework) {
  std::string in_use;
  for (const char* component : framework.components) {
    const std::string priority = fmt::format("{}_{}_priority", framework.name, component);
    if (!find(priority.c_str())) continue;
    if (!in_use.empty()) return {};
    in_use = component;
  }
  return in_use;
}

}  // namespace

std::map<std::string, std::string> transport_facts() {
  std::map<std::string, std::string> facts;
  const Tools tools;
  if (!tools.open()) return facts;
  for (const char* name : kVariables) {
    const std::optional<Variable> variable = find(name);
    if (!variable) continue;
    if (std::optional<std::string> value = read(*variable); value && !value->empty())
      facts[name] = *std::move(value);
  }
  for (const Framework& framework : kFrameworks) {
    if (std::string component = component_in_use(framework); !component.empty())
      facts[fmt::format("{}_in_use", framework.name)] = std::move(component);
  }
  return facts;
}

}  // namespace scalemark::mpi
