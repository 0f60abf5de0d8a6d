#include "Report.h"
#include "runtime/Json/Json.h"
#include "tools/Support/Format.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace cheems::bench {

namespace {

using nlohmann::ordered_json;

std::string mebibytes(int64_t bytes) {
  return format("%.1f MiB", static_cast<double>(bytes) / (1 << 20));
}

/// A row against the limits of its threads, if they were measured.
struct Shares {
  double bandwidth, work; ///< bytes/s, operations/s
  /// Shares of what can be read, and of the unit's peak.
  std::optional<double> read, peak;

  Shares(const Row &row, const Limits *limits)
      : bandwidth(row.timing.rate(static_cast<double>(row.timing.bytes))),
        work(row.timing.rate(row.timing.operations)) {
    if (limits) {
      read = bandwidth / limits->readBandwidth;
      peak = work / limits->peaks.at(row.model->productUnit);
    }
  }
};

std::string percent(std::optional<double> share) {
  return share ? format("%.1f", 100 * *share) : "-";
}

/// What an operation cannot be faster than.
struct Bound {
  std::string name; ///< of the matmul unit, or "L2", "memory"
  double seconds;

  Bound(const Row &row, const Limits &limits) {
    const std::string &unit = row.model->productUnit;
    bool near = row.operation.value().workingSet <= limits.l2Bytes;
    double moving = static_cast<double>(row.timing.bytes) /
                    (near ? limits.l2Bandwidth : limits.readBandwidth),
           computing = row.timing.operations / limits.peaks.at(unit);
    bool moves = moving > computing;
    name = !moves ? unit : near ? "L2" : "memory";
    seconds = std::max(moving, computing);
  }
  double share(const Row &row) const {
    return seconds / row.timing.medianSeconds();
  }
};

std::optional<Bound> boundOf(const Row &row, const Limits *limits) {
  return limits ? std::optional(Bound(row, *limits)) : std::nullopt;
}

/// Letters that a terminal shows: "±" is two bytes.
size_t widthOf(const std::string &cell) {
  return static_cast<size_t>(
      std::count_if(cell.begin(), cell.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
      }));
}

using Cells = std::vector<std::string>;

/// Columns padded to their widest cell; all but the first ones to the right.
std::string table(const std::vector<Cells> &lines, size_t leftColumns) {
  std::vector<size_t> widths(lines[0].size(), 3);
  for (const Cells &line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], widthOf(line[i]));
    }
  }
  std::string result, rule;
  for (const Cells &line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      std::string space(widths[i] - widthOf(line[i]), ' ');
      bool left = i < leftColumns;
      result += "| " + (left ? line[i] + space : space + line[i]) + " ";
      rule += "|" + std::string(widths[i] + (left ? 2 : 1), '-') +
              (left ? "" : ":");
    }
    result += "|\n";
    if (&line == &lines[0]) {
      result += rule + "|\n";
    }
  }
  return result;
}

std::string testTable(const Report &report) {
  std::vector<Cells> lines = {{"model", "variant", "test", "size", "params",
                               "threads", "t/s", "GB/s", "% read", "GFLOP/s",
                               "% peak", "first token"}};
  for (const Row &row : report.rows) {
    const ModelFacts &model = *row.model;
    const Timing &timing = row.timing;
    Shares shares(row, report.limitsOf(row));
    auto tokens = static_cast<double>(timing.tokens);
    lines.push_back(
        {model.name + " " + model.weights, model.variant, timing.test,
         mebibytes(model.fileBytes),
         model.parameters
             ? format("%.2f M", static_cast<double>(*model.parameters) / 1e6)
             : "-",
         std::to_string(timing.threads),
         format("%.2f ± %.2f", timing.rate(tokens), timing.deviation(tokens)),
         format("%.2f", shares.bandwidth / 1e9), percent(shares.read),
         format("%.1f", shares.work / 1e9), percent(shares.peak),
         timing.prompt ? format("%.2f ms", 1e3 * timing.medianSeconds())
                       : "-"});
  }
  return table(lines, 3);
}

