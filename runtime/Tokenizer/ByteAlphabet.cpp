// Printable Latin-1 bytes stand for themselves. The other 68 bytes, in
// ascending order, are written as U+0100 and up.
#include "runtime/Tokenizer/ByteAlphabet.h"

#include "runtime/Tokenizer/Utf8.h"

#include <array>

namespace cheems::byte_alphabet {

namespace {

struct Tables {
  std::array<std::string, 256> characters;
  std::array<int, 0x144> bytes; ///< by code point; -1 outside the alphabet

  Tables() {
    bytes.fill(-1);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      bool printable = (byte >= 0x21 && byte <= 0x7E) ||
                       (byte >= 0xA1 && byte <= 0xAC) ||
                       (byte >= 0xAE && byte <= 0xFF);
      char32_t codepoint = printable ? static_cast<char32_t>(byte) : next++;
      utf8::append(characters[byte], codepoint);
      bytes[codepoint] = byte;
    }
  }
};

const Tables &tables() {
  static const Tables instance;
  return instance;
}

} // namespace

std::string_view characterOf(unsigned char byte) {
  return tables().characters[byte];
}

void appendCharacters(std::string &out, std::string_view bytes) {
  const Tables &table = tables();
  for (char byte : bytes) {
    out += table.characters[static_cast<unsigned char>(byte)];
  }
}

void appendBytes(std::string &out, std::string_view token) {
  const Tables &table = tables();
  size_t start = out.size();
  for (std::string_view rest = token; !rest.empty();) {
    utf8::Scan next = utf8::scan(rest);
    if (next.kind != utf8::Scan::character ||
        next.codepoint >= table.bytes.size() ||
        table.bytes[next.codepoint] < 0) {
      out.resize(start);
      out += token;
      return;
    }
    out.push_back(static_cast<char>(table.bytes[next.codepoint]));
    rest.remove_prefix(next.length);
  }
}

} // namespace cheems::byte_alphabet
