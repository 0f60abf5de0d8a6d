// Searching for added tokens, with the flags that widen or reject a match.
#include "runtime/Tokenizer/AddedTokens.h"

#include "runtime/Error.h"
#include "runtime/Tokenizer/Utf8.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace cheems {

namespace {

using tokenizer_json::Json;
using tokenizer_json::malformed;
using tokenizer_json::shown;

AddedToken parseToken(const Json &entry, const std::string &where) {
  AddedToken token;
  token.content = tokenizer_json::requireString(entry, "content", where);
  token.id = tokenizer_json::tokenId(
      tokenizer_json::require(entry, "id", where), where);
  token.singleWord = tokenizer_json::requireBool(entry, "single_word", where);
  token.leftStrip = tokenizer_json::requireBool(entry, "lstrip", where);
  token.rightStrip = tokenizer_json::requireBool(entry, "rstrip", where);
  token.normalized = tokenizer_json::requireBool(entry, "normalized", where);
  token.special = tokenizer_json::requireBool(entry, "special", where);
  return token;
}

} // namespace

AddedTokens::AddedTokens(const Json *list, const Vocabulary &vocabulary,
                         const Normalizer *normalizer,
                         const std::string &where) {
  if (!list) {
    return;
  }
  if (!list->is_array()) {
    malformed(where,
              std::string("expected an array, found ") + list->type_name());
  }
  std::unordered_set<int32_t> given;
  int32_t next = vocabulary.size();
  for (const Json &entry : *list) {
    std::string at = where + "[" + std::to_string(tokens.size()) + "]";
    AddedToken token = parseToken(entry, at);
    int32_t known = vocabulary.find(token.content);
    const std::string *holder = vocabulary.token(token.id);
    if (token.content.empty()) {
      malformed(at, "the token is empty");
    }
    if (known >= 0 && known != token.id) {
      malformed(at, shown(token.content) + " has id " +
                        std::to_string(token.id) + " here and " +
                        std::to_string(known) + " in the vocabulary");
    }
    if (known < 0 && holder) {
      malformed(at, shown(token.content) + " takes id " +
                        std::to_string(token.id) + " of " + shown(*holder));
    }
    if (!byContent.emplace(token.content, tokens.size()).second) {
      malformed(at, shown(token.content) + " is listed twice");
    }
    if (!given.insert(token.id).second) {
      malformed(at, "id " + std::to_string(token.id) + " is given twice");
    }
    if (known < 0) {
      token.id = next++;
      if (const std::string *other = vocabulary.token(token.id)) {
        malformed(at, shown(token.content) + " gets id " +
                          std::to_string(token.id) + ", the next one after " +
                          std::to_string(vocabulary.size()) +
                          " tokens, but the vocabulary gives it to " +
                          shown(*other));
      }
    }
    byId.emplace(token.id, tokens.size());
    if (token.singleWord && !wordCharacter) {
      wordCharacter = Regex::oniguruma("^[\\w\\u200c\\u200d]", where);
    }
    tokens.push_back(std::move(token));
  }
  // where two normalized forms are equal a special token comes first, then the
  // order of the file decides
  for (bool special : {true, false}) {
    for (size_t index = 0; index < tokens.size(); ++index) {
      AddedToken &token = tokens[index];
      if (token.special != special) {
        continue;
      }
      std::string &text = token.decoded = token.content;
      if (token.normalized && normalizer) {
        normalizer->apply(text);
        if (text.empty()) {
          malformed(where,
                    "normalization leaves nothing of " + shown(token.content));
        }
      }
      (token.normalized ? normalizedForms : plain)
          .insert(text, static_cast<int32_t>(index));
    }
  }
  for (AddedToken &token : tokens) {
    const AddedToken *named = find(token.decoded);
    token.skipped = named && named->special;
  }
}

const AddedToken *AddedTokens::find(int32_t id) const {
  auto found = byId.find(id);
  return found == byId.end() ? nullptr : &tokens[found->second];
}

const AddedToken *AddedTokens::find(std::string_view content) const {
  auto found = byContent.find(std::string(content));
  return found == byContent.end() ? nullptr : &tokens[found->second];
}

