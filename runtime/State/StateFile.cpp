#include "runtime/State/StateFile.h"
#include "runtime/Process/NewFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

using namespace cheems;

namespace {

/// Read at a time; a multiple of a count's four bytes.
constexpr size_t block = 1 << 20;

class Hasher {
public:
  Hasher() : state(XXH3_createState(), XXH3_freeState) {
    if (!state) {
      throw std::bad_alloc();
    }
    XXH3_64bits_reset(state.get());
  }
  void add(const void *bytes, size_t size) {
    XXH3_64bits_update(state.get(), bytes, size);
  }
  uint64_t sum() const { return XXH3_64bits_digest(state.get()); }

private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state;
};

std::string number(uint64_t value) { return std::to_string(value); }

uint64_t headerSum(const StateFileHeader &header) {
  return XXH3_64bits(&header, offsetof(StateFileHeader, headerChecksum));
}

void setFormat(StateFileHeader &header, const std::string &format) {
  format.copy(header.weightFormat, sizeof(header.weightFormat) - 1);
}

} // namespace

StateIdentity StateIdentity::of(const Model &model) {
  const Metadata &data = model.metadata();
  std::string front = "layout " + number(data.stateLayout) + " kv " +
                      data.kvType + " window " + number(data.keepWindow),
              layout;
  if (data.ringWindow != 0) {
    front += " of rows " + number(data.ringWindow);
  }
  for (const StateKind &kind : data.state) {
    layout += "\n" + kind.name + " " + kind.type;
    for (int64_t extent : kind.extents) {
      layout += " " + std::to_string(extent);
    }
  }
  StateIdentity identity;
  identity.configuration = model.checksum(CHEEMS_SECTION_CONFIG);
  auto hash = [](const std::string &text) {
    return XXH3_64bits(text.data(), text.size());
  };
  identity.layout = hash(front + layout);
  identity.layoutWithBlock =
      hash(front + " block " + number(data.block) + layout);
  identity.storedWeights = model.checksum(CHEEMS_SECTION_WEIGHTS);
  identity.weights = data.checkpoint.value_or(identity.storedWeights);
  identity.weightFormat =
      data.weights.substr(0, sizeof(StateFileHeader::weightFormat) - 1);
  identity.layoutVersion = static_cast<uint32_t>(data.stateLayout);
  return identity;
}

size_t StateToWrite::bytes() const {
  return sizeof(StateFileHeader) +
         (position == 0 ? 0 : static_cast<size_t>(pools.usedBytes(entries))) +
         application.size() + sizeof(uint64_t);
}

static StateFileHeader headerOf(const StateToWrite &state) {
  StateFileHeader header = {};
  std::memcpy(header.magic, stateFileMagic, sizeof(header.magic));
  header.version = stateFileVersion;
  header.layoutVersion = state.identity.layoutVersion;
  header.position = static_cast<uint64_t>(state.position);
  header.entries = static_cast<uint64_t>(state.entries);
  header.applicationBytes = state.application.size();
  header.fileSize = state.bytes();
  header.stateBytes = header.fileSize - sizeof(header) -
                      header.applicationBytes - sizeof(uint64_t);
  header.configuration = state.identity.configuration;
  header.layout = state.identity.layout;
  header.weights = state.identity.weights;
  setFormat(header, state.identity.weightFormat);
  header.partial = state.partial ? 1 : 0;
  header.headerChecksum = headerSum(header);
  return header;
}

/// Hands all bytes on, in order.
template <typename Sink>
static void writeTo(const Sink &sink, const StateToWrite &state) {
  Hasher hasher;
  auto append = [&](const void *bytes, size_t size) {
    hasher.add(bytes, size);
    sink(bytes, size);
  };
  StateFileHeader header = headerOf(state);
  append(&header, sizeof(header));
  if (state.position != 0) { // else there lies an earlier sequence's
    state.pools.read(state.slot, state.entries,
                     [&](const char *bytes, int64_t size, bool) {
                       append(bytes, static_cast<size_t>(size));
                     });
  }
  append(state.application.data(), state.application.size());
  uint64_t sum = hasher.sum();
  sink(&sum, sizeof(sum));
}

void cheems::writeStateFile(const std::string &path,
                            const StateToWrite &state) {
  NewFile file(path);
  int64_t offset = 0;
  writeTo(
      [&](const void *bytes, size_t size) {
        file.write(bytes, size, offset);
        offset += static_cast<int64_t>(size);
      },
      state);
  file.finish(NewFile::Sync::disk);
}

