// Both decoders work token by token, so text can be streamed.
#include "runtime/Tokenizer/Decoder.h"

#include "runtime/Tokenizer/ByteAlphabet.h"

namespace cheems {

namespace {

Decoder parsePart(const tokenizer_json::Json &component,
                  const std::string &where, int depth) {
  const std::string &type = tokenizer_json::typeOf(component, where);
  if (type == "ByteLevel") {
    return Decoder::byteLevel;
  }
  if (type == "Sequence") {
    if (depth == tokenizer_json::maximumDepth) {
      tokenizer_json::malformed(where, "Sequences nest too deeply");
    }
    const auto &parts =
        tokenizer_json::requireArray(component, "decoders", where);
    Decoder decoder = Decoder::joined;
    for (const auto &part :
         parts) { // all of them, so that an unknown one is named
      decoder = parsePart(part, where, depth + 1);
    }
    if (parts.size() != 1) {
      tokenizer_json::unsupported(
          where, "a Sequence of " + std::to_string(parts.size()) + " decoders",
          "a Sequence of one ByteLevel");
    }
    return decoder;
  }
  tokenizer_json::unsupported(where, "decoder " + tokenizer_json::shown(type),
                              "ByteLevel, Sequence");
}

} // namespace

Decoder parseDecoder(const tokenizer_json::Json *component,
                     const std::string &where) {
  return component ? parsePart(*component, where, 0) : Decoder::joined;
}

void appendDecoded(Decoder decoder, std::string_view token, bool first,
                   std::string &bytes) {
  switch (decoder) {
  case Decoder::joined:
    bytes += first ? "" : " ";
    bytes += token;
    break;
  case Decoder::byteLevel:
    byte_alphabet::appendBytes(bytes, token);
    break;
  }
}

} // namespace cheems
