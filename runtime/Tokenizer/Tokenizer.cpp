// The steps of encoding in order: added tokens, normalizer, added tokens again,
// pre-tokenizer, model, template.
#include "runtime/Tokenizer/Tokenizer.h"

#include "runtime/Error.h"
#include "runtime/Tokenizer/AddedTokens.h"
#include "runtime/Tokenizer/Bpe.h"
#include "runtime/Tokenizer/Decoder.h"
#include "runtime/Tokenizer/Normalizer.h"
#include "runtime/Tokenizer/PostProcessor.h"
#include "runtime/Tokenizer/PreTokenizer.h"
#include "runtime/Tokenizer/Utf8.h"
#include "runtime/Work.h"

#include <algorithm>
#include <limits>

namespace cheems {

namespace {

using tokenizer_json::Json;

constexpr const char *file = "tokenizer.json";
constexpr const char *configFile = "tokenizer_config.json";

std::string in(const char *component) {
  return std::string(file) + ": " + component;
}

} // namespace

struct Tokenizer::Parts {
  std::unique_ptr<Normalizer> normalizer;
  std::unique_ptr<PreTokenizer> preTokenizer;
  Bpe model;
  AddedTokens added;
  PostProcessor post;
  Decoder decoder;
  std::optional<int32_t> bos, eos, pad;

  // `truncation` and `padding` are not read: they say how to fill batches, and
  // callers choose that.
  Parts(const Json &json, const TokenTables *tables)
      : normalizer(Normalizer::make(
            tokenizer_json::find(json, "normalizer", file), in("normalizer"))),
        preTokenizer(PreTokenizer::make(
            tokenizer_json::find(json, "pre_tokenizer", file),
            in("pre_tokenizer"))),
        model(tokenizer_json::require(json, "model", file), tables,
              in("model")),
        added(tokenizer_json::find(json, "added_tokens", file),
              model.vocabulary(), normalizer.get(), in("added_tokens")),
        post(PostProcessor::make(
            tokenizer_json::find(json, "post_processor", file),
            in("post_processor"))),
        decoder(Decoder::make(tokenizer_json::find(json, "decoder", file),
                              in("decoder"))) {
    for (const auto *ids : {&post.prefix, &post.suffix}) {
      for (int32_t id : *ids) {
        if (!token(id)) {
          tokenizer_json::malformed(in("post_processor"),
                                    "id " + std::to_string(id) +
                                        " is not a token");
        }
      }
    }
  }

  const std::string *token(int32_t id) const {
    const AddedToken *addedToken = added.find(id);
    return addedToken ? &addedToken->content : model.vocabulary().token(id);
  }

  std::optional<int32_t> find(std::string_view token) const {
    const AddedToken *addedToken = added.find(token);
    int32_t id = addedToken ? addedToken->id : model.vocabulary().find(token);
    return id < 0 ? std::nullopt : std::optional<int32_t>(id);
  }

  /// A token the configuration names: a string, or an object with its content.
  std::optional<int32_t> named(const Json &config, const char *field) const {
    const Json *value = tokenizer_json::find(config, field, configFile);
    if (!value) {
      return std::nullopt;
    }
    const std::string &content =
        value->is_object()
            ? tokenizer_json::requireString(*value, "content", configFile)
            : tokenizer_json::requireString(config, field, configFile);
    std::optional<int32_t> id = find(content);
    if (!id) {
      tokenizer_json::malformed(configFile, std::string(field) + " " +
                                                tokenizer_json::shown(content) +
                                                " is not a token of " + file);
    }
    return id;
  }

