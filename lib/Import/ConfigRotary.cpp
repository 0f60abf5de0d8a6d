// Rotary fields, in the meaning and precedence transformers gives them.
#include "lib/Import/ConfigRotary.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"

namespace cheems {
namespace {

constexpr double largestPosition = 2147483647.0;

/// Names inside the table that configFields() does not know.
void checkNames(ConfigReader &reader, const llvm::json::Object &table,
                llvm::StringRef field, llvm::StringRef file,
                WarningHandler warn) {
  std::vector<llvm::StringRef> unknown;
  for (const auto &[key, value] : table) {
    std::string full = ("rope_parameters." + llvm::StringRef(key)).str();
    if (llvm::any_of(configFields(), [&](const ConfigField &known) {
          return known.name == full;
        })) {
      continue;
    }
    unknown.push_back(key);
  }
  llvm::sort(unknown);
  for (llvm::StringRef key : unknown) {
    if (table.getObject(key)) { // one table per type of layer
      reader.refuse(field,
                    "has a table " + quoted(key) + "; all layers share one");
    }
    warn((file + ": field " + quoted((field + "." + key).str()) +
          " is unknown and ignored")
             .str());
  }
}

/// What Cheems has where neither table is given.
const llvm::json::Object &cheemsDefault() {
  static const llvm::json::Object table{{"rope_type", "dynamic"},
                                        {"factor", 4.0}};
  return table;
}

void readDynamic(ConfigReader &table, CheckpointConfig &result,
                 llvm::StringRef field, WarningHandler warn) {
  ModelConfig &model = result.model;
  RotaryConfig &rotary = model.rotary;
  rotary.dynamic = true;
  if (std::optional<double> factor = table.number("factor")) {
    rotary.factor = *factor;
    if (*factor < 1.0 ||
        *factor * static_cast<double>(model.maxPositions) > largestPosition) {
      table.fail("factor", "must be at least 1 and keep "
                           "max_position_embeddings * factor below 2^31");
    }
  } else {
    table.fail("factor", "is missing; rope type dynamic needs it");
  }
  if (result.anyAttention() && model.headDim <= 2) {
    table.fail("rope_type", "dynamic needs a head_dim above 2");
  }
  if (result.anySSD() && model.ssdStateSize <= 2) {
    table.fail("rope_type", "dynamic needs an ssd_state_size above 2");
  }
  // transformers and the author's code both stretch past
  // max_position_embeddings and read nothing else
  std::optional<int64_t> original =
      table.integer("original_max_position_embeddings", 1, INT32_MAX);
  if (original && *original != model.maxPositions) {
    warn((llvm::Twine(result.file) + ": " + field +
          ".original_max_position_embeddings " + llvm::Twine(*original) +
          " has no effect: rope type dynamic stretches past "
          "max_position_embeddings, " +
          llvm::Twine(model.maxPositions))
             .str());
  }
}

} // namespace

void readRotary(ConfigReader &reader, NameSet names, CheckpointConfig &result,
                WarningHandler warn) {
  llvm::StringRef file = result.file;
  RotaryConfig &rotary = result.model.rotary;
  rotary.trainedPositions = result.model.maxPositions;
  auto readTheta = [&](ConfigReader &from) {
    if (std::optional<double> theta = from.number("rope_theta")) {
      rotary.theta = *theta;
      if (*theta <= 0.0) {
        from.fail("rope_theta", "must be above 0");
      }
    }
  };
  readTheta(reader);
  const llvm::json::Object *parameters = reader.child("rope_parameters"),
                           *scaling = reader.child("rope_scaling");
  bool useScaling = scaling && !scaling->empty(); // it wins in transformers too
  if (useScaling && parameters && !parameters->empty() &&
      *parameters != *scaling) {
    warn((file + ": rope_parameters has no effect, as rope_scaling is given")
             .str());
  }
  if (names == NameSet::Cheems && !reader.has("rope_parameters") &&
      !reader.has("rope_scaling")) {
    scaling = &cheemsDefault();
    useScaling = true;
  }
  llvm::StringRef field = useScaling ? "rope_scaling" : "rope_parameters";
  const llvm::json::Object *object = useScaling ? scaling : parameters;
  if (!object) {
    return;
  }
  ConfigReader table(*object, file, (field + ".").str());
  checkNames(table, *object, field, file, warn);
  readTheta(table);
  if (std::optional<double> part = table.number("partial_rotary_factor");
      part && *part != 1.0) {
    table.refuse("partial_rotary_factor",
                 "must be 1: partly rotated heads are not supported");
  }
  std::optional<llvm::StringRef> type = table.string("rope_type"),
                                 older = table.string("type");
  llvm::StringRef kind = type ? *type : older.value_or("default");
  if (kind == "dynamic") {
    readDynamic(table, result, field, warn);
  } else if (kind != "default") {
    table.refuse(type ? "rope_type" : "type",
                 quoted(kind) +
                     " is not supported; 'default' and 'dynamic' are");
  }
  reader.record(table.take());
}

} // namespace cheems
