#include "server/Engine/SlotFile.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <random>
#include <sys/file.h>
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

constexpr std::string_view temporaryFront = ".cheems-", temporaryEnd = ".tmp";

bool isTemporary(std::string_view name) {
  return name.size() > temporaryFront.size() + temporaryEnd.size() &&
         name.substr(0, temporaryFront.size()) == temporaryFront &&
         name.substr(name.size() - temporaryEnd.size()) == temporaryEnd;
}

/// Calls `act` with each name in the folder.
void forEachName(int folder, const std::function<void(const char *)> &act) {
  int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR *)> names(
      again < 0 ? nullptr : fdopendir(again), closedir);
  if (!names) {
    throw failure("read", "the folder of slots", errno);
  }
  while (const dirent *entry = readdir(names.get())) {
    act(entry->d_name);
  }
}

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

SlotFolder::SlotFolder(const std::string &path, const SlotFolderLimits &limits)
    : descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      limits(limits) {
  if (descriptor < 0) {
    throw failure("open the folder", path, errno);
  }
  removeStale();
}

/// Whoever writes one has it locked, perhaps another server.
void SlotFolder::removeStale() const {
  std::vector<std::string> stale;
  forEachName(descriptor, [&](const char *name) {
    if (isTemporary(name)) {
      stale.emplace_back(name);
    }
  });
  for (const std::string &name : stale) {
    Opened file{openat(descriptor, name.c_str(),
                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    if (file.descriptor >= 0 &&
        flock(file.descriptor, LOCK_EX | LOCK_NB) == 0) {
      unlinkat(descriptor, name.c_str(), 0);
    }
  }
}

void SlotFolder::requireRegular(const std::string &name) const {
  struct stat status;
  if (fstatat(descriptor, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISREG(status.st_mode)) {
    throw SlotFileRefused(400, name + " is there, and is no regular file; use "
                                      "another name");
  }
}

void SlotFolder::requireRoom(const std::string &name, uint64_t bytes) const {
  uint64_t files = 1;
  bool isNew = true;
  forEachName(descriptor, [&](const char *other) {
    struct stat status;
    if (other == name) {
      isNew = false;
    } else if (fstatat(descriptor, other, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISREG(status.st_mode)) {
      ++files;
      bytes += static_cast<uint64_t>(status.st_size);
    }
  });
  // there may be more files already: others put some there, or half written
  // ones are among them; a name that is there adds none
  bool areTooMany = isNew && files > limits.files;
  if (areTooMany || bytes > limits.bytes) {
    throw SlotFileRefused(
        507, areTooMany
                 ? "the folder of slots has " + std::to_string(limits.files) +
                       " files already; save under one of their names, or "
                       "raise --slot-files"
                 : "the files of slots would have " + std::to_string(bytes) +
                       " bytes, more than " + std::to_string(limits.bytes) +
                       "; remove some, or raise --slot-bytes");
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
  requireRegular(name);
  requireRoom(name, bytes.size());
  std::random_device random;
  std::string temporary(temporaryFront);
  temporary += std::to_string(random()) + std::to_string(random());
  temporary += temporaryEnd;
  Opened file{openat(descriptor, temporary.c_str(),
                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                     0600)};
  if (file.descriptor < 0) {
    throw failure("write", name, errno);
  }
  flock(file.descriptor, LOCK_EX | LOCK_NB); // nobody takes it for stale
  int error = 0;
  if (!writeAllOf(file.descriptor, bytes) || fsync(file.descriptor) != 0 ||
      renameat(descriptor, temporary.c_str(), descriptor, name.c_str()) != 0) {
    error = errno;
    unlinkat(descriptor, temporary.c_str(), 0);
    throw failure("write", name, error);
  }
  fsync(descriptor); // the new name, too, where that can be
}

std::string SlotFolder::read(const std::string &name, uint64_t most) const {
  requireRegular(name); // to open a device may do more than to look at it
  // not blocking: a pipe of that name would wait for a writer
  Opened file{openat(descriptor, name.c_str(),
                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (file.descriptor < 0 && errno == ENOENT) {
    throw SlotFileRefused(404, "there is no saved slot " + name);
  }
  if (file.descriptor < 0) {
    throw failure("read", name, errno);
  }
  struct stat status;
  if (fstat(file.descriptor, &status) != 0) {
    throw failure("read", name, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    throw SlotFileRefused(400, name + " is no regular file");
  }
  if (static_cast<uint64_t>(status.st_size) > most) {
    throw SlotFileRefused(400, name + " has " + std::to_string(status.st_size) +
                                   " bytes, more than a slot of this server");
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
