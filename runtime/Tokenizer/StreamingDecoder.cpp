// Bytes wait only while they are the valid beginning of a character.
#include "runtime/Tokenizer/StreamingDecoder.h"

#include "runtime/Tokenizer/Utf8.h"

namespace cheems {

std::string StreamingDecoder::push(int32_t id, bool skip) {
  tokenizer.decodeToken(id, skip, state, pending);
  std::string text;
  std::string_view rest = pending;
  while (!rest.empty()) {
    utf8::Scan next = utf8::scan(rest);
    if (next.kind == utf8::Scan::incomplete) {
      break;
    }
    utf8::appendLossy(text, rest.substr(0, next.length));
    rest.remove_prefix(next.length);
  }
  pending.erase(0, pending.size() - rest.size());
  return text;
}

std::string StreamingDecoder::finish() {
  std::string text;
  tokenizer.finishDecoding(state, pending);
  utf8::appendLossy(text, pending);
  pending.clear();
  return text;
}

} // namespace cheems
