// State files and what cheems-run keeps in them, from memory. The first byte
// says which: 'r' a whole file as it is, 'a' the application's part, else a
// file whose checksums and identity are made right, so that mutations get past
// them.
#include "runtime/Error.h"
#include "runtime/Generation/SavedRun.h"
#include "runtime/State/HostPools.h"
#include "runtime/State/StateFile.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

using namespace cheems;

namespace {

/// Pools with and without a capacity, and counts.
struct Target {
  Target() : data(metadata()), pools(data, 1, 8) {}

  static Metadata metadata() {
    constexpr int64_t capacity = StateKind::capacityExtent;
    Metadata data;
    data.state = {{"keys", PoolRole::keys, "bf16", 2, {2, capacity, 3}},
                  {"running", PoolRole::running, "f32", 4, {2, 2}},
                  {"counts", PoolRole::counts, "i32", 4, {2}}};
    return data;
  }

  Metadata data;
  StateIdentity identity{1, 2, 3, "f32"};
  HostPools pools;
};

void load(Target &target, const std::string &bytes) {
  int descriptor = memfd_create("state", 0);
  if (descriptor < 0 || write(descriptor, bytes.data(), bytes.size()) !=
                            static_cast<ssize_t>(bytes.size())) {
    __builtin_trap();
  }
  try {
    StateFile file("/proc/self/fd/" + std::to_string(descriptor),
                   target.identity, target.data);
    file.check(target.pools);
    std::string application = file.application();
    file.read(target.pools, 0, application);
    if (file.position() < 0 || file.position() > 8 ||
        application.size() > bytes.size()) {
      __builtin_trap();
    }
    target.pools.read(0, 8, [&](const char *piece, int64_t size, bool counts) {
      for (int64_t at = 0; counts && at < size; at += 4) {
        int32_t count;
        std::memcpy(&count, piece + at, sizeof(count));
        if (file.position() != 0 && (count < 0 || count > file.position())) {
          __builtin_trap(); // compiled code would write outside the pool
        }
      }
    });
  } catch (const Error &) { // the only exception that may leave
  }
  close(descriptor);
}

/// The bytes as header and rest; magic, version, identity, size and checksums
/// are put right, and everything else is theirs.
std::string sealed(const Target &target, std::string_view input) {
  StateFileHeader header = {};
  std::memcpy(&header, input.data(), std::min(input.size(), sizeof(header)));
  std::string rest(input.substr(std::min(input.size(), sizeof(header))));
  std::memcpy(header.magic, stateFileMagic, sizeof(header.magic));
  header.version = stateFileVersion;
  header.layoutVersion = target.identity.layoutVersion;
  header.partial &= 1;
  header.fileSize = sizeof(header) + rest.size() + sizeof(uint64_t);
  header.configuration = target.identity.configuration;
  header.layout = target.identity.layout;
  header.weights = target.identity.weights;
  std::memset(header.weightFormat, 0, sizeof(header.weightFormat));
  target.identity.weightFormat.copy(header.weightFormat, 31);
  header.headerChecksum =
      XXH3_64bits(&header, offsetof(StateFileHeader, headerChecksum));
  std::string file(reinterpret_cast<const char *>(&header), sizeof(header));
  file += rest;
  uint64_t sum = XXH3_64bits(file.data(), file.size());
  return file.append(reinterpret_cast<const char *>(&sum), sizeof(sum));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Target target;
  if (size == 0) {
    return 0;
  }
  std::string input(reinterpret_cast<const char *>(data) + 1, size - 1);
  if (data[0] == 'r') {
    load(target, input);
  } else if (data[0] == 'a') {
    try {
      SavedRun run = SavedRun::decode(input, "fuzz", 2, 5);
      if (run.answer > run.tokens.size() || run.tokens.size() < 2 ||
          run.tokens.size() > size ||
          SavedRun::decode(run.encode(), "fuzz", 2, 5).tokens != run.tokens) {
        __builtin_trap();
      }
    } catch (const Error &) {
    }
  } else {
    load(target, sealed(target, input));
  }
  return 0;
}
