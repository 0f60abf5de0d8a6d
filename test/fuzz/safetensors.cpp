// Weight files and shard indices from memory: whatever is accepted can be read
// to its last element.
#include "cheems/Import/SafeTensors.h"
#include "lib/Import/WeightFiles.h"

using namespace cheems;

static void readTensors(llvm::StringRef bytes) {
  auto file = SafeTensorsFile::parse(
      llvm::MemoryBuffer::getMemBufferCopy(bytes), "fuzz");
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  size_t covered = 0;
  for (const TensorView &view : file->tensors()) {
    covered += view.bytes.size();
    if (static_cast<size_t>(view.elements() * byteSize(view.type)) !=
            view.bytes.size() ||
        file->find(view.name) != &view) {
      __builtin_trap();
    }
    if (view.elements() > 0) {
      view.at(0);
      view.at(view.elements() - 1);
    }
  }
  if (covered > bytes.size()) {
    __builtin_trap(); // tensors overlap
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  llvm::StringRef input(reinterpret_cast<const char *>(data) + 1, size - 1);
  if (data[0] == 'r') {
    readTensors(input); // a whole file as it is
  } else if (data[0] == 'i') {
    auto shards = parseShardIndex(input, "fuzz");
    if (!shards) {
      llvm::consumeError(shards.takeError());
      return 0;
    }
    for (const auto &entry : *shards) {
      if (llvm::StringRef(entry.second).contains('/')) {
        __builtin_trap();
      }
    }
  } else {
    // a header whose length is right, and 64 bytes of data, so that mutations
    // reach the tensors
    std::string file;
    for (int i = 0; i < 8; ++i) {
      file.push_back(
          static_cast<char>(static_cast<uint64_t>(input.size()) >> (8 * i)));
    }
    readTensors(file + input.str() + std::string(64, '\x3c'));
  }
  return 0;
}
