// print-launches general|decode TOKENS SEGMENTS ROWS SLOTS CAPACITY < PLAN:
// what a step of these sizes launches, as the runtime reads a plan of launches.
// Prints JSON: the bytes of each area, and of each launch that has blocks the
// kernel and how it is launched. Arguments are as in the plan, but numbers have
// their values.
#include "runtime/Artifact/LaunchPlan.h"
#include "runtime/Error.h"
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace cheems;
using namespace cheems::cuda;
using nlohmann::json;

namespace {

using Argument = LaunchPlan::Argument;
using Values = std::vector<int64_t>;

const char *nameOf(Argument::Kind kind) {
  switch (kind) {
  case Argument::Kind::number:
    break; // stands for itself
  case Argument::Kind::real:
    return "f32";
  case Argument::Kind::weights:
    return "weights";
  case Argument::Kind::pool:
    return "pool";
  case Argument::Kind::area:
    return "area";
  case Argument::Kind::tokens:
    return "tokens";
  case Argument::Kind::segments:
    return "segments";
  case Argument::Kind::rows:
    return "rows";
  case Argument::Kind::logits:
    return "logits";
  case Argument::Kind::embeddingRows:
    return "embedding_rows";
  case Argument::Kind::embeddings:
    return "embeddings";
  case Argument::Kind::topValues:
    return "top_values";
  case Argument::Kind::topTokens:
    return "top_tokens";
  case Argument::Kind::logSums:
    return "log_sums";
  }
  throw Error("a number has no name");
}

json withoutMap(const Argument &argument, const Values &values) {
  using Kind = Argument::Kind;
  if (argument.kind == Kind::number) {
    return values[static_cast<size_t>(argument.index)];
  }
  json place = json::array({nameOf(argument.kind)});
  if (argument.kind == Kind::real) {
    place.push_back(argument.real);
  } else if (argument.kind == Kind::weights || argument.kind == Kind::pool ||
             argument.kind == Kind::area) {
    place.push_back(argument.index);
  }
  return place;
}

json printed(const Argument &argument, const Values &values) {
  using Element = LaunchPlan::TensorMap::Element;
  json place = withoutMap(argument, values);
  if (!argument.map) {
    return place;
  }
  const LaunchPlan::TensorMap &map = *argument.map;
  const char *element = map.element == Element::f16    ? "f16"
                        : map.element == Element::bf16 ? "bf16"
                                                       : "f32";
  return {"map",   place,       values[map.rows], values[map.columns],
          element, map.boxRows, map.boxColumns};
}

json printed(const LaunchPlan &plan, const LaunchPlan::Entry &entry,
             const Values &values) {
  json areas = json::array(), launches = json::array();
  for (size_t area : entry.areas) {
    areas.push_back(values[area]);
  }
  for (const LaunchPlan::Launch &launch : entry.launches) {
    if (launch.blocks(values) == 0) {
      continue;
    }
    const LaunchPlan::Kernel &kernel = plan.kernels[launch.kernel];
    json grid, arguments = json::array();
    for (size_t extent : launch.grid) {
      grid.push_back(values[extent]);
    }
    for (const Argument &argument : launch.arguments) {
      arguments.push_back(printed(argument, values));
    }
    json part;
    if (launch.part >= 0) {
      part = entry.parts[static_cast<size_t>(launch.part)];
    }
    launches.push_back({{"kernel", kernel.name},
                        {"threads", kernel.threads},
                        {"shared", kernel.shared},
                        {"part", part},
                        {"grid", grid},
                        {"arguments", arguments}});
  }
  return {{"areas", areas}, {"launches", launches}};
}

} // namespace

int main(int argc, char **argv) {
  static constexpr int64_t StepSizes::*fields[] = {
      &StepSizes::tokens, &StepSizes::segments, &StepSizes::rows,
      &StepSizes::slots, &StepSizes::capacity};
  std::string name = argc > 1 ? argv[1] : "";
  if (argc != 2 + std::size(fields) ||
      (name != "general" && name != "decode")) {
    std::cerr << "usage: print-launches general|decode TOKENS SEGMENTS ROWS "
                 "SLOTS CAPACITY < PLAN\n";
    return 2;
  }
  try {
    StepSizes sizes;
    for (size_t i = 0; i < std::size(fields); ++i) {
      sizes.*fields[i] = std::stoll(argv[2 + i]);
    }
    std::string text(std::istreambuf_iterator<char>(std::cin), {});
    // Whoever asks knows the pools.
    LaunchPlan plan = LaunchPlan::parse(text, "plan", "stdin", INT32_MAX);
    const LaunchPlan::Entry &entry =
        name == "decode" ? plan.decode : plan.general;
    Values values(entry.numbers.size());
    entry.evaluate(sizes, values);
    std::cout << printed(plan, entry, values) << "\n";
  } catch (const std::exception &error) {
    std::cerr << "print-launches: " << error.what() << "\n";
    return 1;
  }
}
