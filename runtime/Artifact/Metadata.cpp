#include "runtime/Artifact/Metadata.h"
#include "cheems/abi.h"
#include "runtime/Artifact/FieldReader.h"
#include "runtime/Json/Json.h"
#include <charconv>
#include <cmath>
#include <map>

using namespace cheems;
using nlohmann::json;

namespace {

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

PoolRole parseRole(const FieldReader &reader) {
  static const std::map<std::string, PoolRole> roles = {
      {"keys", PoolRole::keys},      {"values", PoolRole::values},
      {"masks", PoolRole::masks},    {"positions", PoolRole::positions},
      {"scales", PoolRole::scales},  {"counts", PoolRole::counts},
      {"running", PoolRole::running}};
  std::string word = reader.text("role");
  auto found = roles.find(word);
  if (found == roles.end()) {
    throw reader.bad("role", "has the unknown value '" + word + "'");
  }
  return found->second;
}

/// Whether a pool of this role may have these extents and this type.
bool fits(const StateKind &state) {
  const std::vector<int64_t> &extents = state.extents;
  size_t rank = extents.size();
  bool numbers = state.type == "i32";
  auto grows = [&](size_t wanted) {
    return rank == wanted && (extents[2] == StateKind::capacityExtent ||
                              extents[2] == StateKind::ringExtent);
  };
  switch (state.role) {
  case PoolRole::keys:
  case PoolRole::values:
    return grows(4);
  case PoolRole::masks:
    return grows(3) && !numbers && !state.isRing();
  case PoolRole::scales:
    return grows(3) && !numbers;
  case PoolRole::positions:
    return grows(3) && numbers && !state.isRing();
  case PoolRole::counts:
    return rank == 2 && !state.hasCapacity() && numbers;
  case PoolRole::running:
    return rank >= 1 && !state.hasCapacity();
  }
  return false;
}

StateKind parseState(const FieldReader &reader) {
  StateKind state;
  state.name = reader.text("name");
  state.role = parseRole(reader);
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
    } else if (shape[i] == "ring" && !state.hasCapacity()) {
      state.extents.push_back(StateKind::ringExtent);
    } else {
      state.extents.push_back(reader.integer(shape[i], "shape", 1, INT64_MAX));
    }
  }
  try {
    state.slotBytes({1, 1});
  } catch (const Error &error) {
    throw reader.bad("shape", error.what());
  }
  if (!fits(state)) {
    throw reader.bad("role", "is not that of a pool of this type and shape");
  }
  return state;
}

ParameterUse parseUse(const FieldReader &reader) {
  static const std::map<std::string, ParameterUse> uses = {
      {"vector", ParameterUse::vector},
      {"product", ParameterUse::product},
      {"expert_keys", ParameterUse::expertKeys},
      {"experts", ParameterUse::experts},
      {"embedding", ParameterUse::embedding},
      {"head", ParameterUse::head},
      {"head_bias", ParameterUse::headBias},
      {"tied", ParameterUse::tied}};
  std::string word = reader.has("use") ? reader.text("use") : "vector";
  auto found = uses.find(word);
  if (found == uses.end()) {
    throw reader.bad("use", "has the unknown value '" + word + "'");
  }
  return found->second;
}

std::vector<int64_t> parseShape(const FieldReader &reader,
                                const std::string &field) {
  std::vector<int64_t> shape;
  int64_t count = 1;
  for (const json &extent : reader.list(field)) {
    shape.push_back(reader.integer(extent, field, 1, INT64_MAX));
    try {
      count = multiplyAdd(count, shape.back(), 0, "the parameter");
    } catch (const Error &error) {
      throw reader.bad(field, error.what());
    }
  }
  return shape;
}

/// Whether a use can have so many dimensions.
bool fits(ParameterUse use, size_t dimensions) {
  bool flat = use == ParameterUse::vector || use == ParameterUse::headBias;
  return flat                              ? dimensions == 1
         : use == ParameterUse::expertKeys ? dimensions >= 2
                                           : dimensions == 2;
}

