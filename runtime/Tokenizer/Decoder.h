// Decoders of tokenizer.json: what bytes a token adds to the text.
#ifndef CHEEMS_RUNTIME_TOKENIZER_DECODER_H
#define CHEEMS_RUNTIME_TOKENIZER_DECODER_H

#include "runtime/Tokenizer/DecodeState.h"
#include "runtime/Tokenizer/Json.h"
#include "runtime/Tokenizer/Regex.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

class Decoder {
public:
  /// ByteLevel, ByteFallback, Fuse, Metaspace, Replace, Strip and Sequences of
  /// them in orders that work token by token; where `component` is null, tokens
  /// stand with a space between. Others are refused by name.
  static Decoder make(const tokenizer_json::Json *component,
                      const std::string &where);

  /// Appends what `token` adds after the tokens before.
  void push(DecodeState &state, std::string_view token,
            std::string &text) const;
  /// Appends what waited for another token.
  void finish(DecodeState &state, std::string &text) const;

private:
  struct Stage {
    enum Kind {
      byteLevel,    ///< tokens spell bytes in the byte-level alphabet
      byteFallback, ///< tokens like <0x0A> are bytes
      metaspace,    ///< marks are spaces, or nothing in the first token
      replace,
      stripToken, ///< from the front of every token
      stripText,  ///< from the front of the whole text
    } kind;
    std::optional<Regex> pattern; ///< of `replace`
    std::string content;          ///< of `replace`; the character of the others
    size_t count = 0;             ///< how many characters `strip…` takes
    bool bare = false; ///< `metaspace`: the first token's marks are nothing
  };

  void parse(const tokenizer_json::Json &component, const std::string &where,
             int depth);
  void add(Stage stage, const std::string &type, const std::string &where);
  void run(size_t stage, DecodeState &state, std::string_view token,
           std::string &text) const;
  /// What the bytes in `state` are: their characters, or a U+FFFD for each.
  void flush(size_t stage, DecodeState &state, std::string &text) const;

  std::vector<Stage> stages;
  bool joined = false; ///< no decoder
  bool fused = false;  ///< while parsing: tokens are one text from here
};

} // namespace cheems

#endif
