// SPDX-License-Identifier: Apache-2.0
// Asking the dynamic loader.
#include "common/core/environment/loaded_libraries.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <link.h>

#include "common/base/text.hpp"

namespace scalemark {
namespace {

namespace fs = std::filesystem;

int take_name(dl_phdr_info* info, std::size_t, void* names) {
  // The program itself has no name, the kernel's own page no file.
  if (info->dlpi_name && info->dlpi_name[0] == '/')
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

bool is_system_folder(const std::string& path) {
  return path.starts_with("/usr/") || path.starts_with("/lib") || path.starts_with("/opt/");
}

/// The note NT_GNU_BUILD_ID of the program, which comes first.
int take_build_id(dl_phdr_info* info, std::size_t, void* result) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* value = name + ((note.n_namesz + 3U) & ~3U);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0) {
        auto& text = *static_cast<std::string*>(result);
        for (unsigned byte = 0; byte < note.n_descsz; ++byte)
          text += fmt::format("{:02x}", static_cast<unsigned char>(value[byte]));
        return 1;
      }
      at = value + ((note.n_descsz + 3U) & ~3U);
    }
  }
  return 1;
}

}  // namespace

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> files;
  dl_iterate_phdr(take_name, &files);
  for (std::string& file : files) {
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    if (!error) file = real.string();
    if (!is_system_folder(file)) file = ".../" + fs::path(file).filename().string();
    file = text::printable(file, 300);
  }
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

std::map<std::string, std::string> library_facts(const std::vector<std::string>& files) {
  constexpr std::array<const char*, 20> kLibraries = {
      "mpi",  "pmix",   "ucp",      "uct",         "fabric", "ibverbs",   "psm2",
      "nccl", "cudart", "cublas",   "cublasLt",    "cudnn",  "torch_cpu", "torch_cuda",
      "gomp", "mkl_rt", "openblas", "hdf5_serial", "hwloc",  "nvidia-ml"};
  std::map<std::string, std::string> facts;
  for (const std::string& file : files) {
    const std::string base = fs::path(file).filename().string();
    for (const char* name : kLibraries) {
      const std::string stem = fmt::format("lib{}", name);
      // "libmpi.so.40", "libgomp-a34b3233.so.1"
      if (!base.starts_with(stem + ".so") && !base.starts_with(stem + "-")) continue;
      std::string& fact = facts[fmt::format("library.{}", name)];
      fact += (fact.empty() ? "" : ", ") + base;
    }
  }
  return facts;
}

std::string program_build_id() {
  std::string id;
  dl_iterate_phdr(take_build_id, &id);
  return id.empty() ? "unavailable: linked without --build-id" : id;
}

}  // namespace scalemark