/// Which part of a quantized matrix it is.
void parseCodes(const FieldReader &reader, Parameter &parameter) {
  parameter.scales = reader.has("scales") && reader.flag("scales");
  if (!reader.has("codes")) {
    return;
  }
  if (parameter.scales) {
    throw reader.bad("codes", "is there beside 'scales'");
  }
  FieldReader codes = reader.object("codes");
  parameter.quantizedBits = codes.integer("bits", 4, 8);
  if (parameter.quantizedBits != 4 && parameter.quantizedBits != 8) {
    throw codes.bad("bits", "is neither 4 nor 8");
  }
  if (codes.has("group")) {
    codes.integer("group", 1, INT64_MAX);
  }
}

Parameter parseParameter(const FieldReader &reader, uint64_t weightBytes,
                         const Metadata &data) {
  Parameter parameter;
  parameter.name = reader.text("name");
  parameter.use = parseUse(reader);
  parameter.type = reader.text("type");
  parameter.layout = reader.has("layout") ? reader.text("layout") : "rows";
  parameter.shape = parseShape(reader, "shape");
  parameter.logical =
      reader.has("logical") ? parseShape(reader, "logical") : parameter.shape;
  if (!fits(parameter.use, parameter.logical.size())) {
    throw reader.bad("logical",
                     "does not have as many extents as its use needs");
  }
  parseCodes(reader, parameter);
  int64_t size = sizeOfType(parameter.type), stored = parameter.elements();
  if (size == 0) {
    throw reader.bad("type", "has the unknown value '" + parameter.type + "'");
  }
  int64_t offset = reader.integer("offset", 0, INT64_MAX);
  if (uint64_t(offset) > weightBytes ||
      uint64_t(stored) > (weightBytes - uint64_t(offset)) / uint64_t(size)) {
    throw reader.bad("offset", "lets its shape reach outside the weights");
  }
  parameter.offset = offset;
  parameter.bytes = stored * size;
  // Layouts may pad; nothing is left out.
  int64_t numbers = parameter.numbers();
  if ((parameter.quantizedBits == 4 ? numbers / 2 + numbers % 2 : numbers) >
      stored) {
    throw reader.bad("logical", "has more numbers than are stored");
  }
  if (reader.has("targets")) {
    parameter.targets = reader.texts("targets");
  } else {
    for (const ImageEntry &image : data.images) {
      parameter.targets.push_back(image.target);
    }
  }
  for (const std::string &target : parameter.targets) {
    if (!data.image(target)) {
      throw reader.bad("targets",
                       "names '" + target + "', for which there is no image");
    }
  }
  return parameter;
}

ImageEntry parseImage(const FieldReader &reader, const json &item,
                      const std::vector<ImageEntry> &others) {
  ImageEntry image;
  image.target = reader.text("target");
  image.section = reader.text("section");
  for (const ImageEntry &other : others) {
    if (image.target == other.target || image.section == other.section) {
      throw reader.bad(image.target == other.target ? "target" : "section",
                       "is that of another image");
    }
  }
  image.path = reader.where();
  image.fields = printJson(item);
  return image;
}

std::optional<int64_t> parseToken(const FieldReader &reader,
                                  const std::string &field,
                                  int64_t vocabulary) {
  if (!reader.has(field)) {
    return std::nullopt;
  }
  return reader.integer(field, 0, vocabulary - 1);
}

/// 16 digits of base 16.
uint64_t parseHash(const FieldReader &reader, const std::string &field) {
  std::string digits = reader.text(field);
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      digits.size() != 16) {
    throw reader.bad(field, "is not a number of 16 digits of base 16");
  }
  return value;
}

