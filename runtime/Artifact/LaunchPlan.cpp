#include "runtime/Artifact/LaunchPlan.h"
#include "cheems/artifact.h"
#include "runtime/Artifact/FieldReader.h"
#include "runtime/Json/Json.h"
#include <algorithm>
#include <map>

using namespace cheems;
using namespace cheems::cuda;
using nlohmann::json;

namespace {

using Number = LaunchPlan::Number;
using Argument = LaunchPlan::Argument;

int64_t StepSizes::*fieldOf(const std::string &name) {
  static const std::map<std::string, int64_t StepSizes::*> fields = {
      {"tokens", &StepSizes::tokens},
      {"segments", &StepSizes::segments},
      {"rows", &StepSizes::rows},
      {"embedding_rows", &StepSizes::embeddingRows},
      {"slots", &StepSizes::slots},
      {"capacity", &StepSizes::capacity},
      {"ring", &StepSizes::ring}};
  auto found = fields.find(name);
  return found == fields.end() ? nullptr : found->second;
}

Number parseOperation(const FieldReader &entry, const json &item,
                      const std::vector<Number> &before) {
  static const std::map<std::string, Number::Operation> operations = {
      {"add", Number::Operation::add},
      {"subtract", Number::Operation::subtract},
      {"multiply", Number::Operation::multiply},
      {"divide", Number::Operation::divide},
      {"ceildiv", Number::Operation::ceildiv},
      {"min", Number::Operation::min},
      {"max", Number::Operation::max},
      {"less", Number::Operation::less},
      {"equal", Number::Operation::equal}};
  auto found = item.size() == 3 && item[0].is_string()
                   ? operations.find(item[0].get<std::string>())
                   : operations.end();
  if (found == operations.end()) {
    throw entry.bad("numbers", "has an operation that is not known");
  }
  Number number;
  number.kind = Number::Kind::operation;
  number.operation = found->second;
  auto earlier = [&](size_t i) {
    return static_cast<size_t>(entry.integer(
        item[i], "numbers", 0, static_cast<int64_t>(before.size()) - 1));
  };
  number.a = earlier(1);
  number.b = earlier(2);
  bool divides = number.operation == Number::Operation::divide ||
                 number.operation == Number::Operation::ceildiv;
  const Number &divisor = before[number.b];
  if (divides &&
      !(divisor.kind == Number::Kind::constant && divisor.constant > 0)) {
    throw entry.bad("numbers", "divides by what is no positive constant");
  }
  return number;
}

std::vector<Number> parseNumbers(const FieldReader &entry) {
  std::vector<Number> numbers;
  for (const json &item : entry.list("numbers")) {
    Number number;
    if (item.is_array()) {
      number = parseOperation(entry, item, numbers);
    } else if (item.is_string()) {
      number.kind = Number::Kind::field;
      number.field = fieldOf(item.get<std::string>());
      if (!number.field) {
        throw entry.bad("numbers", "has the unknown field '" +
                                       item.get<std::string>() + "'");
      }
    } else {
      number.constant = entry.integer(item, "numbers", 0, INT64_MAX);
    }
    numbers.push_back(number);
  }
  return numbers;
}

/// What an argument may refer to.
struct Limits {
  int64_t numbers, areas, pools;
};

/// ["map", PLACE, rows, columns, element, rows and columns of a box]
Argument parseMap(const FieldReader &launch, const json &item,
                  const Limits &limits);

Argument parseArgument(const FieldReader &launch, const json &item,
                       const Limits &limits) {
  using Kind = Argument::Kind;
  static const std::map<std::string, Kind> places = {
      {"weights", Kind::weights},
      {"pool", Kind::pool},
      {"area", Kind::area},
      {"tokens", Kind::tokens},
      {"segments", Kind::segments},
      {"rows", Kind::rows},
      {"logits", Kind::logits},
      {"embedding_rows", Kind::embeddingRows},
      {"embeddings", Kind::embeddings},
      {"top_values", Kind::topValues},
      {"top_tokens", Kind::topTokens},
      {"log_sums", Kind::logSums},
      {"f32", Kind::real}};
  const char *field = "arguments";
  Argument argument;
  if (!item.is_array()) {
    argument.index = launch.integer(item, field, 0, limits.numbers - 1);
    return argument;
  }
  if (!item.empty() && item[0] == "map") {
    return parseMap(launch, item, limits);
  }
  auto found = !item.empty() && item[0].is_string()
                   ? places.find(item[0].get<std::string>())
                   : places.end();
  if (found == places.end()) {
    throw launch.bad(field, "has one that is not known");
  }
  argument.kind = found->second;
  bool isWeights = argument.kind == Kind::weights;
  bool hasIndex =
      isWeights || argument.kind == Kind::pool || argument.kind == Kind::area;
  bool isReal = argument.kind == Kind::real;
  if (item.size() != (hasIndex || isReal ? 2 : 1) ||
      (isReal && !item[1].is_number())) {
    throw launch.bad(field, "has one of another length");
  }
  if (isReal) {
    argument.real = item[1].get<float>();
  } else if (hasIndex) {
    int64_t count = isWeights                     ? INT64_MAX
                    : argument.kind == Kind::pool ? limits.pools
                                                  : limits.areas;
    argument.index = launch.integer(item[1], field, 0, count - 1);
  }
  return argument;
}

Argument parseMap(const FieldReader &launch, const json &item,
                  const Limits &limits) {
  using Element = LaunchPlan::TensorMap::Element;
  constexpr int64_t most = 256; // rows of a box, or elements of one
  const char *field = "arguments";
  bool isWhole = item.size() == 7 && item[1].is_array() &&
                 !(item[1].size() > 1 && item[1][0] == "map");
  Argument argument =
      isWhole ? parseArgument(launch, item[1], limits) : Argument();
  if (!isWhole || argument.kind == Argument::Kind::real) {
    throw launch.bad(field, "has a map of no memory");
  }
  LaunchPlan::TensorMap map;
  auto number = [&](size_t i) {
    return static_cast<size_t>(
        launch.integer(item[i], field, 0, limits.numbers - 1));
  };
  map.rows = number(2);
  map.columns = number(3);
  static const std::map<std::string, Element> elements = {
      {"f16", Element::f16}, {"bf16", Element::bf16}, {"f32", Element::f32}};
  auto element = item[4].is_string() ? elements.find(item[4].get<std::string>())
                                     : elements.end();
  if (element == elements.end()) {
    throw launch.bad(field, "has a map of elements that are not known");
  }
  map.element = element->second;
  map.boxRows = launch.integer(item[5], field, 1, most);
  if (map.element == Element::f32) {
    constexpr int64_t together = 4;
    map.boxColumns = launch.integer(item[6], field, together, most);
    if (map.boxColumns % together != 0) {
      throw launch.bad(field, "has boxes whose rows are no multiple of 16 "
                              "bytes");
    }
    argument.map = map;
    return argument;
  }
  map.boxColumns = launch.integer(item[6], field, 16, 64);
  if (map.boxColumns != 16 && map.boxColumns != 32 && map.boxColumns != 64) {
    throw launch.bad(field,
                     "has boxes whose rows have not 32, 64 or 128 bytes");
  }
  argument.map = map;
  return argument;
}

LaunchPlan::Launch parseLaunch(const FieldReader &reader, size_t kernels,
                               size_t parts, const Limits &limits) {
  LaunchPlan::Launch launch;
  launch.kernel = static_cast<size_t>(
      reader.integer("kernel", 0, static_cast<int64_t>(kernels) - 1));
  if (reader.has("part")) {
    launch.part = reader.integer("part", 0, static_cast<int64_t>(parts) - 1);
  }
  if (reader.has("when")) {
    launch.when =
        static_cast<size_t>(reader.integer("when", 0, limits.numbers - 1));
  }
  const json &grid = reader.list("grid");
  if (grid.size() != launch.grid.size()) {
    throw reader.bad("grid", "does not have three extents");
  }
  for (size_t i = 0; i < grid.size(); ++i) {
    launch.grid[i] = static_cast<size_t>(
        reader.integer(grid[i], "grid", 0, limits.numbers - 1));
  }
  for (const json &item : reader.list("arguments")) {
    launch.arguments.push_back(parseArgument(reader, item, limits));
  }
  return launch;
}

LaunchPlan::Entry parseEntry(const FieldReader &reader, size_t kernels,
                             size_t pools) {
  LaunchPlan::Entry entry;
  entry.numbers = parseNumbers(reader);
  entry.parts = reader.texts("parts");
  Limits limits{static_cast<int64_t>(entry.numbers.size()), 0,
                static_cast<int64_t>(pools)};
  for (const json &item : reader.list("areas")) {
    entry.areas.push_back(static_cast<size_t>(
        reader.integer(item, "areas", 0, limits.numbers - 1)));
  }
  limits.areas = static_cast<int64_t>(entry.areas.size());
  for (const json &item : reader.list("launches")) {
    entry.launches.push_back(
        parseLaunch(reader.element(item, "launches", entry.launches.size()),
                    kernels, entry.parts.size(), limits));
  }
  return entry;
}

LaunchPlan::Kernel parseKernel(const FieldReader &reader) {
  LaunchPlan::Kernel kernel;
  kernel.name = reader.text("name");
  kernel.threads = reader.integer("threads", 1, 1024);
  kernel.shared = reader.integer("shared", 0, INT32_MAX);
  kernel.overlaps = reader.has("overlaps") && reader.flag("overlaps");
  return kernel;
}

int64_t compute(Number::Operation operation, int64_t a, int64_t b) {
  using Operation = Number::Operation;
  int64_t result = 0;
  bool fits = true;
  switch (operation) {
  case Operation::add:
    fits = !__builtin_add_overflow(a, b, &result);
    break;
  case Operation::subtract:
    result = a - b;
    break;
  case Operation::multiply:
    fits = !__builtin_mul_overflow(a, b, &result);
    break;
  case Operation::divide:
    result = a / b;
    break;
  case Operation::ceildiv:
    result = a / b + (a % b != 0);
    break;
  case Operation::min:
    result = std::min(a, b);
    break;
  case Operation::max:
    result = std::max(a, b);
    break;
  case Operation::less:
    result = a < b ? 1 : 0;
    break;
  case Operation::equal:
    result = a == b ? 1 : 0;
    break;
  }
  if (!fits || result < 0) {
    throw Error("a step of this size does not fit on any GPU");
  }
  return result;
}

} // namespace

