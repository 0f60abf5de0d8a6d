// Rotary fields, in the meaning and precedence transformers gives them.
#include "lib/Import/Rotary.h"
#include "lib/Import/Messages.h"
#include "lib/Import/RotaryFrequencies.h"
#include "llvm/ADT/STLExtras.h"

namespace cheems {
namespace {

constexpr double largestPosition = 2147483647.0;

/// Names inside the table that no row of the family has.
void warnOfUnknown(ConfigReader &reader, const RotaryFields &fields,
                   const llvm::json::Object &table, llvm::StringRef field,
                   WarningHandler warn) {
  std::vector<llvm::StringRef> unknown;
  for (const auto &[key, value] : table) {
    std::string full = ("rope_parameters." + llvm::StringRef(key)).str();
    if (llvm::any_of(fields.rows, [&](const ConfigField &known) {
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
    warn((fields.file + ": field " + quoted((field + "." + key).str()) +
          " is unknown and ignored")
             .str());
  }
}

/// Reads by how much positions are stretched.
double readFactor(ConfigReader &table, llvm::StringRef kind) {
  std::optional<double> factor = table.number("factor");
  if (!factor) {
    table.fail("factor", "is missing; rope type " + kind + " needs it");
    return 1.0;
  }
  if (*factor < 1.0) {
    table.fail("factor", "must be at least 1");
  }
  return *factor;
}

void readDynamic(ConfigReader &table, const RotaryFields &fields,
                 RotaryConfig &rotary, llvm::StringRef field,
                 WarningHandler warn) {
  rotary.dynamic = true;
  if (std::optional<double> factor = table.number("factor")) {
    rotary.factor = *factor;
    if (*factor < 1.0 ||
        *factor * static_cast<double>(fields.maxPositions) > largestPosition) {
      table.fail("factor", "must be at least 1 and keep "
                           "max_position_embeddings * factor below 2^31");
    }
  } else {
    table.fail("factor", "is missing; rope type dynamic needs it");
  }
  for (const TurnedNumbers &use : fields.uses) {
    if (use.size <= 2) {
      table.fail("rope_type", "dynamic needs " + use.what + " above 2");
    }
  }
  // transformers and the author's code both stretch past
  // max_position_embeddings and read nothing else
  std::optional<int64_t> original =
      table.integer("original_max_position_embeddings", 1, INT32_MAX);
  if (original && *original != fields.maxPositions) {
    warn((llvm::Twine(fields.file) + ": " + field +
          ".original_max_position_embeddings " + llvm::Twine(*original) +
          " has no effect: rope type dynamic stretches past "
          "max_position_embeddings, " +
          llvm::Twine(fields.maxPositions))
             .str());
  }
}

double trainedPositions(ConfigReader &table, const RotaryFields &fields) {
  return static_cast<double>(
      table.integer("original_max_position_embeddings", 1, INT32_MAX)
          .value_or(fields.maxPositions));
}

RotaryList readLlama3(ConfigReader &table, const RotaryFields &fields,
                      double theta, int64_t size) {
  Llama3Scaling scaling;
  scaling.factor = readFactor(table, "llama3");
  scaling.trained = trainedPositions(table, fields);
  std::optional<double> low = table.number("low_freq_factor"),
                        high = table.number("high_freq_factor");
  if (!low || !high) {
    table.fail(low ? "high_freq_factor" : "low_freq_factor",
               "is missing; rope type llama3 needs it");
    return {};
  }
  if (!(*low > 0.0 && *low < *high)) {
    table.fail("low_freq_factor", "must be above 0 and below high_freq_factor");
    return {};
  }
  scaling.low = *low;
  scaling.high = *high;
  return llama3Frequencies(theta, size, scaling);
}

RotaryList readYarn(ConfigReader &table, const RotaryFields &fields,
                    double theta, int64_t size) {
  YarnScaling scaling;
  scaling.factor = readFactor(table, "yarn");
  scaling.trained = trainedPositions(table, fields);
  // 0 counts as absent, as in Python's `or`
  auto positive = [&](llvm::StringRef name, double otherwise) {
    double value = table.number(name).value_or(0.0);
    if (value < 0.0) {
      table.fail(name, "must not be below 0");
    }
    return value > 0.0 ? value : otherwise;
  };
  scaling.fast = positive("beta_fast", 32.0);
  scaling.slow = positive("beta_slow", 1.0);
  scaling.truncate = table.boolean("truncate").value_or(true);
  scaling.attentionFactor = table.number("attention_factor");
  scaling.mscale = table.number("mscale").value_or(0.0);
  scaling.mscaleAllDim = table.number("mscale_all_dim").value_or(0.0);
  if (theta <= 1.0) {
    table.fail("rope_theta", "must be above 1 with rope type yarn");
    return {};
  }
  return yarnFrequencies(theta, size, scaling);
}

/// The table that counts, and the name of its field.
struct ChosenTable {
  const llvm::json::Object *object;
  llvm::StringRef field;
};
ChosenTable chooseTable(ConfigReader &reader, const RotaryFields &fields,
                        WarningHandler warn) {
  const llvm::json::Object *parameters = reader.child("rope_parameters"),
                           *scaling = reader.child("rope_scaling");
  bool useScaling = scaling && !scaling->empty(); // it wins in transformers too
  if (useScaling && parameters && !parameters->empty() &&
      *parameters != *scaling) {
    warn((fields.file +
          ": rope_parameters has no effect, as rope_scaling is given")
             .str());
  }
  if (fields.otherwise && !reader.has("rope_parameters") &&
      !reader.has("rope_scaling")) {
    return {fields.otherwise, "rope_scaling"};
  }
  return useScaling ? ChosenTable{scaling, "rope_scaling"}
                    : ChosenTable{parameters, "rope_parameters"};
}

/// How many numbers of a head turn: an even number.
int64_t readSize(ConfigReader &reader, ConfigReader *table,
                 const RotaryFields &fields) {
  constexpr llvm::StringLiteral name = "partial_rotary_factor";
  ConfigReader &from = table && table->get(name) ? *table : reader;
  std::optional<double> given = from.number(name);
  double part = given.value_or(fields.part);
  if (part <= 0.0 || part > 1.0) {
    from.fail(name, "must be above 0 and at most 1");
    return fields.headSize;
  }
  if (fields.wholeHeads && part != 1.0) {
    from.refuse(name, "must be 1: partly rotated heads are not supported");
  }
  auto size = static_cast<int64_t>(static_cast<double>(fields.headSize) * part);
  if (given && (size % 2 != 0 || (size == 0 && fields.headSize > 0))) {
    from.fail(name, "makes " + llvm::Twine(size) + " of " +
                        llvm::Twine(fields.headSize) +
                        " numbers turn; rotary embedding pairs them");
  }
  return size;
}

} // namespace

ReadRotary readRotary(ConfigReader &reader, const RotaryFields &fields,
                      WarningHandler warn) {
  RotaryConfig rotary;
  rotary.theta = fields.theta;
  rotary.trainedPositions = fields.maxPositions;
  auto readTheta = [&](ConfigReader &from) {
    if (std::optional<double> theta = from.number("rope_theta")) {
      rotary.theta = *theta;
      if (*theta <= 0.0) {
        from.fail("rope_theta", "must be above 0");
      }
    }
  };
  readTheta(reader);
  ChosenTable chosen = chooseTable(reader, fields, warn);
  if (!chosen.object) {
    return {rotary, readSize(reader, nullptr, fields)};
  }
  ConfigReader table(*chosen.object, fields.file, (chosen.field + ".").str());
  warnOfUnknown(table, fields, *chosen.object, chosen.field, warn);
  readTheta(table);
  int64_t size = readSize(reader, &table, fields);
  ReadRotary result{rotary, size};
  std::optional<llvm::StringRef> type = table.string("rope_type"),
                                 older = table.string("type");
  llvm::StringRef kind = type ? *type : older.value_or("default");
  bool lists = fields.headSize > 0;
  if (kind == "dynamic") {
    readDynamic(table, fields, std::get<RotaryConfig>(result.table),
                chosen.field, warn);
  } else if (lists && kind == "linear") {
    result.table =
        linearFrequencies(rotary.theta, size, readFactor(table, "linear"));
  } else if (lists && kind == "llama3") {
    result.table = readLlama3(table, fields, rotary.theta, size);
  } else if (lists && kind == "yarn") {
    result.table = readYarn(table, fields, rotary.theta, size);
  } else if (kind != "default") {
    table.refuse(type ? "rope_type" : "type",
                 quoted(kind) + " is not supported; 'default'" +
                     (lists ? ", 'dynamic', 'linear', 'llama3' and 'yarn' are"
                            : " and 'dynamic' are"));
  }
  reader.record(table.take());
  return result;
}

} // namespace cheems