void cheems::writeState(char *bytes, const StateToWrite &state) {
  writeTo(
      [&](const void *part, size_t size) {
        if (size != 0) {
          std::memcpy(bytes, part, size);
          bytes += size;
        }
      },
      state);
}

DamagedFile StateFile::bad(const std::string &what) const {
  return DamagedFile(path + ": " + what);
}

DamagedFile StateFile::corrupted(const std::string &what) const {
  return bad("corrupted: " + what + "; save it again");
}

StateFile::StateFile(const std::string &path, const StateIdentity &identity,
                     const Metadata &metadata)
    : path(path) {
  // O_NONBLOCK: a named pipe without a writer is refused, not waited for.
  descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    FileUnusable error("cannot read " + path + ": " + std::strerror(errno));
    if (descriptor >= 0) {
      close(descriptor);
    }
    throw error;
  }
  try {
    if (!S_ISREG(status.st_mode)) {
      throw bad("not a cheems state file (not a regular file)");
    }
    checkAll(static_cast<uint64_t>(status.st_size), identity, metadata);
  } catch (...) { // no destructor runs for what was never made
    close(descriptor);
    throw;
  }
}

StateFile::StateFile(std::string_view bytes, const std::string &name,
                     const StateIdentity &identity, const Metadata &metadata)
    : path(name), memory(bytes) {
  checkAll(bytes.size(), identity, metadata);
}

StateFile::~StateFile() {
  if (descriptor >= 0) {
    close(descriptor);
  }
}

void StateFile::checkAll(uint64_t size, const StateIdentity &identity,
                         const Metadata &metadata) {
  checkHeader(size);
  checkIdentity(identity);
  checkSizes(metadata);
}

void StateFile::readAt(uint64_t offset, void *bytes, size_t size) const {
  if (descriptor < 0) {
    if (size != 0) {
      std::memcpy(bytes, memory.data() + offset, size);
    }
    return;
  }
  char *at = static_cast<char *>(bytes);
  while (size != 0) {
    ssize_t count = pread(descriptor, at, size, static_cast<off_t>(offset));
    if (count == 0) {
      throw bad("truncated while it was read");
    }
    if (count < 0 && errno != EINTR) {
      throw FileUnusable("cannot read " + path + ": " + std::strerror(errno));
    }
    if (count > 0) {
      at += count;
      offset += static_cast<uint64_t>(count);
      size -= static_cast<size_t>(count);
    }
  }
}

void StateFile::checkHeader(uint64_t size) {
  if (size == 0) {
    throw bad("not a cheems state file (it is empty)");
  }
  char magic[sizeof(header.magic)] = {};
  readAt(0, magic, std::min<uint64_t>(size, sizeof(magic)));
  if (std::memcmp(magic, stateFileMagic,
                  std::min<uint64_t>(size, sizeof(magic))) != 0) {
    throw bad("not a cheems state file");
  }
  if (size < sizeof(header)) {
    throw bad("truncated: only " + number(size) +
              " bytes are there; save it again");
  }
  readAt(0, &header, sizeof(header));
  bool sound = header.headerChecksum == headerSum(header);
  // A damaged version is told from a foreign one by the checksum, whose offset
  // is the same in all versions.
  if (sound && header.version != stateFileVersion) {
    // Version 1 did not tell its state layout, which was layout 1.
    throw bad("format version " + number(header.version) +
              (header.version == 1 ? " with state layout 1" : "") +
              ", but this runtime reads version " + number(stateFileVersion) +
              "; save it again");
  }
  if (!sound || header.partial > 1) {
    throw corrupted("the header does not match its checksum");
  }
  if (header.fileSize != size) {
    std::string sizes = "it should have " + number(header.fileSize) +
                        " bytes and has " + number(size);
    throw size < header.fileSize
        ? bad("truncated: " + sizes + "; save it again")
        : corrupted(sizes);
  }
}