int64_t LaunchPlan::Launch::blocks(const std::vector<int64_t> &values) const {
  if (when && values[*when] == 0) {
    return 0;
  }
  int64_t blocks = 1;
  for (size_t extent : grid) {
    if (values[extent] == 0) {
      return 0;
    }
    // A grid that is too large must not look like an empty one.
    if (__builtin_mul_overflow(blocks, values[extent], &blocks)) {
      blocks = INT64_MAX;
    }
  }
  return blocks;
}

void LaunchPlan::Entry::evaluate(const StepSizes &sizes,
                                 std::vector<int64_t> &values) const {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Number &number = numbers[i];
    switch (number.kind) {
    case Number::Kind::constant:
      values[i] = number.constant;
      break;
    case Number::Kind::field:
      values[i] = sizes.*number.field;
      break;
    case Number::Kind::operation:
      values[i] = compute(number.operation, values[number.a], values[number.b]);
      break;
    }
  }
}

LaunchPlan LaunchPlan::parse(std::string_view text, const std::string &path,
                             const std::string &name, size_t pools) {
  json document = parseJson<json>(text);
  if (document.is_discarded()) {
    throw DamagedFile(name + ": corrupted: the plan of " + path +
                      " is not JSON; compile the model again");
  }
  FieldReader root(document, path + ".plan", name);
  // Those of before had no version.
  int64_t version =
      root.has("version") ? root.integer("version", 1, INT32_MAX) : 1;
  if (version != CHEEMS_LAUNCH_PLAN_VERSION) {
    throw Error(name + ": its launches on GPUs are in format version " +
                std::to_string(version) + ", but this runtime reads version " +
                std::to_string(CHEEMS_LAUNCH_PLAN_VERSION) +
                "; compile the model again");
  }
  LaunchPlan plan;
  for (const json &item : root.list("kernels")) {
    plan.kernels.push_back(
        parseKernel(root.element(item, "kernels", plan.kernels.size())));
  }
  FieldReader entries = root.object("entries");
  plan.general =
      parseEntry(entries.object("general"), plan.kernels.size(), pools);
  plan.decode =
      parseEntry(entries.object("decode"), plan.kernels.size(), pools);
  for (const json &item : entries.list("top_logits")) {
    FieldReader reader =
        entries.element(item, "top_logits", plan.topLogits.size());
    int64_t least =
        plan.topLogits.empty() ? 1 : plan.topLogits.back().count + 1;
    plan.topLogits.push_back({reader.integer("count", least, maxTokens),
                              parseEntry(reader, plan.kernels.size(), pools)});
  }
  return plan;
}
