#include "runtime/Artifact/Metadata.h"
#include "cheems/abi.h"
#include "cheems/artifact.h"
#include "runtime/Error.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace cheems;
using nlohmann::json;

namespace {

constexpr int64_t maxTokens =
    INT32_MAX; // ids and positions are 32-bit in cheems_step

/// a * b + c for values that are not negative; throws when it does not fit.
int64_t multiplyAdd(int64_t a, int64_t b, int64_t c, const char *what) {
  int64_t product, sum;
  if (__builtin_mul_overflow(a, b, &product) ||
      __builtin_add_overflow(product, c, &sum)) {
    throw Error(std::string(what) + " is too large for any machine");
  }
  return sum;
}

/// A JSON object and the words that lead to it, for messages.
class Reader {
public:
  Reader(const json &value, std::string path, const std::string &file)
      : value(value), path(std::move(path)), file(file) {
    if (!value.is_object()) {
      throw bad("", "is not an object");
    }
  }

  DamagedFile bad(const std::string &field, const std::string &what) const {
    std::string full =
        path + (path.empty() || field.empty() ? "" : ".") + field;
    return DamagedFile(file + ": corrupted: metadata" +
                       (full.empty() ? "" : " field '" + full + "'") + " " +
                       what + "; compile the model again");
  }

  bool has(const std::string &field) const {
    return value.contains(field) && !value[field].is_null();
  }

  const json &at(const std::string &field) const {
    auto found = value.find(field);
    if (found == value.end()) {
      throw bad(field, "is missing");
    }
    return *found;
  }

  std::string text(const std::string &field) const {
    const json &item = at(field);
    if (!item.is_string()) {
      throw bad(field, "is not a text");
    }
    return item.get<std::string>();
  }

  int64_t integer(const json &item, const std::string &field, int64_t least,
                  int64_t most) const {
    bool fits = item.is_number_integer() &&
                (!item.is_number_unsigned() ||
                 item.get<uint64_t>() <= uint64_t(INT64_MAX));
    int64_t number = fits ? item.get<int64_t>() : 0;
    if (!fits || number < least || number > most) {
      throw bad(field, "is not a whole number between " +
                           std::to_string(least) + " and " +
                           std::to_string(most));
    }
    return number;
  }
  int64_t integer(const std::string &field, int64_t least, int64_t most) const {
    return integer(at(field), field, least, most);
  }

  const json &list(const std::string &field) const {
    const json &item = at(field);
    if (!item.is_array()) {
      throw bad(field, "is not a list");
    }
    return item;
  }

  std::vector<std::string> texts(const std::string &field) const {
    std::vector<std::string> result;
    for (const json &item : list(field)) {
      if (!item.is_string()) {
        throw bad(field, "holds something that is not a text");
      }
      result.push_back(item.get<std::string>());
    }
    return result;
  }

  std::string oneOf(const std::string &field,
                    std::initializer_list<const char *> allowed) const {
    std::string word = text(field);
    if (std::find(allowed.begin(), allowed.end(), word) == allowed.end()) {
      throw bad(field, "has the unknown value '" + word + "'");
    }
    return word;
  }

