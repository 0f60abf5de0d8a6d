// Makes the JSON of a launch plan.
#include "PlanWriter.h"
#include <algorithm>

namespace cheems::cuda {
namespace {

int64_t compute(llvm::StringRef operation, int64_t a, int64_t b) {
  return operation == "add"        ? a + b
         : operation == "subtract" ? a - b
         : operation == "multiply" ? a * b
         : operation == "divide"   ? a / b
         : operation == "ceildiv"  ? (a + b - 1) / b
         : operation == "min"      ? std::min(a, b)
         : operation == "max"      ? std::max(a, b)
         : operation == "less"     ? int64_t(a < b)
                                   : int64_t(a == b);
}

/// The memory of an argument; null if it has none.
const Place *placeOf(const PlanArgument &argument) {
  const auto *map = std::get_if<PlanMap>(&argument);
  return map ? &map->place : std::get_if<Place>(&argument);
}

using Renumbered = std::vector<std::optional<size_t>>;

int64_t nameOf(size_t number, const Renumbered &names) {
  return int64_t(*names[number]);
}

llvm::json::Value describe(const Number &number, const Renumbered &names) {
  switch (number.kind) {
  case Number::Kind::Constant:
    return number.constant;
  case Number::Kind::Field:
    return number.name;
  case Number::Kind::Operation:
    return llvm::json::Array{number.name, nameOf(number.of[0], names),
                             nameOf(number.of[1], names)};
  }
  llvm_unreachable("every kind is above");
}

llvm::StringRef nameOf(Place::Kind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "weights",    "pool",       "area",       "tokens",
      "segments",   "rows",       "logits",     "embedding_rows",
      "embeddings", "top_values", "top_tokens", "log_sums"};
  return names[static_cast<size_t>(kind)];
}

} // namespace

size_t PlanWriter::keep(Number number) {
  auto [found, isNew] = known.try_emplace(number, numbers.size());
  if (isNew) {
    numbers.push_back(std::move(number));
  }
  return found->second;
}

std::optional<int64_t> PlanWriter::valueOf(size_t number) const {
  const Number &known = numbers[number];
  return known.kind == Number::Kind::Constant ? std::optional(known.constant)
                                              : std::nullopt;
}

size_t PlanWriter::operation(llvm::StringRef name, size_t a, size_t b) {
  auto x = valueOf(a), y = valueOf(b);
  bool divides = name == "divide" || name == "ceildiv";
  if (x && y && !(divides && *y == 0)) {
    return constant(compute(name, *x, *y));
  }
  if (name == "multiply" && (x == 1 || y == 1)) {
    return x == 1 ? b : a;
  }
  if (name == "multiply" && (x == 0 || y == 0)) {
    return constant(0);
  }
  if (name == "add" && (x == 0 || y == 0)) {
    return x == 0 ? b : a;
  }
  return keep({Number::Kind::Operation, 0, name.str(), {a, b}});
}

Place PlanWriter::area(size_t bytes) {
  areas.push_back({bytes});
  return {Place::Kind::Area, int64_t(areas.size()) - 1};
}

void PlanWriter::launch(size_t kernel, std::optional<size_t> when,
                        std::array<size_t, 3> grid,
                        std::vector<PlanArgument> arguments) {
  for (const PlanArgument &each : arguments) {
    const Place *place = placeOf(each);
    if (!place || place->kind != Place::Kind::Area) {
      continue;
    }
    Area &area = areas[size_t(place->index)];
    area.first = area.used ? area.first : launches.size();
    area.last = launches.size();
    area.used = true;
  }
  std::optional<size_t> part;
  if (!parts.empty()) {
    part = parts.size() - 1;
  }
  launches.push_back({kernel, part, when, grid, std::move(arguments)});
}

