#include "runtime/Process/PlainText.h"

namespace cheems {

/// Bytes that belong to the character which begins with `lead`.
static size_t followers(unsigned char lead) {
  return lead < 0xc2   ? 0
         : lead < 0xe0 ? 1
         : lead < 0xf0 ? 2
         : lead < 0xf5 ? 3
                       : 0;
}

std::string withoutControls(std::string_view text, std::string_view kept,
                            std::string_view replacement) {
  auto secondHalf = [](char c) { // of C1 in Latin-1, and after C2 in UTF-8
    return static_cast<unsigned char>(c) >= 0x80 &&
           static_cast<unsigned char>(c) < 0xa0;
  };
  std::string result;
  size_t open = 0; // bytes that the character begun may still have
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    auto byte = static_cast<unsigned char>(c);
    if (open != 0 && (byte & 0xc0) == 0x80) {
      --open;
      result += c;
      continue;
    }
    open = followers(byte);
    bool twoBytes =
        byte == 0xc2 && i + 1 < text.size() && secondHalf(text[i + 1]);
    if (twoBytes || byte < 0x20 || byte == 0x7f || secondHalf(c)) {
      result +=
          kept.find(c) != kept.npos ? std::string_view(&c, 1) : replacement;
      open = 0;
      i += twoBytes;
    } else {
      result += c;
    }
  }
  return result;
}

} // namespace cheems
