// Artefacts around the stand-in that generates, with a tokenizer and a chat
// template of their own.
#ifndef CHEEMS_TEST_UNIT_GENERATION_TALKINGARTIFACT_H
#define CHEEMS_TEST_UNIT_GENERATION_TALKINGARTIFACT_H

#include "../Artifact/FakeArtifact.h"
#include "runtime/Artifact/Model.h"
#include <memory>
#include <string>

namespace cheems::test {

/// Ids of talkingTokenizer(). U+FF7D is three tokens, a byte each: EF BD BD; so
/// is the replacement character: EF BF BD.
enum TalkingToken : int32_t {
  bosToken,
  eosToken,
  userToken,
  botToken,
  aToken,
  byteEF = 12,
  byteBD = 13,
  abToken = 15
};

/// tokenizer.json of the 16 tokens; BOS goes before every prompt.
std::string talkingTokenizer();
/// tokenizer_config.json.
std::string talkingTokenizerConfig();
/// Writes BOS itself, `<user>` and `<bot>` before messages.
std::string talkingTemplate();

/// Metadata: context 256, eos `eosToken`; `window` keys kept (0: all). Greedy
/// by default.
FakeArtifact talkingArtifact(int64_t window = 0);
/// Replaces a text section; an empty text removes it.
void setText(FakeArtifact &artifact, const std::string &section,
             const std::string &text);
std::shared_ptr<const Model> load(const FakeArtifact &artifact);

} // namespace cheems::test

#endif