void AddedTokens::Tree::insert(std::string_view text, int32_t token) {
  int32_t node = 0;
  for (char letter : text) {
    auto byte = static_cast<unsigned char>(letter);
    int32_t next = child(node, byte);
    if (next < 0) {
      next = static_cast<int32_t>(nodes.size());
      auto &children = nodes[static_cast<size_t>(node)].children;
      std::pair<unsigned char, int32_t> added{byte, next};
      children.insert(std::lower_bound(children.begin(), children.end(), added),
                      added);
      nodes.emplace_back();
    }
    node = next;
  }
  int32_t &holder = nodes[static_cast<size_t>(node)].token;
  if (holder < 0) {
    holder = token;
  }
}

int32_t AddedTokens::Tree::child(int32_t node, unsigned char byte) const {
  const auto &children = nodes[static_cast<size_t>(node)].children;
  auto found = std::lower_bound(children.begin(), children.end(),
                                std::pair<unsigned char, int32_t>{byte, 0});
  return found != children.end() && found->first == byte ? found->second : -1;
}

std::pair<int32_t, size_t> AddedTokens::longest(const Tree &tree,
                                                std::string_view text,
                                                size_t most) const {
  std::pair<int32_t, size_t> best{-1, 0};
  int32_t node = 0;
  for (size_t length = 0; length < text.size();) {
    node = tree.child(node, static_cast<unsigned char>(text[length++]));
    if (node < 0) {
      break;
    }
    int32_t token = tree.nodes[static_cast<size_t>(node)].token;
    if (token >= 0 &&
        (length <= most || !tokens[static_cast<size_t>(token)].special)) {
      best = {token, length};
    }
  }
  return best;
}

bool AddedTokens::isWordCharacter(std::string_view character) const {
  std::vector<TextSpan> matches;
  wordCharacter.value().findAll(character, matches);
  return !matches.empty();
}

bool AddedTokens::standsAlone(std::string_view text, TextSpan span) const {
  if (span.begin > 0) {
    size_t before = utf8::previous(text, span.begin);
    if (isWordCharacter(text.substr(before, span.begin - before))) {
      return false;
    }
  }
  if (span.end < text.size()) {
    size_t length = utf8::scan(text.substr(span.end)).length;
    return !isWordCharacter(text.substr(span.end, length));
  }
  return true;
}

std::vector<AddedTokens::Part>
AddedTokens::split(std::string_view text, bool normalized, bool parseSpecial,
                   std::string_view marks) const {
  const Tree &tree = normalized ? normalizedForms : plain;
  std::vector<Part> parts;
  size_t done = 0; // everything before is in `parts`
  for (size_t position = 0; position < text.size();) {
    std::string_view rest = text.substr(position);
    auto [index, length] = longest(tree, rest, rest.size());
    if (index >= 0 && tokens[static_cast<size_t>(index)].special &&
        !marks.empty()) {
      std::string_view matched = marks.substr(position, length);
      size_t own = matched.find('\1');
      if (own == 0) { // a byte after it may begin another one
        position += std::min(matched.find('\0'), length);
        continue;
      }
      if (own != std::string_view::npos) {
        std::tie(index, length) = longest(tree, rest, own);
      }
    }
    if (index < 0) {
      ++position;
      continue;
    }
    const AddedToken &token = tokens[static_cast<size_t>(index)];
    TextSpan match{position, position + length};
    // a rejected match is stepped over whole: what begins inside it is not
    // looked at
    position = match.end;
    if ((token.special && !parseSpecial) ||
        (token.singleWord && !standsAlone(text, match))) {
      continue;
    }
    // whitespace an earlier token took already is not there to be found again
    if (token.leftStrip) {
      match.begin = std::max(match.begin, done);
    }
    if (match.begin >= match.end) {
      continue;
    }
    while (token.leftStrip && match.begin > done) {
      size_t before = utf8::previous(text, match.begin);
      if (!utf8::isWhitespace(utf8::scan(text.substr(before)).codepoint)) {
        break;
      }
      match.begin = before;
    }
    while (token.rightStrip && match.end < text.size()) {
      utf8::Scan next = utf8::scan(text.substr(match.end));
      if (!utf8::isWhitespace(next.codepoint)) {
        break;
      }
      match.end += next.length;
    }
    if (done < match.begin) {
      parts.push_back({{done, match.begin}, -1});
    }
    parts.push_back({match, token.id});
    done = match.end;
  }
  if (done < text.size()) {
    parts.push_back({{done, text.size()}, -1});
  }
  return parts;
}

} // namespace cheems
