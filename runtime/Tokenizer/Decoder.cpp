// The stages hand a token on to each other, so text can be streamed. The
// reference runs each over all tokens; orders in which that gives another text
// are refused.
#include "runtime/Tokenizer/Decoder.h"

#include "runtime/Tokenizer/ByteAlphabet.h"
#include "runtime/Tokenizer/Utf8.h"

#include <algorithm>
#include <cctype>

namespace cheems {

namespace {

using tokenizer_json::Json;
using tokenizer_json::unsupported;

std::string oneCharacter(const Json &component, const char *field,
                         const std::string &where) {
  std::string text = tokenizer_json::requireString(component, field, where);
  if (text.empty() || utf8::scan(text).length != text.size()) {
    tokenizer_json::malformed(where, std::string(field) +
                                         " must be one character, not " +
                                         tokenizer_json::shown(text));
  }
  return text;
}

size_t count(const Json &component, const char *field,
             const std::string &where) {
  return static_cast<size_t>(tokenizer_json::tokenId(
      tokenizer_json::require(component, field, where), where));
}

/// The byte that a token like <0x0A> is, or -1.
int byteOf(std::string_view token) {
  if (token.size() != 6 || token.substr(0, 3) != "<0x" || token[5] != '>' ||
      !std::isxdigit(static_cast<unsigned char>(token[3])) ||
      !std::isxdigit(static_cast<unsigned char>(token[4]))) {
    return -1;
  }
  return std::stoi(std::string(token.substr(3, 2)), nullptr, 16);
}

/// How many bytes at the front of `text` are `character`, at most `most` times;
/// `times` counts on.
size_t frontLength(std::string_view text, std::string_view character,
                   size_t most, size_t &times) {
  size_t length = 0;
  while (times < most && text.substr(length, character.size()) == character) {
    length += character.size();
    ++times;
  }
  return length;
}

} // namespace

void Decoder::add(Stage stage, const std::string &type,
                  const std::string &where) {
  auto refuse = [&](const std::string &order) {
    unsupported(where, "decoder " + tokenizer_json::shown(type) + order,
                "Replace, Metaspace, ByteFallback, ByteLevel or Strip, then "
                "Fuse, then Strip");
  };
  for (const Stage &before : stages) {
    if (before.kind == Stage::byteLevel) {
      refuse(" after 'ByteLevel'");
    }
    if (before.kind == Stage::byteFallback && stage.kind == Stage::metaspace) {
      refuse(" after 'ByteFallback'");
    }
    if (before.kind == stage.kind && stage.kind != Stage::replace) {
      refuse(" a second time");
    }
  }
  if (fused && stage.kind != Stage::stripText) {
    refuse(" after 'Fuse'");
  }
  stages.push_back(std::move(stage));
}

void Decoder::parse(const Json &component, const std::string &where,
                    int depth) {
  const std::string &type = tokenizer_json::typeOf(component, where);
  if (type == "Sequence") {
    if (depth == tokenizer_json::maximumDepth) {
      tokenizer_json::malformed(where, "Sequences nest too deeply");
    }
    for (const Json &part :
         tokenizer_json::requireArray(component, "decoders", where)) {
      parse(part, where, depth + 1);
    }
    return;
  }
  if (type == "Fuse") {
    fused = true;
    return;
  }
  Stage stage{Stage::byteLevel, {}, {}};
  if (type == "ByteFallback") {
    stage.kind = Stage::byteFallback;
  } else if (type == "Metaspace") {
    stage.kind = Stage::metaspace;
    stage.content = oneCharacter(component, "replacement", where);
    bool never = tokenizer_json::find(component, "prepend_scheme", where)
                     ? tokenizer_json::requireString(
                           component, "prepend_scheme", where) == "never"
                     : !tokenizer_json::optionalBool(
                           component, "add_prefix_space", true, where);
    stage.bare = !never;
  } else if (type == "Replace") {
    stage.kind = Stage::replace;
    stage.pattern = Regex::fromPattern(
        tokenizer_json::require(component, "pattern", where), where);
    stage.content = tokenizer_json::requireString(component, "content", where);
  } else if (type == "Strip") {
    stage.kind = fused ? Stage::stripText : Stage::stripToken;
    stage.content = oneCharacter(component, "content", where);
    stage.count = count(component, "start", where);
    if (count(component, "stop", where) != 0) {
      unsupported(where, "a 'Strip' decoder whose 'stop' is not 0",
                  "one that strips the start");
    }
  } else if (type != "ByteLevel") {
    unsupported(where, "decoder " + tokenizer_json::shown(type),
                "ByteLevel, ByteFallback, Fuse, Metaspace, Replace, Strip, "
                "Sequence");
  }
  add(std::move(stage), type, where);
}

Decoder Decoder::make(const Json *component, const std::string &where) {
  Decoder decoder;
  decoder.joined = component == nullptr;
  if (component) {
    decoder.parse(*component, where, 0);
  }
  return decoder;
}

void Decoder::push(DecodeState &state, std::string_view token,
                   std::string &text) const {
  if (joined && state.started) {
    text += " ";
  }
  run(0, state, token, text);
  state.started = true;
}

void Decoder::finish(DecodeState &state, std::string &text) const {
  for (size_t index = 0; index < stages.size(); ++index) {
    if (stages[index].kind == Stage::byteFallback) {
      flush(index + 1, state, text);
    }
  }
  state = {};
}

void Decoder::flush(size_t stage, DecodeState &state, std::string &text) const {
  std::string bytes = std::move(state.bytes);
  state.bytes.clear();
  if (utf8::firstInvalid(bytes) == bytes.npos) {
    if (!bytes.empty()) {
      run(stage, state, bytes, text);
    }
    return;
  }
  for (size_t index = 0; index < bytes.size(); ++index) {
    run(stage, state, "\xEF\xBF\xBD", text);
  }
}

void Decoder::run(size_t index, DecodeState &state, std::string_view token,
                  std::string &text) const {
  if (index == stages.size()) {
    text += token;
    return;
  }
  const Stage &stage = stages[index];
  switch (stage.kind) {
  case Stage::byteLevel:
    byte_alphabet::appendBytes(text, token);
    return;
  case Stage::byteFallback:
    if (int byte = byteOf(token); byte >= 0) {
      state.bytes.push_back(static_cast<char>(byte));
      return;
    }
    flush(index + 1, state, text);
    return run(index + 1, state, token, text);
  case Stage::metaspace: {
    std::string spaced;
    for (size_t at = 0; at < token.size();) {
      if (token.substr(at, stage.content.size()) == stage.content) {
        spaced += stage.bare && !state.started ? "" : " ";
        at += stage.content.size();
      } else {
        spaced.push_back(token[at++]);
      }
    }
    return run(index + 1, state, spaced, text);
  }
  case Stage::replace: {
    std::vector<TextSpan> matches;
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): this kind has one
    stage.pattern->findAll(token, matches);
    std::string replaced;
    size_t from = 0;
    for (TextSpan match : matches) {
      replaced.append(token.substr(from, match.begin - from));
      replaced += stage.content;
      from = match.end;
    }
    replaced.append(token.substr(from));
    return run(index + 1, state, replaced, text);
  }
  case Stage::stripToken: {
    size_t times = 0;
    size_t length = frontLength(token, stage.content, stage.count, times);
    return run(index + 1, state, token.substr(length), text);
  }
  case Stage::stripText:
    if (state.stripping) {
      token.remove_prefix(
          frontLength(token, stage.content, stage.count, state.stripped));
      state.stripping = token.empty();
    }
    return run(index + 1, state, token, text);
  }
}

} // namespace cheems