  /// Text between added tokens that are looked for before normalization;
  /// `begins` tells whether none came before. `marks`: see AddedTokens::split.
  void encodeText(std::string_view text, bool begins, bool parseSpecial,
                  std::string marks, size_t most,
                  std::vector<int32_t> &ids) const {
    constexpr size_t copies = 4; // normalized, cut, and rewritten
    Work::Memory memory(copies * text.size() + marks.size());
    std::string normalized(text);
    if (normalizer) {
      normalizer->apply(normalized, marks, begins);
    }
    for (const AddedTokens::Part &part :
         added.split(normalized, true, parseSpecial, marks)) {
      if (part.id >= 0) {
        ids.push_back(part.id);
        continue;
      }
      Pieces pieces(
          normalized.substr(part.span.begin, part.span.end - part.span.begin),
          begins && part.span.begin == 0);
      if (preTokenizer) {
        preTokenizer->apply(pieces);
      }
      memory.grow(pieces.spans.size() * sizeof(TextSpan));
      for (size_t index = 0; index < pieces.spans.size(); ++index) {
        Work::checkAt(index);
        model.tokenize(pieces[index], most, ids);
        if (ids.size() > most) {
          throw TooManyTokens(most);
        }
      }
    }
  }
};

Tokenizer::Tokenizer(std::string_view tokenizerJson,
                     std::string_view configJson) {
  std::unique_ptr<Parts> made;
  if (std::optional<TokenTables> tables = TokenTables::read(tokenizerJson)) {
    try {
      made = std::make_unique<Parts>(tokenizer_json::parse(tables->rest, file),
                                     &*tables);
    } catch (const Error &) {
      made = nullptr; // the whole document says what is wrong, and where
    }
  }
  if (!made) {
    made = std::make_unique<Parts>(tokenizer_json::parse(tokenizerJson, file),
                                   nullptr);
  }
  if (!configJson.empty()) {
    Json config = tokenizer_json::parse(configJson, configFile);
    made->bos = made->named(config, "bos_token");
    made->eos = made->named(config, "eos_token");
    made->pad = made->named(config, "pad_token");
  }
  parts = std::move(made);
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer &&) noexcept = default;
Tokenizer &Tokenizer::operator=(Tokenizer &&) noexcept = default;

std::vector<int32_t> Tokenizer::encode(std::string_view text,
                                       bool addSpecialTokens,
                                       bool parseSpecialTokens,
                                       size_t most) const {
  std::vector<int32_t> ids;
  if (addSpecialTokens) {
    ids = parts->post.prefix;
  }
  appendIds(text, parseSpecialTokens, {}, most, ids);
  if (addSpecialTokens) {
    ids.insert(ids.end(), parts->post.suffix.begin(), parts->post.suffix.end());
  }
  return ids;
}

std::vector<int32_t>
Tokenizer::encodeMixed(std::string_view text,
                       const std::vector<std::pair<size_t, size_t>> &plain,
                       size_t most) const {
  Work::Memory memory(text.size());
  std::string marks(plain.empty() ? 0 : text.size(), 0);
  for (auto [begin, end] : plain) {
    std::fill(marks.begin() + ptrdiff_t(begin), marks.begin() + ptrdiff_t(end),
              1);
  }
  std::vector<int32_t> ids;
  appendIds(text, /*parseSpecial=*/true, marks, most, ids);
  return ids;
}

void Tokenizer::appendIds(std::string_view text, bool parseSpecial,
                          std::string_view marks, size_t most,
                          std::vector<int32_t> &ids) const {
  if (text.size() >= static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw Error("a text of " + std::to_string(text.size()) +
                " bytes is too long; split it into parts below 2 GiB");
  }
  utf8::require(text, "the text");
  for (const AddedTokens::Part &part :
       parts->added.split(text, false, parseSpecial, marks)) {
    if (part.id >= 0) {
      ids.push_back(part.id);
    } else {
      size_t begin = part.span.begin, length = part.span.end - begin;
      std::string its(marks.substr(marks.empty() ? 0 : begin, length));
      parts->encodeText(text.substr(begin, length), begin == 0, parseSpecial,
                        std::move(its), most, ids);
    }
    if (ids.size() > most) {
      throw TooManyTokens(most);
    }
  }
}

std::string Tokenizer::decode(const std::vector<int32_t> &ids,
                              bool skipSpecial) const {
  std::string text;
  utf8::appendLossy(text, decodeBytes(ids, skipSpecial));
  return text;
}

std::string Tokenizer::decodeBytes(const std::vector<int32_t> &ids,
                                   bool skipSpecial) const {
  std::string bytes;
  DecodeState state;
  for (int32_t id : ids) {
    decodeToken(id, skipSpecial, state, bytes);
  }
  finishDecoding(state, bytes);
  return bytes;
}

std::string Tokenizer::tokenBytes(int32_t id) const {
  DecodeState state;
  state.started = true;
  state.stripping = false;
  std::string bytes;
  decodeToken(id, /*skipSpecial=*/false, state, bytes);
  return bytes + state.bytes; // one that is a byte waits for others
}

void Tokenizer::decodeToken(int32_t id, bool skipSpecial, DecodeState &state,
                            std::string &bytes) const {
  const AddedToken *added = parts->added.find(id);
  const std::string &token = added ? added->decoded : idToToken(id);
  if (skipSpecial && added && added->skipped) {
    return;
  }
  parts->decoder.push(state, token, bytes);
}

void Tokenizer::finishDecoding(DecodeState &state, std::string &bytes) const {
  parts->decoder.finish(state, bytes);
}

const std::string &Tokenizer::idToToken(int32_t id) const {
  const std::string *token = parts->token(id);
  if (!token) {
    throw Error("token id " + std::to_string(id) +
                " is not in the vocabulary, whose ids are below " +
                std::to_string(vocabularySize()));
  }
  return *token;
}

std::optional<int32_t> Tokenizer::tokenToId(std::string_view token) const {
  return parts->find(token);
}

bool Tokenizer::isSpecial(int32_t id) const {
  const AddedToken *token = parts->added.find(id);
  return token && token->special;
}

int32_t Tokenizer::vocabularySize() const {
  int32_t limit = parts->model.vocabulary().limit();
  for (const AddedToken &token : parts->added.all()) {
    limit = std::max(limit, token.id + 1);
  }
  return limit;
}

std::optional<int32_t> Tokenizer::bosId() const { return parts->bos; }
std::optional<int32_t> Tokenizer::eosId() const { return parts->eos; }
std::optional<int32_t> Tokenizer::padId() const { return parts->pad; }

} // namespace cheems