void StateFile::checkIdentity(const StateIdentity &identity) const {
  auto differs = [&](const std::string &what) {
    return Error(path + ": saved by a model with " + what +
                 "; load it with the model that saved it");
  };
  if (header.configuration != identity.configuration) {
    throw differs("another configuration");
  }
  StateFileHeader own = {};
  setFormat(own, identity.weightFormat);
  if (std::memcmp(own.weightFormat, header.weightFormat,
                  sizeof(own.weightFormat)) != 0) {
    std::string format(
        header.weightFormat,
        strnlen(header.weightFormat, sizeof(header.weightFormat)));
    throw differs("weight format " + format + ", this model has " +
                  identity.weightFormat);
  }
  if (header.layoutVersion != identity.layoutVersion) {
    throw Error(path + ": saved with state layout " +
                number(header.layoutVersion) + ", this model has " +
                number(identity.layoutVersion) + "; save it again");
  }
  if (header.layout != identity.layout &&
      header.layout != identity.layoutWithBlock) {
    throw differs("another state layout");
  }
  if (header.weights != identity.weights &&
      header.weights != identity.storedWeights) {
    throw differs("other weights");
  }
}

void StateFile::checkSizes(const Metadata &metadata) {
  uint64_t rest = header.fileSize - sizeof(header);
  if (header.position <= INT32_MAX) {
    mostEntries = metadata.usedEntries(static_cast<int64_t>(header.position));
  }
  if (header.position > INT32_MAX ||
      header.entries != (partial() ? 0 : static_cast<uint64_t>(mostEntries)) ||
      header.stateBytes > rest || header.applicationBytes > rest ||
      rest != header.stateBytes + header.applicationBytes + sizeof(uint64_t)) {
    throw corrupted("the header's sizes contradict each other");
  }
}

/// What was read of a file, in its order.
class StateFile::Contents {
public:
  Contents(const StateFileHeader &header, int64_t mostEntries)
      : entries(static_cast<uint64_t>(mostEntries)) {
    hasher.add(&header, sizeof(header));
  }
  void add(const char *bytes, size_t size, bool counts) {
    hasher.add(bytes, size);
    for (size_t at = 0; counts && at < size; at += sizeof(int32_t)) {
      int32_t count;
      std::memcpy(&count, bytes + at, sizeof(count));
      // Compiled code appends after as many entries without looking.
      possible =
          possible && count >= 0 && static_cast<uint64_t>(count) <= entries;
    }
  }
  uint64_t sum() const { return hasher.sum(); }
  bool countsArePossible() const { return possible; }

private:
  Hasher hasher;
  uint64_t entries;
  bool possible = true;
};

void StateFile::judge(const Contents &contents) const {
  uint64_t sum = 0;
  readAt(header.fileSize - sizeof(sum), &sum, sizeof(sum));
  if (sum != contents.sum()) {
    throw corrupted("its bytes do not match its checksum");
  }
  if (!contents.countsArePossible()) {
    throw corrupted("it counts more entries than a sequence of " +
                    number(header.position) + " tokens can have");
  }
}

void StateFile::check(const StatePools &pools) const {
  int64_t entries = static_cast<int64_t>(header.entries);
  if (entries > pools.entryLimit() ||
      header.stateBytes !=
          (header.position == 0
               ? 0
               : static_cast<uint64_t>(pools.usedBytes(entries)))) {
    throw corrupted("its state is not as long as the model's");
  }
  Contents contents(header, mostEntries);
  std::vector<char> buffer(block);
  uint64_t offset = sizeof(header);
  auto pass = [&](uint64_t size, bool counts) {
    for (uint64_t done = 0; done < size;) {
      size_t part = std::min<uint64_t>(block, size - done);
      readAt(offset, buffer.data(), part);
      contents.add(buffer.data(), part, counts);
      offset += part;
      done += part;
    }
  };
  if (header.position != 0) {
    pools.pieces(entries, [&](int64_t size, bool counts) {
      pass(static_cast<uint64_t>(size), counts);
    });
  }
  pass(header.applicationBytes, false);
  judge(contents);
}

std::string StateFile::application() const {
  std::string bytes(header.applicationBytes, '\0');
  readAt(sizeof(header) + header.stateBytes, bytes.data(), bytes.size());
  return bytes;
}

void StateFile::read(StatePools &pools, int64_t slot,
                     std::string_view application) const {
  Contents contents(header, mostEntries);
  uint64_t offset = sizeof(header);
  if (header.position != 0) {
    pools.fill(slot, static_cast<int64_t>(header.entries),
               [&](char *bytes, int64_t size, bool counts) {
                 readAt(offset, bytes, static_cast<size_t>(size));
                 contents.add(bytes, static_cast<size_t>(size), counts);
                 offset += static_cast<uint64_t>(size);
               });
  }
  contents.add(application.data(), application.size(), false);
  judge(contents);
}
