// Rotary fields, in the meaning and precedence transformers gives them.
#include "lib/Import/Rotary.h"
#include "lib/Import/Messages.h"
#include "lib/Import/RotaryFrequencies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

namespace cheems {
namespace {

constexpr double largestPosition = 2147483647.0;

using Members = llvm::ArrayRef<llvm::StringLiteral>;
/// What a type of rotary embedding reads, besides what all of them read; absent
/// for types that are refused.
std::optional<Members> membersOf(llvm::StringRef kind) {
  static constexpr llvm::StringLiteral stretched[] = {
      "factor", "original_max_position_embeddings"};
  static constexpr llvm::StringLiteral llama3[] = {
      "factor", "original_max_position_embeddings", "low_freq_factor",
      "high_freq_factor"};
  static constexpr llvm::StringLiteral yarn[] = {
      "factor",    "original_max_position_embeddings",
      "beta_fast", "beta_slow",
      "truncate",  "attention_factor",
      "mscale",    "mscale_all_dim"};
  return llvm::StringSwitch<std::optional<Members>>(kind)
      .Case("default", Members())
      .Case("dynamic", Members(stretched))
      .Case("linear", Members(stretched).take_front())
      .Case("llama3", Members(llama3))
      .Case("yarn", Members(yarn))
      .Default(std::nullopt);
}

/// Warns of names inside the table that no row of the family has, and of those
/// that this type does not read.
void warnOfUnread(ConfigReader &reader, const RotaryFields &fields,
                  const llvm::json::Object &table, llvm::StringRef field,
                  llvm::StringRef kind, WarningHandler warn) {
  constexpr llvm::StringLiteral always[] = {"rope_theta", "rope_type", "type",
                                            "partial_rotary_factor"};
  std::optional<Members> reads = membersOf(kind);
  std::vector<llvm::StringRef> names;
  for (const auto &[key, value] : table) {
    names.push_back(key);
  }
  llvm::sort(names);
  for (llvm::StringRef name : names) {
    bool isKnown = llvm::any_of(fields.rows, [&](const ConfigField &row) {
      return row.name == ("rope_parameters." + name).str();
    });
    std::string full = (field + "." + name).str();
    if (!isKnown && table.getObject(name)) { // one table per type of layer
      reader.refuse(name, "is a table; all layers share one");
    } else if (!isKnown) {
      warn((fields.file + ": field " + quoted(full) + " is unknown and ignored")
               .str());
    } else if (reads && reader.get(name) && !llvm::is_contained(always, name) &&
               !llvm::is_contained(*reads, name)) {
      warn((fields.file + ": " + full + " has no effect with rope type " + kind)
               .str());
    }
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

constexpr llvm::StringLiteral trainedName = "original_max_position_embeddings";

/// The length before stretching, which may stand beside the table or in it.
double trainedPositions(ConfigReader &reader, ConfigReader &table,
                        const RotaryFields &fields) {
  auto read = [](ConfigReader &from) {
    return from.integer(trainedName, 1, INT32_MAX);
  };
  std::optional<int64_t> beside = read(reader), inside = read(table);
  if (beside && inside && *beside != *inside) {
    table.fail(trainedName, llvm::Twine(*inside) + " contradicts " +
                                trainedName + " " + llvm::Twine(*beside) +
                                " beside the table; keep the one that holds");
  }
  return static_cast<double>(
      (beside ? beside : inside).value_or(fields.maxPositions));
}

RotaryList readLlama3(ConfigReader &reader, ConfigReader &table,
                      const RotaryFields &fields, double theta, int64_t size) {
  Llama3Scaling scaling;
  scaling.factor = readFactor(table, "llama3");
  scaling.trained = trainedPositions(reader, table, fields);
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

/// Says what of yarn's fields leaves no sound frequencies.
void checkYarn(ConfigReader &table, const RotaryFields &fields,
               const YarnScaling &scaling, const RotaryList &list,
               llvm::StringRef field, WarningHandler warn) {
  if (scaling.fast < scaling.slow) {
    table.fail("beta_fast", "must not be below beta_slow");
  } else if (list.frequencies.empty()) {
    table.fail(trainedName, "or theta is wrong: no frequency turns between "
                            "beta_slow and beta_fast times in so many tokens");
  }
  // Scores have its square, in f32.
  if (!(list.factor >= 0x1p-126 && list.factor <= 0x1p32)) {
    table.fail(scaling.attentionFactor ? "attention_factor" : "mscale",
               scaling.attentionFactor
                   ? "must be at least 2^-126 and at most 2^32"
                   : "and mscale_all_dim make a factor of cosines that is not "
                     "above 0, or above 2^32");
  }
  double ratio = static_cast<double>(fields.maxPositions) / scaling.trained;
  if (ratio != 1.0 && std::abs(ratio - scaling.factor) > 1e-3 * ratio) {
    warn((llvm::Twine(fields.file) + ": " + field + ".factor is not " +
          "max_position_embeddings over " + trainedName +
          ", which version 4 of transformers may have taken for it")
             .str());
  }
}

RotaryList readYarn(ConfigReader &reader, ConfigReader &table,
                    const RotaryFields &fields, double theta, int64_t size,
                    llvm::StringRef field, WarningHandler warn) {
  YarnScaling scaling;
  scaling.factor = readFactor(table, "yarn");
  scaling.trained = trainedPositions(reader, table, fields);
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
  scaling.truncate = table.boolean("truncate").value_or(!table.has("truncate"));
  scaling.attentionFactor = table.number("attention_factor");
  scaling.mscale = table.number("mscale").value_or(0.0);
  scaling.mscaleAllDim = table.number("mscale_all_dim").value_or(0.0);
  if (theta <= 1.0) {
    (table.get("rope_theta") ? table : reader)
        .fail("rope_theta", "must be above 1 with rope type yarn");
    return {};
  }
  RotaryList list = yarnFrequencies(theta, size, scaling);
  checkYarn(table, fields, scaling, list, field, warn);
  return list;
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

/// The type, in its newer spelling or the older one. Version 4 of transformers
/// let the older win and version 5 lets the newer, so both have to agree.
llvm::StringRef readKind(ConfigReader &table) {
  std::optional<llvm::StringRef> type = table.string("rope_type"),
                                 older = table.string("type");
  if (type && older && *type != *older) {
    table.fail("type", quoted(*older) + " contradicts rope_type " +
                           quoted(*type) + "; keep the one that holds");
  }
  return type ? *type : older.value_or("default");
}

/// How many numbers of a head turn: an even number.
int64_t readSize(ConfigReader &reader, ConfigReader &table,
                 const RotaryFields &fields) {
  constexpr llvm::StringLiteral name = "partial_rotary_factor";
  ConfigReader &from = table.get(name) ? table : reader;
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
    std::optional<double> theta = from.number("rope_theta");
    if (theta) {
      rotary.theta = *theta;
      if (*theta < 1.0) { // frequencies would grow
        from.fail("rope_theta", "must be at least 1");
      }
    }
    return theta;
  };
  std::optional<double> beside = readTheta(reader);
  ChosenTable chosen = chooseTable(reader, fields, warn);
  bool lists = fields.headSize > 0;
  static const llvm::json::Object none;
  const llvm::json::Object &object = chosen.object ? *chosen.object : none;
  ConfigReader table(object, fields.file, (chosen.field + ".").str());
  llvm::StringRef kind = readKind(table);
  warnOfUnread(table, fields, object, chosen.field, kind, warn);
  if (std::optional<double> inside = readTheta(table);
      inside && beside && *inside != *beside) {
    warn((fields.file + ": rope_theta has no effect, as " + chosen.field +
          ".rope_theta is given")
             .str());
  }
  int64_t size = readSize(reader, table, fields);
  ReadRotary result{rotary, size};
  if (std::optional<Members> reads = membersOf(kind);
      lists && reader.integer(trainedName, 1, INT32_MAX) && reads &&
      !llvm::is_contained(*reads, trainedName)) {
    warn((fields.file + ": " + trainedName + " has no effect with rope type " +
          kind)
             .str());
  }
  if (kind == "dynamic") {
    readDynamic(table, fields, std::get<RotaryConfig>(result.table),
                chosen.field, warn);
  } else if (lists && kind == "linear") {
    result.table =
        linearFrequencies(rotary.theta, size, readFactor(table, "linear"));
  } else if (lists && kind == "llama3") {
    result.table = readLlama3(reader, table, fields, rotary.theta, size);
  } else if (lists && kind == "yarn") {
    result.table =
        readYarn(reader, table, fields, rotary.theta, size, chosen.field, warn);
  } else if (kind != "default") {
    table.refuse(table.get("rope_type") ? "rope_type" : "type",
                 quoted(kind) + " is not supported; 'default'" +
                     (lists ? ", 'dynamic', 'linear', 'llama3' and 'yarn' are"
                            : " and 'dynamic' are"));
  }
  reader.record(table.take());
  return result;
}

} // namespace cheems
