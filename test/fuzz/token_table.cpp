// The safetensors file of token ids that a logits run reads, from memory.
#include "runtime/Error.h"
#include "runtime/Generation/TokenTable.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view file(reinterpret_cast<const char *>(data), size);
  try {
    auto table = cheems::TokenTable::parse(file, "fuzz");
    if (table.rows < 1 || table.columns < 1 ||
        table.ids.size() != static_cast<size_t>(table.rows) *
                                static_cast<size_t>(table.columns)) {
      __builtin_trap();
    }
  } catch (const cheems::Error &) {
  }
  return 0;
}
