// /v1/embeddings, and /embedding in llama.cpp's words.
#include "server/Api/ApiError.h"
#include "server/Api/Generating.h"
#include "server/Api/Prompts.h"
#include "server/Api/Sampling.h"

#include <cmath>
#include <cstring>

namespace cheems::serve {

namespace {

/// Scales the vector to length 1, as clients compare vectors by inner products.
void normalise(std::vector<float> &values) {
  double sum = 0;
  for (float each : values) {
    sum += double(each) * each;
  }
  double length = std::sqrt(sum);
  for (float &each : values) {
    each = length > 0 ? float(each / length) : 0;
  }
}

/// The bytes of the values, little end first, in base64.
std::string base64(const std::vector<float> &values) {
  static const char *letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  for (float each : values) {
    uint32_t bits;
    std::memcpy(&bits, &each, sizeof(bits));
    for (int shift = 0; shift < 32; shift += 8) {
      bytes += char(bits >> shift);
    }
  }
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) {
      unsigned char byte =
          i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0;
      three = three << 8 | byte;
    }
    for (size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : letters[(three >> (18 - 6 * k)) & 63];
    }
  }
  return out;
}

std::vector<float> embeddingOf(const PromptResult &result) {
  std::vector<float> values = result.embedding;
  normalise(values);
  return values;
}

class EmbeddingForm : public AnswerForm {
public:
  EmbeddingForm(const Context &context, bool isBase64)
      : context(context), isBase64(isBase64) {}

  Json whole(const std::vector<PromptResult> &results) override {
    Json data = Json::array();
    for (const PromptResult &result : results) {
      std::vector<float> values = embeddingOf(result);
      data.push_back(
          {{"object", "embedding"},
           {"index", data.size()},
           {"embedding", isBase64 ? Json(base64(values)) : Json(values)}});
    }
    int64_t tokens = totalUsage(results).promptTokens;
    return {{"object", "list"},
            {"data", std::move(data)},
            {"model", context.options.modelName},
            {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}};
  }

  const char *promptField() const override { return "input"; }

private:
  const Context &context;
  const bool isBase64;
};

/// llama.cpp's own form: of each prompt a list, which has one row where rows
/// are pooled.
class LlamaEmbeddingForm : public AnswerForm {
public:
  explicit LlamaEmbeddingForm(const char *field) : field(field) {}

  Json whole(const std::vector<PromptResult> &results) override {
    Json all = Json::array();
    for (const PromptResult &result : results) {
      all.push_back({{"index", all.size()},
                     {"embedding", Json::array({embeddingOf(result)})}});
    }
    return all;
  }

  const char *promptField() const override { return field; }

private:
  const char *const field;
};

Pooling readPooling(Fields &fields, Pooling otherwise) {
  auto name = fields.text("pooling");
  if (name && *name != "mean" && *name != "last") {
    refuse("pooling", "pooling must be mean or last");
  }
  return !name ? otherwise : *name == "mean" ? Pooling::mean : Pooling::last;
}

/// What requests in both words have alike.
GenerationRequest readEmbedding(const Call &call, Fields &fields) {
  GenerationRequest request = namedRequest(call, fields, "embd-");
  request.embedding = readPooling(fields, call.context->options.pooling);
  request.maxTokens = 0;
  fields.onlyAs("dimensions", {call.context->text.model().metadata().hidden});
  fields.onlyAs("truncate_prompt_tokens", {});
  fields.onlyAs("embd_normalize", {2});
  ignoreHarmless(fields);
  return request;
}

} // namespace

void embeddings(Call &call) {
  Json body = parseBody(call.request.body);
  Context &context = *call.context;
  Fields fields(body);
  GenerationRequest request = readEmbedding(call, fields);
  std::string format = fields.text("encoding_format").value_or("float");
  if (format != "float" && format != "base64") {
    refuse("encoding_format", "encoding_format must be float or base64");
  }
  const Json *input = fields.find("input");
  bool addSpecial = fields.boolean("add_special_tokens").value_or(true);
  fields.finish();

  auto prompts = readPrompts(input, "input", addSpecial, context);
  auto form = std::make_unique<EmbeddingForm>(context, format == "base64");
  generate(call, request, std::move(prompts), std::move(form),
           /*streams=*/false);
}

void llamaEmbedding(Call &call) {
  Json body = parseBody(call.request.body);
  Fields fields(body);
  GenerationRequest request = readEmbedding(call, fields);
  fields.onlyAs("encoding_format", {"float"});
  fields.onlyAs("image_data", {Json::array()});
  const Json *content = fields.find("content"), *input = fields.find("input");
  fields.finish();
  if (content && input) {
    refuse("content", "content and input cannot be together");
  }

  const char *field = input ? "input" : "content";
  auto prompts = readPrompts(input ? input : content, field,
                             /*addSpecialTokens=*/true, *call.context);
  generate(call, request, std::move(prompts),
           std::make_unique<LlamaEmbeddingForm>(field), /*streams=*/false);
}

} // namespace cheems::serve
