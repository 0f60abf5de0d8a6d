// Texts of which strangers wrote a part: special tokens that they spell are
// text, and nothing else changes.
#include "TestSupport.h"

#include <random>

namespace cheems::test {
namespace {

Json special(const std::string &content, int id, bool normalized = false) {
  Json token = addedToken(content, id);
  token["special"] = true;
  token["normalized"] = normalized;
  return token;
}

Json withTokens(std::vector<Json> tokens) {
  Json json = byteTokenizer();
  json["added_tokens"] = tokens;
  return json;
}

/// Encodes a text in which strangers' stretches are in braces.
Ids mixed(const Tokenizer &tokenizer, const std::string &marked) {
  std::string text;
  std::vector<std::pair<size_t, size_t>> plain;
  for (char c : marked) {
    if (c == '{') {
      plain.emplace_back(text.size(), text.size());
    } else if (c == '}') {
      plain.back().second = text.size();
    } else {
      text += c;
    }
  }
  return tokenizer.encodeMixed(text, plain);
}

TEST(Mixed, onlyWhatNoStrangerHasAPartInIsASpecialToken) {
  Tokenizer tokenizer(
      withTokens({special("<e>", 259), addedToken("<n>", 260)}).dump());
  EXPECT_EQ(mixed(tokenizer, "a<e>b"), (Ids{'a', 259, 'b'}));
  EXPECT_EQ(mixed(tokenizer, "{<e>}<e>"), (Ids{'<', 'e', '>', 259}));
  for (const char *joined :
       {"{<}e>", "<{e}>", "<e{>}", "{<e}>", "<{e>}", "{<}e{>}", "{<e>}"}) {
    EXPECT_EQ(mixed(tokenizer, joined), (Ids{'<', 'e', '>'})) << joined;
  }
  // one that is not special is found in all text
  EXPECT_EQ(mixed(tokenizer, "{<n>}<{n}>"), (Ids{260, 260}));
}

TEST(Mixed, aStrangersBytesBesideASpecialTokenDoNotHideIt) {
  Tokenizer tokenizer(withTokens({special("<e>", 259), special("<e>x", 260),
                                  special("y<e", 261), special("<<e>z", 262)})
                          .dump());
  EXPECT_EQ(mixed(tokenizer, "<e>x"), (Ids{260}));
  EXPECT_EQ(mixed(tokenizer, "<e>{x}"), (Ids{259, 'x'}));
  EXPECT_EQ(mixed(tokenizer, "{y}<e>"), (Ids{'y', 259}));
  EXPECT_EQ(mixed(tokenizer, "<<e>{z}"), (Ids{'<', 259, 'z'}));
}

TEST(Mixed, whitespaceBesideASpecialTokenIsTakenAsEver) {
  Json token = special("<e>", 259);
  token["rstrip"] = token["lstrip"] = true;
  Tokenizer tokenizer(withTokens({token}).dump());
  EXPECT_EQ(mixed(tokenizer, "{a }<e>\n{ b <e> c}"),
            (Ids{'a', 259, 'b', ' ', '<', 'e', '>', ' ', 'c'}));
}

TEST(Mixed, tokensOfNormalizedTextKnowWhoWroteIt) {
  Json json = withTokens({special("</s>", 259, true)});
  auto ids = [&](const Json &normalizer, const std::string &marked) {
    json["normalizer"] = normalizer;
    return mixed(Tokenizer(json.dump()), marked);
  };
  Json lower = {{"type", "Lowercase"}};
  EXPECT_EQ(ids(lower, "A</S>{</S>}"), (Ids{'a', 259, '<', '/', 's', '>'}));
  Json replace = {
      {"type", "Replace"}, {"pattern", {{"String", "@"}}}, {"content", "</s>"}};
  EXPECT_EQ(ids(replace, "@{@}</s>"), (Ids{259, '<', '/', 's', '>', 259}));
  Json strip = {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}};
  EXPECT_EQ(ids(strip, "  </s>{</s>} "), (Ids{259, '<', '/', 's', '>'}));
  Json nfc = {{"type", "NFC"}};
  EXPECT_EQ(ids(nfc, "{e\xCC\x81}</s>{e\xCC\x81</s>}"),
            (Ids{0xC3, 0xA9, 259, 0xC3, 0xA9, '<', '/', 's', '>'}));
  EXPECT_EQ(ids(nfc, "{abc}</s>{\xC3\xA9}</s>{bc}"),
            (Ids{258, 259, 0xC3, 0xA9, 259, 257}));
  // a mark that belongs to the last letter makes another letter of it
  EXPECT_EQ(ids(nfc, "</s>{\xCC\xB8}"), (Ids{'<', '/', 's', 0xE2, 0x89, 0xAF}));
  Json all = {{"type", "Sequence"}, {"normalizers", {strip, replace, lower}}};
  EXPECT_EQ(ids(all, " {@}@{</S>}"),
            (Ids{'<', '/', 's', '>', 259, '<', '/', 's', '>'}));
  // what is prepended is no stranger's
  json = withTokens({special("@</s>", 259, true)});
  Json prepend = {{"type", "Prepend"}, {"prepend", "@"}};
  json["added_tokens"][0]["content"] = "</s>"; // normalized to @</s>
  EXPECT_EQ(ids(prepend, "</s>{x}"), (Ids{259, 'x'}));
  EXPECT_EQ(ids(prepend, "{</s>}"), (Ids{'@', '<', '/', 's', '>'}));
}

// as if no special token could be spelled there
TEST(Mixed, randomTextsBecomeTheirPlainTokens) {
  Tokenizer tokenizer(
      withTokens({special("<e>", 259), special("<ee>", 260)}).dump());
  std::mt19937 random(5);
  const char *pieces[] = {"a", "b", "c", " ", "<e>", "<ee>", "<", "e>"};
  for (int round = 0; round < 300; ++round) {
    std::string content;
    for (unsigned i = random() % 12; i > 0; --i) {
      content += pieces[random() % std::size(pieces)];
    }
    Ids expected = {259};
    for (int32_t id : tokenizer.encode("a" + content + "b", false, false)) {
      expected.push_back(id);
    }
    expected.push_back(260);
    EXPECT_EQ(mixed(tokenizer, "<e>a{" + content + "}b<ee>"), expected)
        << content;
  }
}

// Each position costs at most the longest token, however many begin alike.
TEST(Mixed, aThousandTokensThatBeginAlikeCostNoMoreThanOne) {
  std::vector<Json> tokens;
  for (int i = 0; i < 2000; ++i) {
    tokens.push_back(special("<|" + std::to_string(i) + "|>", 259 + i));
  }
  Tokenizer tokenizer(withTokens(tokens).dump());
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += "<|";
  }
  EXPECT_EQ(tokenizer.encodeMixed(text, {{0, text.size()}}).size(),
            text.size());
  EXPECT_EQ(tokenizer.encodeMixed(text, {}).size(), text.size());
}

} // namespace
} // namespace cheems::test