Metadata parseFields(const FieldReader &root, uint64_t weightBytes) {
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
  if (root.has("checkpoint")) {
    data.checkpoint = parseHash(root, "checkpoint");
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

  for (const json &item : root.list("images")) {
    data.images.push_back(parseImage(
        root.element(item, "images", data.images.size()), item, data.images));
  }
  if (data.images.empty()) {
    throw root.bad("images", "is empty");
  }
  size_t index = 0;
  for (const json &item : root.list("state")) {
    data.state.push_back(parseState(root.element(item, "state", index++)));
  }
  if (root.has("ring_window")) {
    data.ringWindow = root.integer("ring_window", 1, maxTokens);
  }
  bool rings = std::any_of(data.state.begin(), data.state.end(),
                           [](const StateKind &kind) { return kind.isRing(); });
  if (rings != (data.ringWindow != 0) || (rings && data.keepWindow != 0)) {
    throw root.bad(
        "state", rings ? "has a ring, of which nothing says how many rows are "
                         "seen, or a keep_window beside it"
                       : "has no ring for ring_window");
  }
  for (const json &item : root.list("parameters")) {
    data.parameters.push_back(
        parseParameter(root.element(item, "parameters", data.parameters.size()),
                       weightBytes, data));
  }

  FieldReader context = root.object("context");
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

bool StateKind::hasCapacity() const {
  return isRing() ||
         std::count(extents.begin(), extents.end(), capacityExtent) != 0;
}

bool StateKind::isRing() const {
  return std::count(extents.begin(), extents.end(), ringExtent) != 0;
}

int64_t StateKind::slotBytes(const PoolSizes &sizes) const {
  int64_t bytes = elementBytes;
  for (int64_t extent : extents) {
    int64_t number = extent == capacityExtent ? sizes.capacity
                     : extent == ringExtent   ? sizes.ring
                                              : extent;
    bytes = multiplyAdd(bytes, number, 0, "the state");
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

int64_t Parameter::numbers() const {
  int64_t count = scales ? 0 : 1;
  for (int64_t extent : logical) {
    count *= extent; // which was found to fit
  }
  return count;
}

bool Parameter::readBy(const std::string &target) const {
  return std::find(targets.begin(), targets.end(), target) != targets.end();
}

const ImageEntry *Metadata::image(std::string_view target) const {
  for (const ImageEntry &each : images) {
    if (each.target == target) {
      return &each;
    }
  }
  return nullptr;
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

int64_t Metadata::ring(int64_t context, int64_t rows) const {
  if (ringWindow == 0) {
    return 0;
  }
  // Kernels read whole blocks of entries. With a unit more, no two of those
  // that a step reads are in the same place.
  constexpr int64_t unit = CHEEMS_RING_UNIT;
  int64_t entries = ((ringWindow + rows + unit - 1) / unit + 1) * unit;
  return context == 0 ? entries : std::min(entries, context);
}

int64_t Metadata::ringRows(int64_t tokens) const {
  // A kernel takes as many entries at most.
  constexpr int64_t block = CHEEMS_RING_UNIT / 2;
  return ringWindow == 0 ? 0 : std::min(tokens, ringWindow + block);
}

bool Metadata::evicts(int64_t context) const {
  int64_t window = std::max(keepWindow, ringWindow);
  return window != 0 && context > window;
}

int64_t Metadata::usedEntries(int64_t tokens) const {
  return keepWindow == 0 ? tokens : std::min(keepWindow, tokens);
}

Metadata Metadata::parse(std::string_view text, uint64_t weightBytes,
                         const std::string &name) {
  json document = parseJson<json>(text);
  if (document.is_discarded()) {
    throw DamagedFile(
        name +
        ": corrupted: the metadata is not JSON; compile the model again");
  }
  FieldReader root(document, "", name);
  int64_t version = root.integer("abi", 0, INT64_MAX);
  if (version != CHEEMS_ABI_VERSION) {
    throw DamagedFile(
        name + ": its code has ABI version " + std::to_string(version) +
        ", but this runtime takes version " +
        std::to_string(CHEEMS_ABI_VERSION) +
        "; compile the model again with the matching cheems-compile");
  }
  return parseFields(root, weightBytes);
}
