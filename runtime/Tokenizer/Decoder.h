// Decoders of tokenizer.json: what bytes a token adds to the text.
#ifndef CHEEMS_RUNTIME_TOKENIZER_DECODER_H
#define CHEEMS_RUNTIME_TOKENIZER_DECODER_H

#include "runtime/Tokenizer/Json.h"

#include <string>
#include <string_view>

namespace cheems {

enum class Decoder {
  joined,    ///< no decoder: tokens with a space between
  byteLevel, ///< tokens spell bytes in the byte-level alphabet
};

/// ByteLevel, or a Sequence of just that; `joined` where `component` is null.
/// Others are refused by name.
Decoder parseDecoder(const tokenizer_json::Json *component,
                     const std::string &where);

/// Appends what `token` adds; `first` is whether no token came before.
void appendDecoded(Decoder decoder, std::string_view token, bool first,
                   std::string &bytes);

} // namespace cheems

#endif
