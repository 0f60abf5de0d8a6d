// Any bytes as tokenizer.json: loading, encoding and decoding end well or in
// cheems::Error, and what was encoded decodes token by token to what it decodes
// to at once.
#include "runtime/Error.h"
#include "runtime/Tokenizer/StreamingDecoder.h"

#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view json(reinterpret_cast<const char *>(data), size);
  try {
    cheems::Tokenizer tokenizer(json, R"({"bos_token": null})");
    for (const char *text :
         {"", "a",
          "ab  abc'S 12\n\xC3\xA9<s>e\xCC\x81\xF0\x9F\x8E\x89 aaaaaaaaaaaab"}) {
      try {
        std::vector<int32_t> ids = tokenizer.encode(text, true);
        tokenizer.encode(text, false, false);
        cheems::StreamingDecoder stream(tokenizer, true);
        std::string sum;
        for (int32_t id : ids) {
          sum += stream.push(id);
        }
        sum += stream.finish();
        if (sum != tokenizer.decode(ids, true)) {
          std::abort();
        }
      } catch (const cheems::Error &) {
        continue;
      }
    }
  } catch (const cheems::Error &) {
    return 0;
  }
  return 0;
}
