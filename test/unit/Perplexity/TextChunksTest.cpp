#include "runtime/Perplexity/TextChunks.h"
#include "runtime/Error.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Letters a to d are tokens 0 to 3, <s> is 4; it stands before a prompt if
/// `begins`.
Tokenizer letters(bool begins) {
  std::string processor = begins ? R"({"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                   {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}},
                 {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [4],
                                   "tokens": ["<s>"]}}})"
                                 : "null";
  return Tokenizer(R"({"version": "1.0",
    "added_tokens": [{"id": 4, "content": "<s>", "single_word": false,
                      "lstrip": false, "rstrip": false, "normalized": false,
                      "special": true}],
    "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false,
                      "trim_offsets": true, "use_regex": true},
    "post_processor": )" +
                       processor + R"(,
    "decoder": {"type": "ByteLevel", "add_prefix_space": true,
                "trim_offsets": true, "use_regex": true},
    "model": {"type": "BPE", "dropout": null, "unk_token": null,
              "continuing_subword_prefix": null, "end_of_word_suffix": null,
              "fuse_unk": false, "byte_fallback": false,
              "ignore_merges": false,
              "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "<s>": 4},
              "merges": []}})",
                   R"({"bos_token": "<s>"})");
}

TEST(TextChunks, whatFillsNoChunkIsLeftOut) {
  TextChunks chunks = chunksOf(letters(false), "abcdabcdab", "t", 4, 0);
  EXPECT_EQ(chunks.count(), 2);
  EXPECT_THAT(chunks.tokens, ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_EQ(chunks.chunk(1), chunks.tokens.data() + 4);
}

TEST(TextChunks, theSecondHalfCountsAndItsLastTokenPredictsNothing) {
  TextChunks chunks = chunksOf(letters(false), "abcdabcdabcd", "t", 6, 0);
  EXPECT_EQ(chunks.firstScored(), 3);
  EXPECT_EQ(chunks.scored(), 2 * 2);
}

TEST(TextChunks, eachBeginsWithTheTokenThatBeginsAPrompt) {
  TextChunks chunks = chunksOf(letters(true), "abcdabcda", "t", 4, 0);
  // the text's own tokens are shifted by the first <s>, as in llama-perplexity
  EXPECT_THAT(chunks.tokens, ElementsAre(4, 0, 1, 2, 4, 0, 1, 2));
}

TEST(TextChunks, atMostAsManyAsAskedFor) {
  EXPECT_EQ(chunksOf(letters(false), "abcdabcdabcd", "t", 4, 2).count(), 2);
  EXPECT_EQ(chunksOf(letters(false), "abcdabcdabcd", "t", 4, 9).count(), 3);
}

TEST(TextChunks, aTextThatFillsNoneIsRefused) {
  try {
    chunksOf(letters(false), "abc", "short.txt", 4, 0);
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("short.txt: its 3 tokens do not fill a "
                                        "chunk of 4"));
  }
}

} // namespace
