// What decoding token by token carries from one token to the next.
#ifndef CHEEMS_RUNTIME_TOKENIZER_DECODESTATE_H
#define CHEEMS_RUNTIME_TOKENIZER_DECODESTATE_H

#include <cstddef>
#include <string>

namespace cheems {

/// What a text decoded token by token leaves to the next token.
struct DecodeState {
  bool started = false;  ///< whether a token came before
  std::string bytes;     ///< of byte tokens that may yet become characters
  size_t stripped = 0;   ///< characters taken from the front of the text
  bool stripping = true; ///< whether only such characters came yet
};

} // namespace cheems

#endif
