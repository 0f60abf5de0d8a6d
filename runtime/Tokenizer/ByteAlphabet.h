// The byte-level alphabet: one printable character for each of the 256 bytes,
// as GPT-2 chose them.
#ifndef CHEEMS_RUNTIME_TOKENIZER_BYTEALPHABET_H
#define CHEEMS_RUNTIME_TOKENIZER_BYTEALPHABET_H

#include <string>
#include <string_view>

namespace cheems::byte_alphabet {

/// The UTF-8 of the character that stands for `byte` (1 or 2 bytes).
std::string_view characterOf(unsigned char byte);

/// Appends the characters that stand for `bytes`.
void appendCharacters(std::string &out, std::string_view bytes);

/// Appends the bytes `token` stands for. A token with a character outside the
/// alphabet stands for its own UTF-8.
void appendBytes(std::string &out, std::string_view token);

} // namespace cheems::byte_alphabet

#endif
