# Header-only libraries, from packages or from SCALEMARK_HEADERS. jobscripts/setup.sh fills that folder for users who
# cannot install packages. Libraries that are not in it come from packages.
include_guard(GLOBAL)

set(SCALEMARK_HEADERS "$ENV{SCALEMARK_HEADERS}" CACHE PATH
    "Folder whose include/ holds CLI11, fmt, spdlog, nlohmann-json, toml++ and Boost (jobscripts/setup.sh --headers)")

# scalemark_require_headers(HEADER PACKAGE DEBIAN TARGET [definitions...]): defines TARGET from the folder or the
# package.
macro(scalemark_require_headers header package debian target)
  if(SCALEMARK_HEADERS AND EXISTS ${SCALEMARK_HEADERS}/include/${header})
    add_library(${target} INTERFACE IMPORTED)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${SCALEMARK_HEADERS}/include
                          INTERFACE_COMPILE_DEFINITIONS "${ARGN}")
    list(APPEND SCALEMARK_OWN_HEADERS ${package})
  else()
    scalemark_require(${package} ${debian})
  endif()
endmacro()

if(SCALEMARK_HEADERS AND NOT IS_DIRECTORY ${SCALEMARK_HEADERS}/include)
  message(FATAL_ERROR "SCALEMARK_HEADERS is '${SCALEMARK_HEADERS}', which holds no folder include (jobscripts/setup.sh --headers makes one)")
endif()
set(SCALEMARK_OWN_HEADERS "")
scalemark_require_headers(CLI/CLI.hpp CLI11 libcli11-dev CLI11::CLI11)
# The folder's fmt is the copy inside spdlog, used header-only. LibTorch's fmt has another version and therefore another
# namespace, so both can be in one program.
scalemark_require_headers(fmt/format.h fmt libfmt-dev fmt::fmt FMT_HEADER_ONLY=1)
scalemark_require_headers(spdlog/spdlog.h spdlog libspdlog-dev spdlog::spdlog SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY=1)
scalemark_require_headers(nlohmann/json.hpp nlohmann_json nlohmann-json3-dev nlohmann_json::nlohmann_json)