std::string operationTable(const Report &report) {
  std::vector<Cells> lines = {{"operation", "weights", "variant", "threads",
                               "µs/token", "t/s", "GFLOP/s", "% peak", "GB/s",
                               "% read", "limit", "% of limit"}};
  for (const Row &row : report.rows) {
    const Timing &timing = row.timing;
    const Limits *limits = report.limitsOf(row);
    Shares shares(row, limits);
    std::optional<Bound> bound = boundOf(row, limits);
    auto tokens = static_cast<double>(timing.tokens);
    lines.push_back(
        {timing.test, row.model->weights, row.model->variant,
         std::to_string(timing.threads),
         format("%.3f", 1e6 * timing.medianSeconds() / tokens),
         format("%.0f ± %.0f", timing.rate(tokens), timing.deviation(tokens)),
         format("%.1f", shares.work / 1e9), percent(shares.peak),
         format("%.2f", shares.bandwidth / 1e9), percent(shares.read),
         bound ? bound->name : "-",
         percent(bound ? std::optional(bound->share(row)) : std::nullopt)});
  }
  return table(lines, 3);
}

void addModel(const ModelFacts &model, std::vector<Cells> &lines) {
  const LoadTime &load = model.load;
  if (!model.gpu.empty()) {
    lines.push_back({model.name + ": " + model.device, model.gpu});
  }
  if (!model.path.empty()) {
    lines.push_back({model.name + ": load to first token",
                     format("%.2f ms (open %.2f, memory %.2f, token %.2f)",
                            1e3 * load.total(), 1e3 * load.open,
                            1e3 * load.session, 1e3 * load.decode)});
  }
  if (model.compile) {
    lines.push_back({model.name + ": compile",
                     format("%.2f s, memory at most ", model.compile->seconds) +
                         mebibytes(model.compile->peakBytes)});
  }
}

std::string factTable(const Report &report) {
  std::vector<Cells> lines = {{"measured", "value"}};
  std::vector<const ModelFacts *> models; // in the rows' order
  std::map<const ModelFacts *, int64_t> peaks;
  std::set<std::string> units;
  int64_t peak = 0;
  for (const Row &row : report.rows) {
    const ModelFacts *model = row.model.get();
    peak = std::max(peak, row.timing.peakMemory);
    units.insert(model->productUnit);
    if (peaks.count(model) == 0) {
      models.push_back(model);
    }
    peaks[model] = std::max(peaks[model], row.timing.peakMemory);
  }
  bool several = models.size() > 1 && !models[0]->path.empty();
  for (const ModelFacts *model : models) {
    addModel(*model, lines);
    if (several) {
      lines.push_back({model->name + ": peak memory", mebibytes(peaks[model])});
    }
  }
  if (!several) {
    lines.push_back({"peak memory", mebibytes(peak)});
  }
  lines.push_back({"processor", processorName()});
  for (const auto &[threads, limits] : report.limits) {
    std::string on = ", threads: " + std::to_string(threads);
    std::string lack = " over " + mebibytes(limits.readBuffer) +
                       " only, because memory is short";
    lines.push_back({"read bandwidth" + on,
                     format("%.2f GB/s", limits.readBandwidth / 1e9) +
                         (limits.shortOfMemory() ? lack : "")});
    if (limits.l2Bytes > 0) {
      lines.push_back(
          {"L2 bandwidth" + on, format("%.2f GB/s", limits.l2Bandwidth / 1e9) +
                                    ", " + mebibytes(limits.l2Bytes)});
    }
    lines.push_back(
        {"empty parallel region" + on, format("%.2f us", limits.region * 1e6)});
    for (const auto &[unit, rate] : limits.peaks) {
      lines.push_back(
          {unit + on, format("%.1f GFLOP/s", rate / 1e9) +
                          (units.count(unit) ? " (% peak is of this)" : "")});
    }
  }
  return table(lines, 2);
}

