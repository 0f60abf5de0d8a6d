// The byte-pair model: order of merges, its options, and its cost.
#include "TestSupport.h"
#include "runtime/Work.h"

#include <chrono>

namespace cheems::test {
namespace {

TEST(Bpe, lowerRankMergesFirstThenLeftmost) {
  // a b c: (a, b) outranks (b, c), then (ab, c)
  EXPECT_EQ(encode(byteTokenizer(), "abc"), (Ids{258}));
  EXPECT_EQ(encode(byteTokenizer(), "bcab"), (Ids{257, 256}));
  EXPECT_EQ(encode(byteTokenizer(), "xabx"), (Ids{'x', 256, 'x'}));
  Json json = byteTokenizer();
  json["model"]["merges"] = Json::parse(R"([["b", "c"], ["a", "b"]])");
  EXPECT_EQ(encode(json, "abc"), (Ids{'a', 257}));
}

TEST(Bpe, mergesMayBeStrings) {
  Json json = byteTokenizer();
  json["model"]["merges"] = {"#version: 0.2", "a b", "b c", "ab c"};
  EXPECT_EQ(encode(json, "abc"), (Ids{258}));
}

TEST(Bpe, ignoreMergesTakesWholeWordsFromTheVocabulary) {
  Json json = byteTokenizer();
  json["model"]["merges"] = Json::array();
  EXPECT_EQ(encode(json, "abc"), (Ids{'a', 'b', 'c'}));
  json["model"]["ignore_merges"] = true;
  EXPECT_EQ(encode(json, "abc"), (Ids{258}));
  EXPECT_EQ(encode(json, "abcx"), (Ids{'a', 'b', 'c', 'x'}));
}

TEST(Bpe, modelWithoutTypeIsBytePairWhenItHasMerges) {
  Json json = byteTokenizer();
  json["model"].erase("type");
  EXPECT_EQ(encode(json, "ab"), (Ids{256}));
}

TEST(Bpe, unknownCharactersBecomeUnkToken) {
  Json json = byteTokenizer();
  json["model"]["vocab"].erase("z");
  json["model"]["vocab"]["<unk>"] = 300;
  json["model"]["unk_token"] = "<unk>";
  EXPECT_EQ(encode(json, "zzab"), (Ids{300, 300, 256}));
  json["model"]["fuse_unk"] = true;
  EXPECT_EQ(encode(json, "zzabz"), (Ids{300, 256, 300}));
}

TEST(Bpe, unknownCharacterWithoutUnkTokenIsDropped) {
  Json json = byteTokenizer();
  json["model"]["vocab"].erase("z");
  EXPECT_EQ(encode(json, "zazbz"), (Ids{256}));
  EXPECT_EQ(encode(json, "z"), Ids{});
}

TEST(Bpe, unknownCharacterBecomesItsBytesIfAllAreTokens) {
  Json json = byteTokenizer();
  json["pre_tokenizer"] = nullptr;
  json["model"]["byte_fallback"] = true;
  json["model"]["unk_token"] = "x";
  auto &vocabulary = json["model"]["vocab"];
  vocabulary["<0xE6>"] = 300;
  vocabulary["<0x97>"] = 301;
  vocabulary["<0xA5>"] = 302;
  EXPECT_EQ(encode(json, "a日b"), (Ids{'a', 300, 301, 302, 'b'}));
  EXPECT_EQ(encode(json, "a本b"), (Ids{'a', 'x', 'b'}));
  // an unk_token comes after the bytes of the characters that follow it
  EXPECT_EQ(encode(json, "本日本a"), (Ids{300, 301, 302, 'x', 'x', 'a'}));
  json["model"]["fuse_unk"] = true;
  EXPECT_EQ(encode(json, "本日本a"), (Ids{300, 301, 302, 'x', 'a'}));
}

TEST(Bpe, unkTokenThatIsNoTokenIsAnErrorWhereItIsNeeded) {
  Json json = byteTokenizer();
  json["model"]["vocab"].erase("z");
  json["model"]["unk_token"] = "<unk>";
  Tokenizer tokenizer(json.dump());
  EXPECT_EQ(tokenizer.encode("ab", false), (Ids{256}));
  try {
    tokenizer.encode("abz", false);
    FAIL() << "a character was dropped";
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("\"z\""),
                                             testing::HasSubstr("<unk>")));
  }
}

TEST(Bpe, repeatedWordsComeOutAlike) {
  Tokenizer tokenizer(byteTokenizer().dump());
  Ids first = tokenizer.encode("xabcy", false);
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(tokenizer.encode("xabcy", false), first);
  }
}

// Quadratic merging would need 10^10 steps here.
TEST(Bpe, longRunIsNotQuadratic) {
  Json json = byteTokenizer();
  std::string piece = "a";
  Json merges = Json::array();
  for (int id = 300; id < 310; ++id) {
    merges.push_back({piece, piece});
    piece += piece;
    json["model"]["vocab"][piece] = id;
  }
  json["model"]["merges"] = merges;
  Tokenizer tokenizer(json.dump());
  auto start = std::chrono::steady_clock::now();
  Ids ids = tokenizer.encode(std::string(1 << 18, 'a'), false);
  EXPECT_EQ(ids, Ids(256, 309));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Bpe, longRunOfSpacesIsNotQuadratic) {
  Tokenizer tokenizer(readData("tokenizer.json"));
  std::string text = std::string(300'000, ' ') + "x";
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, false), false), text);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Bpe, optionsItDoesNotKnowAreRefusedByName) {
  auto with = [](const char *field, Json value) {
    Json json = byteTokenizer();
    json["model"][field] = std::move(value);
    return json;
  };
  expectUnsupported(with("type", "Unigram"), "\"Unigram\"");
  expectUnsupported(with("dropout", 0.1), "dropout");
  expectUnsupported(with("continuing_subword_prefix", "##"),
                    "continuing_subword_prefix");
  expectUnsupported(with("end_of_word_suffix", "</w>"), "end_of_word_suffix");
  EXPECT_EQ(encode(with("dropout", 0.0), "ab"), (Ids{256}));
  EXPECT_EQ(encode(with("end_of_word_suffix", ""), "ab"), (Ids{256}));
}

TEST(Bpe, aWordThatHasTooManyTokensTakesLittleMemory) {
  Tokenizer tokenizer(byteTokenizer().dump());
  constexpr size_t size = 4 << 20;
  std::string word(size, 'a');
  auto share = std::make_shared<BudgetShare>(
      std::make_shared<Budget>(UINT64_MAX), 6 * size);
  Work work(std::chrono::minutes(1), share);
  Work::Scope scope(work);
  EXPECT_THROW(tokenizer.encode(word, false, true, 1000), TooManyTokens);
  EXPECT_THROW(tokenizer.encode(word, false), WorkStopped);
  EXPECT_EQ(share->bytes(), 0u);
}

TEST(Bpe, aTextIsLeftWhereTheWorkIsCancelled) {
  Tokenizer tokenizer(byteTokenizer().dump());
  Work work(std::chrono::minutes(1), nullptr);
  Work::Scope scope(work);
  EXPECT_EQ(tokenizer.encode("abc", false), (Ids{258}));
  work.cancel();
  EXPECT_THROW(tokenizer.encode("abc", false), WorkStopped);
}

} // namespace
} // namespace cheems::test
