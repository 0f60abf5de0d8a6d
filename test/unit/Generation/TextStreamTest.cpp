// Tokens to text as they come.
#include "runtime/Generation/TextStream.h"
#include "TalkingArtifact.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;

namespace {

struct Stream {
  Tokenizer tokenizer{talkingTokenizer(), talkingTokenizerConfig()};
  std::vector<std::string> pieces;
  TextStream text{
      tokenizer, [this](const std::string &piece) { pieces.push_back(piece); }};
};

TEST(TextStream, neverHandsOutHalfACharacter) {
  Stream stream;
  for (int32_t token :
       std::vector<int32_t>{aToken, byteEF, byteBD, byteBD, aToken}) {
    stream.text.push(token);
  }
  stream.text.finish();
  EXPECT_THAT(stream.pieces, ElementsAre("a", "\uff7d", "a"));
}

TEST(TextStream, aCharacterCutOffBecomesTheReplacement) {
  Stream stream;
  stream.text.push(byteEF);
  stream.text.push(byteBD);
  EXPECT_TRUE(stream.pieces.empty());
  stream.text.finish();
  EXPECT_THAT(stream.pieces, ElementsAre("\ufffd"));
}

TEST(TextStream, specialTokensHaveNoText) {
  Stream stream;
  stream.text.push(eosToken);
  stream.text.finish();
  EXPECT_TRUE(stream.pieces.empty());
}

TEST(TextStream, tokensTheTokenizerLacksAreCounted) {
  Stream stream;
  stream.text.push(byteEF);
  stream.text.push(byteBD);
  stream.text.push(1000);
  stream.text.push(byteBD);
  EXPECT_THAT(stream.pieces, ElementsAre("\uff7d"));
  EXPECT_EQ(stream.text.unknown(), 1);
}

} // namespace
