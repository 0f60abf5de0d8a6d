// Text to token ids and back, as the model's tokenizer.json says (Hugging
// Face's format, byte-pair models).
//
// What the file asks for is done exactly or refused by name when it is loaded:
// nothing is approximated.
#ifndef CHEEMS_RUNTIME_TOKENIZER_TOKENIZER_H
#define CHEEMS_RUNTIME_TOKENIZER_TOKENIZER_H

#include "runtime/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cheems {

struct DecodeState;

/// A text has more tokens than its caller takes.
struct TooManyTokens : Error {
  explicit TooManyTokens(size_t most)
      : Error(Status::usage,
              "the text has more than " + std::to_string(most) + " tokens") {}
};

/// Immutable once loaded; every const member may be called from several
/// threads.
class Tokenizer {
public:
  /// Loads from the text of tokenizer.json and, where there is one, of
  /// tokenizer_config.json (which names the bos, eos and pad tokens). Both are
  /// copied. Throws Error: `unsupported` naming a component it does not know,
  /// `failed` naming the place of a malformed one.
  explicit Tokenizer(std::string_view tokenizerJson,
                     std::string_view configJson = {});
  ~Tokenizer();
  Tokenizer(Tokenizer &&) noexcept;
  Tokenizer &operator=(Tokenizer &&) noexcept;

  /// The ids of `text`. `addSpecialTokens` puts the template's tokens around it
  /// (bos, say). Special tokens spelled out in the text become their id, unless
  /// `parseSpecialTokens` is false: then their letters are plain text. Throws
  /// Error for invalid UTF-8 (with the byte offset) and for text of 2 GiB or
  /// more, and TooManyTokens as soon as it is sure that there are more than
  /// `most`, which takes time and memory of that order alone. It is a part of
  /// the thread's Work.
  std::vector<int32_t> encode(std::string_view text, bool addSpecialTokens,
                              bool parseSpecialTokens = true,
                              size_t most = SIZE_MAX) const;

  /// The same without tokens around the text, where `plain` are stretches of
  /// it, [begin, end) in order, that strangers wrote: letters are read as a
  /// special token only if none of them is in such a stretch. All other text
  /// becomes the tokens that it becomes above.
  std::vector<int32_t>
  encodeMixed(std::string_view text,
              const std::vector<std::pair<size_t, size_t>> &plain,
              size_t most = SIZE_MAX) const;

  /// The text of `ids`, always valid UTF-8: bytes that are not become U+FFFD.
  /// `skipSpecial` leaves special tokens out. Throws Error naming an id that is
  /// no token.
  std::string decode(const std::vector<int32_t> &ids, bool skipSpecial) const;

  /// The same, with the bytes as they are.
  std::string decodeBytes(const std::vector<int32_t> &ids,
                          bool skipSpecial) const;

  /// The bytes that `id` adds to a text, after other tokens; a part of a
  /// character where a token is one. Special tokens are their names. Throws
  /// Error naming an id that is no token.
  std::string tokenBytes(int32_t id) const;

  /// Appends the bytes `id` adds after earlier tokens, of which `state` keeps
  /// what counts; and after the last one, what still waited. What
  /// StreamingDecoder is made of.
  void decodeToken(int32_t id, bool skipSpecial, DecodeState &state,
                   std::string &bytes) const;
  void finishDecoding(DecodeState &state, std::string &bytes) const;

  /// The token as the vocabulary spells it (byte-level alphabet); lives as long
  /// as the tokenizer. Throws Error naming an id that is no token.
  const std::string &idToToken(int32_t id) const;
  /// The id of a token spelled that way.
  std::optional<int32_t> tokenToId(std::string_view token) const;
  bool isSpecial(int32_t id) const;

  /// One past the largest id.
  int32_t vocabularySize() const;

  /// The ids are those that tokenizer_config.json names.
  std::optional<int32_t> bosId() const;
  std::optional<int32_t> eosId() const;
  std::optional<int32_t> padId() const;

private:
  /// `marks`: see AddedTokens::split.
  void appendIds(std::string_view text, bool parseSpecial,
                 std::string_view marks, size_t most,
                 std::vector<int32_t> &ids) const;

  struct Parts;
  std::unique_ptr<const Parts> parts;
};

} // namespace cheems

#endif