std::pair<std::vector<size_t>, std::vector<size_t>>
PlanWriter::placeAreas() const {
  std::vector<size_t> order, placed(areas.size()), sizes, freeFrom;
  for (size_t i = 0; i < areas.size(); ++i) {
    if (areas[i].used) {
      order.push_back(i);
    }
  }
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(areas[a].first, a) < std::pair(areas[b].first, b);
  });
  for (size_t i : order) {
    const Area &area = areas[i];
    size_t memory = 0;
    // A launch's areas are all in use until it ends.
    while (memory < sizes.size() &&
           (sizes[memory] != area.bytes || freeFrom[memory] > area.first)) {
      ++memory;
    }
    if (memory == sizes.size()) {
      sizes.push_back(area.bytes);
      freeFrom.push_back(0);
    }
    freeFrom[memory] = area.last + 1;
    placed[i] = memory;
  }
  return {std::move(placed), std::move(sizes)};
}

std::vector<std::optional<size_t>> PlanWriter::renumber() const {
  std::vector<bool> needed(numbers.size());
  for (const Launch &launch : launches) {
    for (size_t number : launch.grid) {
      needed[number] = true;
    }
    if (launch.when) {
      needed[*launch.when] = true;
    }
    for (const PlanArgument &each : launch.arguments) {
      if (const auto *number = std::get_if<size_t>(&each)) {
        needed[*number] = true;
      } else if (const auto *map = std::get_if<PlanMap>(&each)) {
        needed[map->rows] = needed[map->columns] = true;
      }
    }
  }
  for (const Area &area : areas) {
    needed[area.bytes] = needed[area.bytes] || area.used;
  }
  // An operation stands behind what it is of.
  for (size_t i = numbers.size(); i-- > 0;) {
    if (needed[i] && numbers[i].kind == Number::Kind::Operation) {
      needed[numbers[i].of[0]] = needed[numbers[i].of[1]] = true;
    }
  }
  std::vector<std::optional<size_t>> names(numbers.size());
  size_t next = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (needed[i]) {
      names[i] = next++;
    }
  }
  return names;
}

llvm::json::Object PlanWriter::finish() const {
  auto memory = placeAreas();
  Renumbered names = renumber();
  auto named = [&](llvm::ArrayRef<size_t> given) {
    llvm::json::Array result;
    for (size_t number : given) {
      result.push_back(nameOf(number, names));
    }
    return result;
  };
  llvm::json::Array describedNumbers, describedLaunches;
  for (auto [number, name] : llvm::zip(numbers, names)) {
    if (name) {
      describedNumbers.push_back(describe(number, names));
    }
  }
  auto describePlace = [&](const Place &place) -> llvm::json::Value {
    llvm::json::Array described{nameOf(place.kind)};
    if (place.kind == Place::Kind::Area) {
      described.push_back(int64_t(memory.first[size_t(place.index)]));
    } else if (place.kind == Place::Kind::Weights ||
               place.kind == Place::Kind::Pool) {
      described.push_back(place.index);
    }
    return described;
  };
  auto describeArgument = [&](const PlanArgument &each) -> llvm::json::Value {
    if (const auto *number = std::get_if<size_t>(&each)) {
      return nameOf(*number, names);
    }
    if (const auto *real = std::get_if<float>(&each)) {
      return llvm::json::Array{"f32", double(*real)};
    }
    if (const auto *map = std::get_if<PlanMap>(&each)) {
      return llvm::json::Array{"map",
                               describePlace(map->place),
                               nameOf(map->rows, names),
                               nameOf(map->columns, names),
                               map->element,
                               map->boxRows,
                               map->boxColumns};
    }
    return describePlace(std::get<Place>(each));
  };
  for (const Launch &launch : launches) {
    llvm::json::Array arguments;
    for (const PlanArgument &each : launch.arguments) {
      arguments.push_back(describeArgument(each));
    }
    llvm::json::Object made{{"kernel", int64_t(launch.kernel)},
                            {"grid", named(launch.grid)},
                            {"arguments", std::move(arguments)}};
    if (launch.when) {
      made["when"] = nameOf(*launch.when, names);
    }
    if (launch.part) {
      made["part"] = int64_t(*launch.part);
    }
    describedLaunches.push_back(std::move(made));
  }
  return llvm::json::Object{{"numbers", std::move(describedNumbers)},
                            {"areas", named(memory.second)},
                            {"parts", llvm::json::Array(parts)},
                            {"launches", std::move(describedLaunches)}};
}

} // namespace cheems::cuda