  Reader object(const std::string &field) const {
    return Reader(at(field), path + (path.empty() ? "" : ".") + field, file);
  }
  Reader element(const json &item, const std::string &field,
                 size_t index) const {
    return Reader(item,
                  path + (path.empty() ? "" : ".") + field + "[" +
                      std::to_string(index) + "]",
                  file);
  }

private:
  const json &value;
  std::string path;
  const std::string &file;
};

int64_t sizeOfType(const std::string &type) {
  if (type == "i8" || type == "u8") {
    return 1;
  }
  if (type == "bf16" || type == "f16") {
    return 2;
  }
  if (type == "f32" || type == "i32") {
    return 4;
  }
  return type == "f64" || type == "i64" ? 8 : 0;
}

WorkspaceSize parseWorkspace(const Reader &sizes, const std::string &entry) {
  const json &list = sizes.list(entry);
  if (list.size() != 3) {
    throw sizes.bad(entry, "does not have the three numbers S, R and W");
  }
  auto number = [&](size_t i) {
    return sizes.integer(list[i], entry, 0, INT64_MAX);
  };
  return {number(0), number(1), number(2)};
}

std::string parseEntry(const Reader &variant, const std::string &field) {
  std::string symbol = variant.text(field);
  if (symbol.compare(0, sizeof(CHEEMS_ARTIFACT_ENTRY_PREFIX) - 1,
                     CHEEMS_ARTIFACT_ENTRY_PREFIX) != 0) {
    throw variant.bad(
        field, "does not name an entry (" CHEEMS_ARTIFACT_ENTRY_PREFIX "…)");
  }
  return symbol;
}

Variant parseVariant(const Reader &reader) {
  Variant variant;
  variant.name = reader.text("name");
  variant.features = reader.texts("features");
  variant.wants = reader.texts("wants");
  variant.generalEntry = parseEntry(reader, "general");
  variant.decodeEntry = parseEntry(reader, "decode");
  Reader sizes = reader.object("workspace");
  variant.generalWorkspace = parseWorkspace(sizes, "general");
  variant.decodeWorkspace = parseWorkspace(sizes, "decode");
  if (reader.has("ssd_chunk")) {
    variant.ssdChunk = reader.integer("ssd_chunk", 1, maxTokens);
  }
  if (reader.has("prefill")) {
    variant.prefill = reader.integer("prefill", 1, maxTokens);
  }
  return variant;
}

StateKind parseState(const Reader &reader) {
  StateKind state;
  state.name = reader.text("name");
  state.type = reader.text("type");
  state.elementBytes = sizeOfType(state.type);
  if (state.elementBytes == 0) {
    throw reader.bad("type", "has the unknown value '" + state.type + "'");
  }
  const json &shape = reader.list("shape");
  if (shape.empty() || shape[0] != "slots") {
    throw reader.bad("shape", "does not start with \"slots\"");
  }
  for (size_t i = 1; i < shape.size(); ++i) {
    if (shape[i] == "capacity" && !state.hasCapacity()) {
      state.extents.push_back(StateKind::capacityExtent);
    } else {
      state.extents.push_back(reader.integer(shape[i], "shape", 1, INT64_MAX));
    }
  }
  try {
    state.slotBytes(1);
  } catch (const Error &error) {
    throw reader.bad("shape", error.what());
  }
  return state;
}

Parameter parseParameter(const Reader &reader, uint64_t weightBytes) {
  Parameter parameter;
  parameter.name = reader.text("name");
  parameter.type = reader.text("type");
  int64_t offset = reader.integer("offset", 0, INT64_MAX);
  parameter.bytes = reader.integer("bytes", 0, INT64_MAX);
  if (uint64_t(offset) > weightBytes ||
      uint64_t(parameter.bytes) > weightBytes - uint64_t(offset)) {
    throw reader.bad("bytes", "reaches outside the weights");
  }
  for (const json &extent : reader.list("shape")) {
    parameter.shape.push_back(reader.integer(extent, "shape", 1, INT64_MAX));
  }
  try {
    parameter.elements();
  } catch (const Error &error) {
    throw reader.bad("shape", error.what());
  }
  if (reader.has("rounded")) {
    parameter.scales = reader.oneOf("rounded", {"codes", "scales"}) == "scales";
    int64_t bits = reader.integer("bits", 4, 8);
    parameter.codeBits = parameter.scales ? 0 : bits;
  }
  return parameter;
}

std::optional<int64_t>
parseToken(const Reader &reader, const std::string &field, int64_t vocabulary) {
  if (!reader.has(field)) {
    return std::nullopt;
  }
  return reader.integer(field, 0, vocabulary - 1);
}

Metadata parseFields(const Reader &root, uint64_t weightBytes) {
  Metadata data;
  data.compiler = root.text("compiler");
  data.modelType = root.text("model_type");
  if (root.has("state_layout")) {
    data.stateLayout = root.integer("state_layout", 1, maxTokens);
  }
  data.vocabulary = root.integer("vocab_size", 1, maxTokens);
  data.hidden = root.integer("hidden_size", 1, maxTokens);
  data.layers = root.integer("layers", 0, maxTokens);
  data.heads = root.integer("heads", 1, maxTokens);
  data.expertsPerToken = root.integer("experts_per_token", 0, maxTokens);
  if (root.has("parameter_count")) {
    data.parameterCount = root.integer("parameter_count", 0, INT64_MAX);
  }
  data.maxPositions = root.integer("max_position_embeddings", 1, INT64_MAX);
  data.keepWindow = root.integer("keep_window", 0, maxTokens);
  data.block = root.integer("block", 1, 1 << 20);
  data.precision = root.oneOf("precision", {"f32", "bf16"});
  data.kvType = root.oneOf("kv_type", {"f32", "bf16", "int8"});
  data.weights = root.text("weights");
  data.pipeline = root.text("pipeline");
  data.warnings = root.texts("warnings");
  data.bosToken = parseToken(root, "bos_token_id", data.vocabulary);
  data.padToken = parseToken(root, "pad_token_id", data.vocabulary);
  for (const json &token : root.list("eos_token_ids")) {
    data.eosTokens.push_back(
        root.integer(token, "eos_token_ids", 0, data.vocabulary - 1));
  }

  Reader target = root.object("target");
  data.targetCpu = target.text("cpu");
  data.targetFeatures = target.texts("features");
  if (target.has("sanitizer")) {
    data.sanitizer = target.oneOf("sanitizer", {"address", "thread"});
  }
  size_t index = 0;
  for (const json &item : root.list("variants")) {
    Reader reader = root.element(item, "variants", index++);
    Variant variant = parseVariant(reader);
    for (const Variant &other : data.variants) {
      if (variant.name == other.name) {
        throw reader.bad("name", "is that of another variant");
      }
    }
    data.variants.push_back(std::move(variant));
  }
  if (data.variants.empty()) {
    throw root.bad("variants", "is empty");
  }
  Reader marks = root.object("marks");
  data.generalMarks = marks.texts("general");
  data.decodeMarks = marks.texts("decode");
  index = 0;
  for (const json &item : root.list("state")) {
    data.state.push_back(parseState(root.element(item, "state", index++)));
  }
  for (const json &item : root.list("parameters")) {
    data.parameters.push_back(parseParameter(
        root.element(item, "parameters", data.parameters.size()), weightBytes));
  }

  Reader context = root.object("context");
  // Without a limit, pools that keep every key would have no size.
  bool bounded = data.keepWindow == 0 && data.hasCapacity();
  data.defaultContext = context.integer("default", bounded ? 1 : 0, maxTokens);
  data.trainedContext = context.integer("trained", 1, INT64_MAX);
  data.dynamicRope = context.oneOf("rope", {"default", "dynamic"}) == "dynamic";
  const json &factor = context.at("factor");
  data.ropeFactor = factor.is_number() ? factor.get<double>() : 0;
  if (!(data.ropeFactor > 0 && std::isfinite(data.ropeFactor))) {
    throw context.bad("factor", "is not a positive number");
  }
  return data;
}

} // namespace

