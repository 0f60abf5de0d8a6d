// Token ids to text one at a time: whole characters as soon as they are whole.
#ifndef CHEEMS_RUNTIME_TOKENIZER_STREAMINGDECODER_H
#define CHEEMS_RUNTIME_TOKENIZER_STREAMINGDECODER_H

#include "runtime/Tokenizer/DecodeState.h"
#include "runtime/Tokenizer/Tokenizer.h"

#include <string>

namespace cheems {

/// The texts that push and finish return, joined, are what Tokenizer::decode
/// gives for all the ids. One thread at a time; the tokenizer must outlive it.
class StreamingDecoder {
public:
  StreamingDecoder(const Tokenizer &tokenizer, bool skipSpecial)
      : tokenizer(tokenizer), skipSpecial(skipSpecial) {}

  /// The text that is complete now, possibly none. Bytes that no later token
  /// can make valid come out as U+FFFD. Throws Error naming an id that is no
  /// token, and is then as before the call.
  std::string push(int32_t id) { return push(id, skipSpecial); }
  /// The same for one token that is left out, or is not, whatever the others
  /// are.
  std::string push(int32_t id, bool skip);

  /// What is left: U+FFFD for a character cut off, else nothing. Starts afresh.
  std::string finish();

private:
  const Tokenizer &tokenizer;
  bool skipSpecial;
  DecodeState state;
  std::string pending; ///< the start of a character: at most 3 bytes
};

} // namespace cheems

#endif
