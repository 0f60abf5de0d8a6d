//===- Names.cpp ----------------------------------------------------------===//
#include "Names.h"

#include "Cursor.h"

#include <algorithm>
#include <charconv>

namespace cheems::emulator::ptx {

bool Names::inRange(const Range &range, std::string_view name) {
  if (name.size() <= range.prefix.size() || !name.starts_with(range.prefix)) {
    return false;
  }
  std::string_view number = name.substr(range.prefix.size());
  if (number.size() > 1 && number[0] == '0') {
    return false;
  }
  uint64_t index = 0;
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), index);
  return error == std::errc() && end == number.data() + number.size() &&
         index < range.count;
}

void Names::declareIn(Scope &scope, const Token &name, Meaning meaning) {
  bool ranged = std::ranges::any_of(scope.ranges, [&](const Range &range) {
    return inRange(range, name.text);
  });
  if (ranged || !scope.names.emplace(name.text, std::move(meaning)).second) {
    refuse(name.location, quoted(name.text) + " is declared twice");
  }
}

void Names::declareRange(const Token &prefix, uint64_t count,
                         MakeVariable make) {
  Scope &scope = scopes.back();
  Range added{prefix.text, count, std::move(make)};
  bool twice = std::ranges::any_of(scope.names, [&](const auto &entry) {
    return inRange(added, entry.first);
  });
  for (const Range &range : scope.ranges) {
    // The lowest name of one is a name of the other, or they have none in
    // common.
    std::string first = std::string(range.prefix) + "0";
    std::string mine = std::string(prefix.text) + "0";
    twice |= inRange(added, first) || inRange(range, mine);
  }
  if (twice) {
    refuse(prefix.location,
           "a name of the range " + quoted(prefix.text) + " is declared twice");
  }
  scope.ranges.push_back(std::move(added));
}

Meaning *Names::declared(std::string_view name) {
  auto found = scopes.back().names.find(name);
  return found == scopes.back().names.end() ? nullptr : &found->second;
}

const Meaning *Names::find(std::string_view name) {
  for (size_t depth = scopes.size(); depth-- > 0;) {
    Scope &scope = scopes[depth];
    if (auto found = scope.names.find(name); found != scope.names.end()) {
      return &found->second;
    }
    for (const Range &range : scope.ranges) {
      if (inRange(range, name)) {
        return &scope.names.emplace(name, range.make(name)).first->second;
      }
    }
  }
  return nullptr;
}

void Names::branch(const Token &label, std::function<void(size_t)> resolve) {
  scopes.back().branches.push_back({label, std::move(resolve)});
}

void Names::close(bool function) {
  Scope scope = std::move(scopes.back());
  scopes.pop_back();
  for (Branch &branch : scope.branches) {
    auto found = scope.names.find(branch.label.text);
    auto *label = found == scope.names.end()
                      ? nullptr
                      : std::get_if<Label>(&found->second);
    if (label) {
      branch.resolve(label->target);
    } else if (function) {
      refuse(branch.label.location,
             quoted(branch.label.text) + " is no label that can be seen here");
    } else {
      scopes.back().branches.push_back(std::move(branch));
    }
  }
}

bool isSpecialVector(std::string_view name) {
  constexpr std::string_view vectors[] = {
      "tid",       "ntid",       "ctaid",         "nctaid",
      "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};
  return std::ranges::find(vectors, name) != std::end(vectors);
}

bool isSpecialRegister(std::string_view name) {
  constexpr std::string_view scalars[] = {
      "laneid",
      "warpid",
      "nwarpid",
      "smid",
      "nsmid",
      "gridid",
      "is_explicit_cluster",
      "cluster_ctarank",
      "cluster_nctarank",
      "lanemask_eq",
      "lanemask_le",
      "lanemask_lt",
      "lanemask_ge",
      "lanemask_gt",
      "clock",
      "clock_hi",
      "clock64",
      "globaltimer",
      "globaltimer_lo",
      "globaltimer_hi",
      "reserved_smem_offset_begin",
      "reserved_smem_offset_end",
      "reserved_smem_offset_cap",
      "reserved_smem_offset_0",
      "reserved_smem_offset_1",
      "total_smem_size",
      "aggr_smem_size",
      "dynamic_smem_size",
      "current_graph_exec",
  };
  if (std::ranges::find(scalars, name) != std::end(scalars)) {
    return true;
  }
  auto numbered = [&](std::string_view start, int count,
                      std::string_view end = "") {
    for (int number = 0; number < count; ++number) {
      if (name ==
          std::string(start) + std::to_string(number) + std::string(end)) {
        return true;
      }
    }
    return false;
  };
  return numbered("pm", 8) || numbered("pm", 8, "_64") ||
         numbered("envreg", 32);
}

} // namespace cheems::emulator::ptx
