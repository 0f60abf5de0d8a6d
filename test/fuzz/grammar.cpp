// Grammars and schemas come from clients: any text is refused with Error or
// made to a grammar, which reads any bytes, all in bounded time and memory. The
// first byte chooses what the rest is, up to a zero byte; bytes after that are
// read.
#include "runtime/Error.h"
#include "runtime/Grammar/Automaton.h"
#include "runtime/Grammar/TokenConstraint.h"
#include "runtime/Grammar/VocabularyTrie.h"

#include <cstddef>
#include <cstdint>
#include <string>

static std::shared_ptr<const cheems::Grammar> made(uint8_t kind,
                                                   const std::string &text) {
  switch (kind % 4) {
  case 0:
    return cheems::parseGbnf(text);
  case 1:
    return cheems::jsonSchemaGrammar(text);
  case 2:
    return cheems::toolCallGrammar(text);
  default: { // a pattern, with what JSON would escape
    std::string schema = "{\"maxLength\": 40, \"pattern\": \"";
    for (char byte : text) {
      schema += byte == '"' || byte == '\\' ? "\\" : "";
      schema += byte;
    }
    return cheems::jsonSchemaGrammar(schema + "\"}");
  }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const auto trie = std::make_shared<cheems::VocabularyTrie>(
      std::vector<std::string>{"a", "\"", "{", "}", "1", ",", ":", "ab", "[",
                               "]", "\xC3", "\xA9", "{\"a\":", "\"}", "]]"},
      15);
  if (size == 0) {
    return 0;
  }
  std::string all(reinterpret_cast<const char *>(data) + 1, size - 1);
  size_t end = all.find('\0');
  try {
    auto grammar = made(data[0], all.substr(0, end));
    cheems::TokenConstraint constraint(grammar, trie);
    for (size_t at = end == all.npos ? all.size() : end + 1; at < all.size();
         ++at) {
      auto token = static_cast<int32_t>(static_cast<uint8_t>(all[at]) % 15);
      const auto &mask = constraint.mask({});
      bool allowed = (mask[0] >> token & 1) != 0;
      try {
        constraint.accept(token);
      } catch (const cheems::Error &error) {
        if (allowed && error.status != cheems::Status::usage) {
          __builtin_trap(); // the mask lied
        }
        continue;
      }
      if (!allowed) {
        __builtin_trap();
      }
    }
  } catch (const cheems::Error &) { // the only exception that may leave
  }
  return 0;
}