int64_t WorkspaceSize::bytes(int64_t rows, int64_t threads) const {
  return multiplyAdd(perRow, rows,
                     multiplyAdd(perThread, threads, fixed, "the workspace"),
                     "the workspace");
}

bool Variant::flushesDenormals() const {
  return std::find(features.begin(), features.end(), "amx-bf16") !=
         features.end();
}

bool StateKind::hasCapacity() const {
  return std::count(extents.begin(), extents.end(), capacityExtent) != 0;
}

int64_t StateKind::slotBytes(int64_t capacity) const {
  int64_t bytes = elementBytes;
  for (int64_t extent : extents) {
    bytes = multiplyAdd(bytes, extent == capacityExtent ? capacity : extent, 0,
                        "the state");
  }
  return bytes;
}

int64_t Parameter::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape) {
    count = multiplyAdd(count, extent, 0, "the parameter");
  }
  return count;
}

bool Metadata::hasCapacity() const {
  return std::any_of(state.begin(), state.end(),
                     [](const StateKind &kind) { return kind.hasCapacity(); });
}

int64_t Metadata::capacity(int64_t context) const {
  if (keepWindow == 0) {
    return context;
  }
  return (context == 0 ? keepWindow : std::min(keepWindow, context)) + block;
}

int64_t Metadata::usedEntries(int64_t tokens) const {
  return keepWindow == 0 ? tokens : std::min(keepWindow, tokens);
}

Metadata Metadata::parse(std::string_view text, uint64_t weightBytes,
                         const std::string &name) {
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    throw DamagedFile(
        name +
        ": corrupted: the metadata is not JSON; compile the model again");
  }
  Reader root(document, "", name);
  int64_t version = root.integer("abi", 0, INT64_MAX);
  if (version != CHEEMS_ABI_VERSION) {
    throw DamagedFile(
        name + ": its code speaks ABI version " + std::to_string(version) +
        ", but this runtime speaks version " +
        std::to_string(CHEEMS_ABI_VERSION) +
        "; compile the model again with the matching cheems-compile");
  }
  return parseFields(root, weightBytes);
}
