// Streaming: whole characters only, and in sum what decode gives.
#include "TestSupport.h"

#include "runtime/Tokenizer/StreamingDecoder.h"
#include "runtime/Tokenizer/Utf8.h"

#include <random>

namespace cheems::test {
namespace {

constexpr const char *replacement = "\xEF\xBF\xBD";

TEST(StreamingDecoder, holdsBackHalfACharacter) {
  Tokenizer tokenizer(byteTokenizer().dump());
  StreamingDecoder stream(tokenizer, false);
  EXPECT_EQ(stream.push('a'), "a");
  EXPECT_EQ(stream.push(0xF0), "");
  EXPECT_EQ(stream.push(0x9F), "");
  EXPECT_EQ(stream.push(0x8E), "");
  EXPECT_EQ(stream.push(0x89), "🎉");
  EXPECT_EQ(stream.finish(), "");
}

TEST(StreamingDecoder, invalidBytesAreReplacedAsSoonAsTheyAreCertain) {
  Tokenizer tokenizer(byteTokenizer().dump());
  StreamingDecoder stream(tokenizer, false);
  EXPECT_EQ(stream.push(0xFF), replacement);
  EXPECT_EQ(stream.push(0xE2), "");
  EXPECT_EQ(stream.push(0x82), "");
  EXPECT_EQ(stream.push('a'), std::string(replacement) + "a");
  EXPECT_EQ(stream.push(0xE2), "");
  EXPECT_EQ(stream.finish(), replacement);
  EXPECT_EQ(stream.finish(), "");
}

TEST(StreamingDecoder, startsAfreshAfterFinish) {
  Json json = byteTokenizer();
  json["decoder"] = nullptr;
  Tokenizer tokenizer(json.dump());
  StreamingDecoder stream(tokenizer, false);
  EXPECT_EQ(stream.push('a'), "a");
  EXPECT_EQ(stream.push('b'), " b");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(stream.push('c'), "c");
}

TEST(StreamingDecoder, unknownIdLeavesItAsItWas) {
  Tokenizer tokenizer(byteTokenizer().dump());
  StreamingDecoder stream(tokenizer, false);
  stream.push(0xC3);
  EXPECT_THROW(stream.push(12345), Error);
  EXPECT_EQ(stream.push(0xA9), "é");
}

TEST(StreamingDecoder, sumIsWhatDecodeGives) {
  Tokenizer tokenizer(readData("tokenizer.json"));
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    for (bool skip : {false, true}) {
      StreamingDecoder stream(tokenizer, skip);
      Ids ids;
      std::string sum;
      for (int count = 0; count < 30; ++count) {
        ids.push_back(static_cast<int32_t>(
            random() % static_cast<unsigned>(tokenizer.vocabularySize())));
        std::string text = stream.push(ids.back());
        EXPECT_EQ(utf8::firstInvalid(text), std::string::npos);
        sum += text;
      }
      sum += stream.finish();
      ASSERT_EQ(sum, tokenizer.decode(ids, skip));
    }
  }
}

} // namespace
} // namespace cheems::test
