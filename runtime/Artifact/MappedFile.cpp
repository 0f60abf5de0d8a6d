#include "runtime/Artifact/MappedFile.h"
#include "runtime/Error.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace cheems;

// O_NONBLOCK: a named pipe without a writer must be refused, not waited for.
MappedFile::MappedFile(const std::string &path, int given)
    : fd(given < 0 ? open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                   : fcntl(given, F_DUPFD_CLOEXEC, 0)) {
  auto failed = [&](int error) {
    return FileUnusable("cannot open '" + path + "': " + std::strerror(error));
  };
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) {
    int error = errno;
    if (fd >= 0) {
      close(fd);
    }
    throw failed(error);
  }
  if (!S_ISREG(status.st_mode)) {
    close(fd);
    throw FileUnusable("cannot open '" + path + "': it is not a regular file");
  }
  size = static_cast<size_t>(status.st_size);
  if (size == 0) {
    return; // mmap refuses empty ranges
  }
  void *mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    int error = errno;
    close(fd);
    throw failed(error);
  }
  base = static_cast<const char *>(mapped);
}

MappedFile::~MappedFile() {
  if (base) {
    munmap(const_cast<char *>(base), size);
  }
  close(fd);
}
