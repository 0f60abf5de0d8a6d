// The C interface: text to tokens and back.
#include "runtime/Api/Handles.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::api;

static const Tokenizer &tokenizerOf(const cheems_model *model) {
  need(model, "model");
  std::lock_guard<std::mutex> lock(model->tokenizerLock);
  if (!model->tokenizer) {
    if (model->model->tokenizer().empty()) {
      throw Error(
          model->model->path() +
          ": has no tokenizer (its model folder had no tokenizer.json)");
    }
    model->tokenizer.emplace(model->model->tokenizer(),
                             model->model->tokenizerConfig());
  }
  return *model->tokenizer;
}

cheems_status cheems_tokenize(const cheems_model *model, const char *text,
                              size_t length, int flags, int32_t *tokens,
                              int64_t capacity, int64_t *count) {
  return guard([&] {
    checkFlags(flags, CHEEMS_ADD_SPECIAL | CHEEMS_SPECIAL_AS_TEXT,
               "cheems_tokenize_flags");
    const Tokenizer &tokenizer = tokenizerOf(model);
    need(count, "count");
    if (length != 0) {
      need(text, "text");
    }
    if (capacity > 0) {
      need(tokens, "tokens");
    }
    std::vector<int32_t> ids = tokenizer.encode(
        length == 0 ? std::string_view() : std::string_view(text, length),
        (flags & CHEEMS_ADD_SPECIAL) != 0,
        (flags & CHEEMS_SPECIAL_AS_TEXT) == 0);
    *count = static_cast<int64_t>(ids.size());
    std::copy_n(ids.begin(), std::max<int64_t>(0, std::min(capacity, *count)),
                tokens);
  });
}

cheems_status cheems_detokenize(const cheems_model *model,
                                const int32_t *tokens, int64_t count,
                                int show_special, char *text, size_t capacity,
                                size_t *length) {
  return guard([&] {
    const Tokenizer &tokenizer = tokenizerOf(model);
    need(length, "length");
    if (count < 0) {
      throw Error(Status::usage, "count is negative");
    }
    if (count > 0) {
      need(tokens, "tokens");
    }
    if (capacity > 0) {
      need(text, "text");
    }
    std::string decoded = tokenizer.decode(
        std::vector<int32_t>(tokens, tokens + count), show_special == 0);
    *length = decoded.size();
    std::copy_n(decoded.c_str(), std::min(capacity, decoded.size() + 1), text);
  });
}
