// Chat templates are files from strangers: any text is rendered or refused with
// Error, in bounded time and memory.
#include "runtime/ChatTemplate/ChatTemplate.h"
#include "runtime/Error.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    cheems::ChatTemplate chat(
        std::string_view(reinterpret_cast<const char *>(data), size));
    chat.renderJson(
        R"({"messages": [{"role": "system", "content": " S "}, {"role": "user", "content": "Ü\n👋"},
      {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"x": [1, 2.5]}}}]}],
      "add_generation_prompt": true, "bos_token": "<s>", "tools": null, "n": 7, "items": [3, 1, [2, {"a": null}]]})",
        {20000, 1 << 20, 300, 0, 0});
  } catch (const cheems::Error &) {
  }
  return 0;
}
