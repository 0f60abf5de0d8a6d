// The tables read by themselves are those of the document, and anything
// unusual is left to the document.
#include "runtime/Tokenizer/TokenTables.h"
#include "runtime/Tokenizer/Json.h"
#include "runtime/Tokenizer/Tokenizer.h"
#include <cstring>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace cheems;
using testing::ElementsAre;
using testing::Pair;

namespace {

std::string file(const std::string &vocab, const std::string &merges,
                 const std::string &more = "") {
  return R"({"version": "1.0", "x": {"model": [1, "}"]}, "model": {"type": "BPE", "vocab": )" +
         vocab + R"(, "merges" : )" + merges + more + "}, \"last\": null}\n";
}

TEST(TokenTables, holdWhatTheDocumentHolds) {
  std::string text = file("{ \"a\": 0,\n \"b\" :1, \"\xC4\xA0\": 20, "
                          R"("\"": 3, "\\\u00e9": 4})",
                          R"([["a", "b"], [ "\"" , "a" ], "b a"])");
  std::optional<TokenTables> tables = TokenTables::read(text);
  ASSERT_TRUE(tables);
  EXPECT_THAT(tables->tokens,
              ElementsAre(Pair("a", 0), Pair("b", 1), Pair("\xC4\xA0", 20),
                          Pair("\"", 3), Pair("\\\xC3\xA9", 4)));
  EXPECT_THAT(tables->merges,
              ElementsAre(Pair("a", "b"), Pair("\"", "a"), Pair("b", "a")));
  using tokenizer_json::Json;
  Json whole = Json::parse(text), rest = Json::parse(tables->rest);
  for (auto [token, id] : tables->tokens) {
    EXPECT_EQ(whole["model"]["vocab"][std::string(token)], id);
  }
  whole["model"]["vocab"] = Json::object();
  whole["model"]["merges"] = Json::array();
  EXPECT_EQ(rest, whole);
}

TEST(TokenTables, mayBeEmpty) {
  std::optional<TokenTables> tables = TokenTables::read(file("{}", "[ ]"));
  ASSERT_TRUE(tables);
  EXPECT_TRUE(tables->tokens.empty());
  EXPECT_TRUE(tables->merges.empty());
}

TEST(TokenTables, anythingUnusualIsLeftToTheDocument) {
  const std::string vocab = R"({"a": 0, "b": 1})", merges = R"([["a", "b"]])";
  ASSERT_TRUE(TokenTables::read(file(vocab, merges)));
  for (const char *odd :
       {R"({"a": -1})", R"({"a": 1.0})", R"({"a": 01})",
        R"({"a": 99999999999})", R"({"a": 4194304})", R"({"a": "1"})",
        R"({"a": null})", R"({"a": 1,})", R"({"a" 1})", R"({"\x": 1})",
        R"(["a"])", "{\"\xFF\": 1}", "{\"a\nb\": 1}", "null", "{\"a\": 1"}) {
    EXPECT_FALSE(TokenTables::read(file(odd, merges))) << odd;
  }
  for (const char *odd :
       {R"(["ab"])", R"(["a b c"])", R"([["a"]])", R"([["a", "b", "c"]])",
        R"([["a", ""]])", R"(["#version: 1"])", R"([1])", R"([["a", 1]])",
        R"([["a", "b"],])", "{}", "null", R"([["a", "b"])"}) {
    EXPECT_FALSE(TokenTables::read(file(vocab, odd))) << odd;
  }
  EXPECT_FALSE(TokenTables::read(file(vocab, merges, R"(, "vocab": {})")));
  EXPECT_FALSE(TokenTables::read(file(vocab, merges) + "x"));
  EXPECT_FALSE(
      TokenTables::read(R"({"model": {}, )" + file(vocab, merges).substr(1)));
  EXPECT_FALSE(TokenTables::read(R"({"model": {"vocab": {}}})"));
  EXPECT_FALSE(TokenTables::read("{\"model"));
  EXPECT_FALSE(TokenTables::read(""));
  std::string text = file(vocab, merges);
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(TokenTables::read(std::string_view(text).substr(0, size)));
  }
}

/// A page that ends where a read faults.
class GuardedPage {
public:
  GuardedPage()
      : size(static_cast<size_t>(sysconf(_SC_PAGESIZE))),
        begin(
            static_cast<char *>(mmap(nullptr, 2 * size, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(begin + size, size, PROT_NONE);
  }
  ~GuardedPage() { munmap(begin, 2 * size); }
  /// `text` with nothing readable after it.
  std::string_view end(std::string_view text) {
    char *place = begin + size - text.size();
    std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
  }

private:
  size_t size;
  char *begin;
};

TEST(TokenTables, aFileCutAnywhereIsNotReadPastItsEnd) {
  GuardedPage page;
  std::string text =
      file(R"({"a": 0, "\u0062":12})", R"([["a", "\u0062"], "a b"])");
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(
        TokenTables::read(page.end(std::string_view(text).substr(0, size))));
  }
}

TEST(TokenTables, ofTwoEqualTokensTheLastCounts) {
  Tokenizer tokenizer(file(R"({"a": 0, "b": 1, "a": 7})", "[]"), "");
  EXPECT_THAT(tokenizer.encode("ab", false), ElementsAre(7, 1));
}

} // namespace
