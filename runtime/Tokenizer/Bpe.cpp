// Merging with a heap of candidate pairs over a linked list of symbols;
// outdated candidates are skipped when popped.
#include "runtime/Tokenizer/Bpe.h"

#include "runtime/Error.h"
#include "runtime/Tokenizer/Tokenizer.h"
#include "runtime/Tokenizer/Utf8.h"
#include "runtime/Work.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace cheems {

namespace {

using tokenizer_json::Json;
using tokenizer_json::malformed;
using tokenizer_json::shown;
using tokenizer_json::unsupported;

/// Candidates order by rank, then from the left; the heap's top is the
/// greatest, so "less" is worse.
struct Candidate {
  uint32_t rank;
  int32_t position, id;
  bool operator<(const Candidate &other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};

void checkModel(const Json &model, const std::string &where) {
  // files written before the field existed hold merges and no type
  const bool typed = tokenizer_json::find(model, "type", where) ||
                     !tokenizer_json::find(model, "merges", where);
  if (typed && tokenizer_json::typeOf(model, where) != "BPE") {
    unsupported(where, "model " + shown(tokenizer_json::typeOf(model, where)),
                "BPE");
  }
  if (const Json *dropout = tokenizer_json::find(model, "dropout", where)) {
    if (!dropout->is_number() || dropout->get<double>() != 0) {
      unsupported(where, "dropout", "null (no dropout)");
    }
  }
  for (const char *affix :
       {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (tokenizer_json::find(model, affix, where) &&
        !tokenizer_json::requireString(model, affix, where).empty()) {
      unsupported(where, affix, "null");
    }
  }
}

const Json &vocabularyOf(const Json &model, const std::string &where) {
  checkModel(model, where);
  return tokenizer_json::require(model, "vocab", where);
}

/// The two halves of a merge: ["a", "b"] or "a b"; empty where it is neither.
std::pair<std::string_view, std::string_view> halvesOf(const Json &merge) {
  auto view = [](const Json &text) -> std::string_view {
    return text.get_ref<const std::string &>();
  };
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
      merge[1].is_string()) {
    return {view(merge[0]), view(merge[1])};
  }
  if (merge.is_string()) {
    std::string_view text = view(merge);
    size_t gap = text.find(' ');
    if (gap != text.npos && text.find(' ', gap + 1) == text.npos) {
      return {text.substr(0, gap), text.substr(gap + 1)};
    }
  }
  return {};
}

} // namespace

/// A token of the word so far; `size` 0 marks one merged into its left
/// neighbour.
struct Bpe::Symbol {
  int32_t id, previous, next;
  uint32_t size;
};

Bpe::Bpe(const Json &model, const TokenTables *tables, const std::string &where)
    : words(tables ? Vocabulary(tables->tokens, where)
                   : Vocabulary(vocabularyOf(model, where), where + ".vocab")),
      merges(tables
                 ? tables->merges.size()
                 : tokenizer_json::requireArray(model, "merges", where).size()),
      fuseUnknown(
          tokenizer_json::optionalBool(model, "fuse_unk", false, where)),
      ignoreMerges(
          tokenizer_json::optionalBool(model, "ignore_merges", false, where)),
      byteFallback(
          tokenizer_json::optionalBool(model, "byte_fallback", false, where)) {
  uint32_t rank = 0;
  std::string joined;
  auto add = [&](std::string_view left, std::string_view right) {
    auto refuse = [&](const std::string &why) {
      malformed(where + ".merges[" + std::to_string(rank) + "]", why);
    };
    if (left.empty() || right.empty()) {
      refuse("a merge must be \"a b\" or [\"a\", \"b\"]");
    }
    auto idOf = [&](std::string_view token) {
      int32_t id = words.find(token);
      if (id < 0) {
        refuse("token " + shown(token) + " is not in the vocabulary");
      }
      return id;
    };
    joined.assign(left).append(right);
    int32_t leftId = idOf(left), rightId = idOf(right);
    merges.insert(leftId, rightId, {rank, idOf(joined)});
    ++rank;
  };
  if (tables) {
    checkModel(model, where);
    for (auto [left, right] : tables->merges) {
      add(left, right);
    }
  } else {
    for (const Json &merge : model["merges"]) {
      if (merge.is_string() &&
          merge.get_ref<const std::string &>().rfind("#version", 0) == 0) {
        continue;
      }
      auto [left, right] = halvesOf(merge);
      add(left, right);
    }
  }
  if (tokenizer_json::find(model, "unk_token", where)) {
    unknown = tokenizer_json::requireString(model, "unk_token", where);
    unknownId = words.find(*unknown);
  }
  for (int32_t id = 0; id < words.limit(); ++id) {
    const std::string *token = words.token(id);
    longestToken = std::max(longestToken, token ? token->size() : 0);
  }
  for (size_t byte = 0; byte < byteIds.size(); ++byte) {
    char token[8];
    std::snprintf(token, sizeof token, "<0x%02X>", static_cast<unsigned>(byte));
    byteIds[byte] = words.find(token);
  }
  for (size_t codepoint = 0; codepoint < characterIds.size(); ++codepoint) {
    std::string character;
    utf8::append(character, static_cast<char32_t>(codepoint));
    characterIds[codepoint] = words.find(character);
  }
}

int32_t Bpe::characterId(std::string_view character, char32_t codepoint) const {
  return codepoint < characterIds.size() ? characterIds[codepoint]
                                         : words.find(character);
}

std::vector<int32_t> Bpe::bytesOf(std::string_view character) const {
  std::vector<int32_t> ids;
  for (char byte : character) {
    int32_t id = byteIds[static_cast<unsigned char>(byte)];
    if (id < 0) {
      return {};
    }
    ids.push_back(id);
  }
  return ids;
}

std::vector<Bpe::Symbol> Bpe::symbolsOf(std::string_view word,
                                        size_t most) const {
  std::vector<Symbol> symbols;
  symbols.reserve(std::min(word.size(), most));
  auto add = [&](int32_t id) {
    auto index = static_cast<int32_t>(symbols.size());
    symbols.push_back({id, index - 1, index + 1, 1});
  };
  // an unk_token is held back until the next known character, past the bytes
  // of others: so the reference orders them
  bool unknownBefore = false;
  while (!word.empty() && symbols.size() < most) {
    utf8::Scan next = utf8::scan(word);
    std::string_view character = word.substr(0, next.length);
    word.remove_prefix(next.length);
    int32_t id = characterId(character, next.codepoint);
    if (id >= 0) {
      if (std::exchange(unknownBefore, false)) {
        add(unknownId);
      }
      add(id);
      continue;
    }
    if (byteFallback) {
      std::vector<int32_t> bytes = bytesOf(character);
      if (!bytes.empty()) {
        std::for_each(bytes.begin(), bytes.end(), add);
        continue;
      }
    }
    if (!unknown) {
      continue;
    }
    if (unknownId < 0) {
      throw Error("the vocabulary has no token for " + shown(character) +
                  ", nor the unk_token " + shown(*unknown) +
                  " that tokenizer.json names; take it out of the text");
    }
    if (unknownBefore && !fuseUnknown) {
      add(unknownId);
    }
    unknownBefore = true;
  }
  if (unknownBefore) {
    add(unknownId);
  }
  if (!symbols.empty()) {
    symbols.back().next = -1;
  }
  return symbols;
}

void Bpe::mergeAll(std::vector<Symbol> &symbols) const {
  std::vector<Candidate> heap;
  auto at = [&](int32_t position) -> Symbol & {
    return symbols[static_cast<size_t>(position)];
  };
  auto offer = [&](int32_t left, int32_t right) {
    const Merge *merge = merges.find(at(left).id, at(right).id);
    if (merge) {
      heap.push_back({merge->rank, left, merge->id});
    }
    return merge != nullptr;
  };
  for (size_t index = 0; index + 1 < symbols.size(); ++index) {
    offer(static_cast<int32_t>(index), static_cast<int32_t>(index) + 1);
  }
  std::make_heap(heap.begin(), heap.end());

  for (size_t step = 1; !heap.empty(); ++step) {
    Work::checkAt(step);
    std::pop_heap(heap.begin(), heap.end());
    Candidate best = heap.back();
    heap.pop_back();
    Symbol &left = at(best.position);
    if (left.size == 0 || left.next < 0) {
      continue;
    }
    Symbol &right = at(left.next);
    // one of the two may have changed since; what counts is that the pair still
    // yields the same token
    const Merge *merge = merges.find(left.id, right.id);
    if (!merge || merge->id != best.id) {
      continue;
    }
    left.id = best.id;
    left.size += right.size;
    right.size = 0;
    left.next = right.next;
    if (left.next >= 0) {
      at(left.next).previous = best.position;
    }
    if (left.previous >= 0 && offer(left.previous, best.position)) {
      std::push_heap(heap.begin(), heap.end());
    }
    if (left.next >= 0 && offer(best.position, left.next)) {
      std::push_heap(heap.begin(), heap.end());
    }
  }
}

void Bpe::tokenize(std::string_view word, size_t most,
                   std::vector<int32_t> &ids) const {
  size_t left = most - std::min(most, ids.size());
  // A word of so many symbols always has more than `left` tokens.
  size_t tooMany =
      left < SIZE_MAX / longestToken ? left * longestToken + 1 : SIZE_MAX;
  if (ignoreMerges) {
    int32_t whole = words.find(word);
    if (whole >= 0) {
      ids.push_back(whole);
      return;
    }
  }
  if (cache.find(word, ids)) {
    return;
  }
  // a candidate for each pair, for which the heap may have twice the room
  constexpr size_t perSymbol = sizeof(Symbol) + 2 * sizeof(Candidate);
  Work::Memory memory(perSymbol * std::min(word.size(), tooMany));
  std::vector<Symbol> symbols = symbolsOf(word, tooMany);
  if (symbols.size() >= tooMany) {
    throw TooManyTokens(most);
  }
  mergeAll(symbols);
  size_t first = ids.size();
  for (const Symbol &symbol : symbols) {
    if (symbol.size != 0) {
      ids.push_back(symbol.id);
    }
  }
  cache.store(word, ids.data() + first, ids.size() - first);
}

} // namespace cheems
