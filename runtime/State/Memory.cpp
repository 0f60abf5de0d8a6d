#include "runtime/State/Memory.h"
#include "runtime/Error.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace cheems;

Memory::Memory(int64_t bytes, const std::string &purpose)
    : size(std::max<int64_t>(bytes, 1)) {
  // Without MAP_NORESERVE: the kernel refuses at once what this machine could
  // never hold.
  void *mapped =
      mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw Error("cannot allocate " + std::to_string(size) + " bytes for " +
                purpose + ": " + std::strerror(errno));
  }
  base = static_cast<char *>(mapped);
}

Memory::~Memory() { munmap(base, static_cast<size_t>(size)); }