/// `value`, or null.
ordered_json where(bool there, double value) {
  return there ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json hundredfold(std::optional<double> share) {
  return where(share.has_value(), 100 * share.value_or(0));
}

/// The machine's fields; what was not measured is null.
ordered_json machine(const Row &row, const Limits *limits) {
  const std::string &unit = row.model->productUnit;
  ordered_json json = {{"processor", processorName()},
                       {"threads", row.timing.threads}};
  for (const char *field : {"read_gigabytes_per_second", "read_buffer_bytes",
                            "l2_gigabytes_per_second", "l2_bytes",
                            "region_microseconds", "gigaflops_per_second"}) {
    json[field] = nullptr;
  }
  json["peak_unit"] = unit.empty() ? ordered_json(nullptr) : ordered_json(unit);
  json["peak_gigaflops_per_second"] = nullptr;
  if (!limits) {
    return json;
  }
  json["read_gigabytes_per_second"] = limits->readBandwidth / 1e9;
  json["read_buffer_bytes"] = limits->readBuffer;
  if (limits->l2Bytes > 0) {
    json["l2_gigabytes_per_second"] = limits->l2Bandwidth / 1e9;
    json["l2_bytes"] = limits->l2Bytes;
  }
  json["region_microseconds"] = limits->region * 1e6;
  json["gigaflops_per_second"] = ordered_json::object();
  for (const auto &[name, rate] : limits->peaks) {
    json["gigaflops_per_second"][name] = rate / 1e9;
  }
  json["peak_gigaflops_per_second"] = limits->peaks.at(unit) / 1e9;
  return json;
}

/// The fields of operations, which are null in rows of models.
void addOperation(const Row &row, const Limits *limits, ordered_json &json) {
  for (const char *field :
       {"op", "shape", "chunk", "passes", "seconds_per_token", "loops",
        "working_set_bytes", "limit", "percent_of_limit"}) {
    json[field] = nullptr;
  }
  if (!row.operation) {
    return;
  }
  const OperationFacts &operation = *row.operation;
  json["op"] = operation.kind;
  json["shape"] = ordered_json::object();
  for (const auto &[name, value] : operation.numbers) {
    json["shape"][name] = value ? ordered_json(*value) : ordered_json(nullptr);
  }
  if (operation.chunk > 0) {
    json["chunk"] = operation.chunk;
  }
  json["passes"] = operation.passes;
  json["seconds_per_token"] =
      row.timing.medianSeconds() / static_cast<double>(row.timing.tokens);
  json["loops"] = operation.loops;
  json["working_set_bytes"] = operation.workingSet;
  if (std::optional<Bound> bound = boundOf(row, limits)) {
    json["limit"] = bound->name;
    json["percent_of_limit"] = 100 * bound->share(row);
  }
}

ordered_json jsonRow(const Row &row, const Limits *limits) {
  const ModelFacts &model = *row.model;
  const Timing &timing = row.timing;
  Shares shares(row, limits);
  auto tokens = static_cast<double>(timing.tokens);
  bool loaded = !model.path.empty(), compiled = model.compile.has_value();
  ChildCost compile = model.compile.value_or(ChildCost());
  ordered_json json = {
      {"test", timing.test},
      {"tokens_per_second", timing.rate(tokens)},
      {"tokens_per_second_deviation", timing.deviation(tokens)},
      {"tokens_per_second_median", tokens / timing.medianSeconds()},
      {"threads", timing.threads},
      {"tokens", timing.tokens},
      {"depth", timing.depth},
      {"sequences", timing.sequences},
      {"greedy", timing.greedy},
      {"seconds", timing.seconds},
      {"bytes", timing.bytes},
      {"operations", timing.operations},
      {"gigabytes_per_second", shares.bandwidth / 1e9},
      {"percent_of_read", hundredfold(shares.read)},
      {"gigaflops_per_second", shares.work / 1e9},
      {"percent_of_peak", hundredfold(shares.peak)},
      {"time_to_first_token_seconds",
       where(timing.prompt, timing.medianSeconds())},
      {"load_seconds", where(loaded, model.load.total())},
      {"load_open_seconds", where(loaded, model.load.open)},
      {"load_session_seconds", where(loaded, model.load.session)},
      {"load_decode_seconds", where(loaded, model.load.decode)},
      {"peak_memory_bytes", timing.peakMemory},
      {"artefact_bytes", model.fileBytes},
      {"compile_seconds", where(compiled, compile.seconds)},
      {"compile_peak_memory_bytes",
       where(compiled, static_cast<double>(compile.peakBytes))},
      {"model", model.path},
      {"model_name", model.name},
      {"model_type", model.type},
      {"parameters", model.parameters ? ordered_json(*model.parameters)
                                      : ordered_json(nullptr)},
      {"weights", model.weights},
      {"variant", model.variant},
      {"device", model.device},
      {"gpu",
       model.gpu.empty() ? ordered_json(nullptr) : ordered_json(model.gpu)},
      {"pipeline", model.pipeline},
      {"compiler", model.compiler},
      {"machine", machine(row, limits)}};
  addOperation(row, limits, json);
  return json;
}

} // namespace

const Limits *Report::limitsOf(const Row &row) const {
  auto found =
      row.model->gpu.empty() ? limits.find(row.timing.threads) : limits.end();
  return found == limits.end() ? nullptr : &found->second;
}

std::string Report::markdown() const {
  bool operations = !rows.empty() && rows[0].operation;
  return (operations ? operationTable(*this) : testTable(*this)) + "\n" +
         factTable(*this);
}

std::string Report::json() const {
  ordered_json result = ordered_json::array();
  for (const Row &row : rows) {
    result.push_back(jsonRow(row, limitsOf(row)));
  }
  return printJsonOfAnyBytes(result, 2) + "\n";
}

} // namespace cheems::bench
