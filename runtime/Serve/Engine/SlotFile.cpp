#include "runtime/Serve/Engine/SlotFile.h"
#include "runtime/Error.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace cheems::serve {

namespace {

constexpr char magic[] = "CHEEMSL\n"; ///< eight bytes

/// Integers are little-endian, as in state files.
struct Header {
  char magic[8];
  uint64_t tokens, isolation, state; ///< how many; bytes of the other two
  uint64_t checksum; ///< XXH3-64 of the fields above, the tokens, isolation
};

uint64_t checksumOf(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// What the checksum is of.
std::string summed(const Header &header, std::string_view middle) {
  std::string text(reinterpret_cast<const char *>(&header),
                   offsetof(Header, checksum));
  text += middle;
  return text;
}

FileUnusable failure(const char *what, const std::string &name, int error) {
  return FileUnusable(std::string("cannot ") + what + " " + name + ": " +
                      std::strerror(error));
}

/// Closes it again.
struct Opened {
  int descriptor;
  ~Opened() {
    if (descriptor >= 0) {
      close(descriptor);
    }
  }
};

bool writeAllOf(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(done, 0)));
  }
  return true;
}

} // namespace

std::string SlotRecord::encode() const {
  Header header = {};
  std::memcpy(header.magic, magic, sizeof(header.magic));
  header.tokens = tokens.size();
  header.isolation = isolation.size();
  header.state = state.size();
  std::string middle(reinterpret_cast<const char *>(tokens.data()),
                     tokens.size() * sizeof(int32_t));
  middle += isolation;
  header.checksum = checksumOf(summed(header, middle));
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof(header));
  return bytes + middle + state;
}

SlotRecord SlotRecord::decode(std::string_view bytes, const std::string &name) {
  Header header;
  auto check = [&](bool sound, const char *what) {
    if (!sound) {
      throw DamagedFile(name + ": " + what);
    }
  };
  check(bytes.size() >= sizeof(header), "not a saved slot");
  std::memcpy(&header, bytes.data(), sizeof(header));
  check(std::memcmp(header.magic, magic, sizeof(header.magic)) == 0,
        "not a saved slot");
  uint64_t rest = bytes.size() - sizeof(header);
  check(header.tokens <= rest / sizeof(int32_t), "truncated");
  rest -= header.tokens * sizeof(int32_t);
  check(header.isolation <= rest && header.state == rest - header.isolation,
        "truncated or corrupted");
  std::string_view middle = bytes.substr(
      sizeof(header), header.tokens * sizeof(int32_t) + header.isolation);
  check(header.checksum == checksumOf(summed(header, middle)), "corrupted");
  SlotRecord record;
  record.tokens.resize(header.tokens);
  size_t tokenBytes = header.tokens * sizeof(int32_t);
  if (tokenBytes != 0) {
    std::memcpy(record.tokens.data(), middle.data(), tokenBytes);
  }
  record.isolation = middle.substr(tokenBytes);
  record.state = bytes.substr(sizeof(header) + middle.size());
  return record;
}

SlotFolder::SlotFolder(const std::string &path)
    : descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor < 0) {
    throw failure("open the folder", path, errno);
  }
}

SlotFolder::~SlotFolder() { close(descriptor); }

std::string SlotFolder::faultOf(const std::string &name) {
  if (name.empty() || name.size() > 255) {
    return "a file name has 1 to 255 bytes";
  }
  if (name.front() == '.') {
    return "a file name must not begin with a dot";
  }
  if (name.find('/') != std::string::npos) {
    return "a file name must not name a folder";
  }
  bool plain = std::all_of(name.begin(), name.end(), [](char each) {
    return static_cast<unsigned char>(each) >= 0x20 && each != 0x7f;
  });
  return plain ? "" : "a file name must not have control characters";
}

void SlotFolder::write(const std::string &name, std::string_view bytes) const {
  std::random_device random;
  std::string temporary =
      ".cheems-" + std::to_string(random()) + std::to_string(random()) + ".tmp";
  Opened file{openat(descriptor, temporary.c_str(),
                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                     0600)};
  if (file.descriptor < 0) {
    throw failure("write", name, errno);
  }
  int error = 0;
  if (!writeAllOf(file.descriptor, bytes) || fsync(file.descriptor) != 0 ||
      renameat(descriptor, temporary.c_str(), descriptor, name.c_str()) != 0) {
    error = errno;
    unlinkat(descriptor, temporary.c_str(), 0);
    throw failure("write", name, error);
  }
  fsync(descriptor); // the new name, too, where that can be
}

std::string SlotFolder::read(const std::string &name, bool &missing) const {
  // not blocking: a pipe of that name would wait for a writer
  Opened file{openat(descriptor, name.c_str(),
                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  missing = file.descriptor < 0 && errno == ENOENT;
  if (file.descriptor < 0) {
    throw failure("read", name, errno);
  }
  struct stat status;
  if (fstat(file.descriptor, &status) != 0) {
    throw failure("read", name, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    throw FileUnusable("cannot read " + name + ": it is not a regular file");
  }
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t got =
        ::read(file.descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw failure("read", name, errno);
    }
    if (got == 0) { // it became shorter: the record is refused as truncated
      bytes.resize(done);
    }
    done += static_cast<size_t>(got);
  }
  return bytes;
}

} // namespace cheems::serve
