// SPDX-License-Identifier: Apache-2.0
// Maps the files of other processes, which /proc names.
#include "tests/gpu/software/nccl/window.hpp"

#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/gpu/software/cudart/hooks.hpp"
#include "tests/gpu/software/nccl/failure.hpp"

namespace scalemark::software_nccl {

Window::Window(Communicator& ranks, const void* memory, std::size_t bytes) {
  SharedMemory mine;
  mine.process = getpid();
  require(__cudaSoftwareFile(memory, &mine.file, &mine.offset) == cudaSuccess, ncclInvalidArgument,
          "windows are of device memory");
  for (const SharedMemory& one : ranks.exchange(mine, bytes)) mapped_.push_back(map(one, bytes));
}

Window::~Window() {
  for (const Mapping& one : mapped_) munmap(one.pages, one.bytes);
}

Window::Mapping Window::map(const SharedMemory& memory, std::size_t bytes) {
  const std::string name =
      "/proc/" + std::to_string(memory.process) + "/fd/" + std::to_string(memory.file);
  const int file = open(name.c_str(), O_RDWR | O_CLOEXEC);
  require(file >= 0, ncclSystemError, "cannot open the memory of another rank");
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t ahead = memory.offset % page;
  Mapping result{nullptr, ahead + bytes, nullptr};
  result.pages = mmap(nullptr, result.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      static_cast<off_t>(memory.offset - ahead));
  close(file);
  require(result.pages != MAP_FAILED, ncclSystemError, "cannot map the memory of another rank");
  result.begin = static_cast<std::byte*>(result.pages) + ahead;
  return result;
}

}  // namespace scalemark::software_nccl
