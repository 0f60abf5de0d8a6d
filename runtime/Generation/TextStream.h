// Generated tokens to text, for a reader who waits for it.
#ifndef CHEEMS_RUNTIME_GENERATION_TEXTSTREAM_H
#define CHEEMS_RUNTIME_GENERATION_TEXTSTREAM_H

#include "runtime/Text/StopStrings.h"
#include "runtime/Tokenizer/StreamingDecoder.h"
#include <cstdint>
#include <functional>
#include <string>

namespace cheems {

class TextStream {
public:
  /// `receive` gets whole characters, never an empty text, and nothing from the
  /// first stop string on.
  TextStream(const Tokenizer &tokenizer,
             std::function<void(const std::string &)> receive,
             std::vector<std::string> stopStrings = {})
      : decoder(tokenizer, /*skipSpecial=*/true), stops(std::move(stopStrings)),
        receive(std::move(receive)) {}

  /// A token that the tokenizer does not have, from a row of the embedding that
  /// was only added to round its size up, has no text; `unknown` counts them.
  void push(int32_t token);
  /// The same for a token whose text was handed out before; what waits for the
  /// rest of a character still does.
  void skip(int32_t token);
  /// Hands out what was waiting for the rest of a character or a stop string.
  void finish() {
    hand(stops.push(decoder.finish()));
    hand(stops.finish());
  }
  /// Whether a stop string came.
  bool stopped() const { return stops.found().has_value(); }
  int64_t unknown() const { return unknownCount; }

private:
  void hand(const std::string &text) {
    if (!text.empty()) {
      receive(text);
    }
  }

  StreamingDecoder decoder;
  StopStrings stops;
  std::function<void(const std::string &)> receive;
  int64_t unknownCount = 0;
};

} // namespace cheems

#endif
