// The C interface: text to tokens and back, and chats to text.
#include "runtime/Api/Handles.h"
#include "runtime/Tokenizer/StreamingDecoder.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::api;

struct cheems_decoder {
  std::shared_ptr<TextModel> text; ///< has the tokenizer
  StreamingDecoder decoder;
  std::string piece; ///< what was handed out last
};

static const Tokenizer &tokenizerOf(const cheems_model *model) {
  need(model, "model");
  if (model->model->tokenizer().empty()) {
    throw Error(model->model->path() +
                ": has no tokenizer (its model folder had no tokenizer.json)");
  }
  return model->text->tokenizer();
}

/// `bytes` to a caller's buffer, and a zero where it fits.
static void copyOut(const std::string &bytes, char *text, size_t capacity,
                    size_t *length) {
  need(length, "length");
  if (capacity > 0) {
    need(text, "text");
    std::copy_n(bytes.c_str(), std::min(capacity, bytes.size() + 1), text);
  }
  *length = bytes.size();
}

static std::string_view textOf(const char *text, size_t length) {
  if (length == 0) {
    return {};
  }
  need(text, "text");
  return {text, length};
}

cheems_status cheems_tokenize(const cheems_model *model, const char *text,
                              size_t length, int flags, int32_t *tokens,
                              int64_t capacity, int64_t *count) {
  return guard([&] {
    checkFlags(flags, CHEEMS_ADD_SPECIAL | CHEEMS_SPECIAL_AS_TEXT,
               "cheems_tokenize_flags");
    const Tokenizer &tokenizer = tokenizerOf(model);
    std::vector<int32_t> ids = tokenizer.encode(
        textOf(text, length), (flags & CHEEMS_ADD_SPECIAL) != 0,
        (flags & CHEEMS_SPECIAL_AS_TEXT) == 0);
    copyOut(ids, tokens, capacity, count);
  });
}

cheems_status cheems_detokenize(const cheems_model *model,
                                const int32_t *tokens, int64_t count,
                                int show_special, char *text, size_t capacity,
                                size_t *length) {
  return guard([&] {
    const Tokenizer &tokenizer = tokenizerOf(model);
    if (count < 0) {
      throw Error(Status::usage, "count is negative");
    }
    if (count > 0) {
      need(tokens, "tokens");
    }
    copyOut(tokenizer.decode(std::vector<int32_t>(tokens, tokens + count),
                             show_special == 0),
            text, capacity, length);
  });
}

cheems_status cheems_token_bytes(const cheems_model *model, int32_t token,
                                 char *bytes, size_t capacity, size_t *length) {
  return guard([&] {
    copyOut(tokenizerOf(model).tokenBytes(token), bytes, capacity, length);
  });
}

static int32_t idOr(const std::optional<int32_t> &token) {
  return token.value_or(-1);
}

cheems_status cheems_model_text_tokens(const cheems_model *model, int32_t *bos,
                                       int32_t *pad) {
  return guard([&] {
    need(model, "model");
    int32_t begins = idOr(model->text->bosToken()),
            fills = idOr(model->text->padToken());
    if (bos) {
      *bos = begins;
    }
    if (pad) {
      *pad = fills;
    }
  });
}

cheems_status cheems_model_end_tokens(const cheems_model *model,
                                      int32_t *tokens, int64_t capacity,
                                      int64_t *count) {
  return guard([&] {
    need(model, "model");
    copyOut(model->ends, tokens, capacity, count);
  });
}

cheems_status cheems_decoder_create(const cheems_model *model, int show_special,
                                    cheems_decoder **decoder) {
  return guard([&] {
    const Tokenizer &tokenizer = tokenizerOf(model);
    need(decoder, "decoder");
    *decoder = new cheems_decoder{
        model->text, StreamingDecoder(tokenizer, show_special == 0), ""};
  });
}

void cheems_decoder_destroy(cheems_decoder *decoder) { delete decoder; }

static void hand(cheems_decoder *decoder, std::string piece, const char **text,
                 size_t *length) {
  decoder->piece = std::move(piece);
  *text = decoder->piece.c_str();
  *length = decoder->piece.size();
}

cheems_status cheems_decoder_push(cheems_decoder *decoder, int32_t token,
                                  const char **text, size_t *length) {
  return guard([&] {
    need(decoder, "decoder");
    need(text, "text");
    need(length, "length");
    hand(decoder, decoder->decoder.push(token), text, length);
  });
}

cheems_status cheems_decoder_finish(cheems_decoder *decoder, const char **text,
                                    size_t *length) {
  return guard([&] {
    need(decoder, "decoder");
    need(text, "text");
    need(length, "length");
    hand(decoder, decoder->decoder.finish(), text, length);
  });
}

cheems_status cheems_apply_chat_template(const cheems_model *model,
                                         const char *json, size_t json_length,
                                         int flags, char *text, size_t capacity,
                                         size_t *length) {
  return guard([&] {
    need(model, "model");
    checkFlags(flags, CHEEMS_ADD_GENERATION_PROMPT, "cheems_chat_flags");
    if (!model->text->hasChatTemplate()) {
      throw Error(Status::unsupported,
                  model->model->path() +
                      ": has no chat template (its model folder had neither "
                      "chat_template.jinja nor one in tokenizer_config.json)");
    }
    copyOut(model->text->chatTemplate()
                .renderMessages(textOf(json, json_length),
                                (flags & CHEEMS_ADD_GENERATION_PROMPT) != 0,
                                model->text->templateVariables())
                .text,
            text, capacity, length);
  });
}
