//===- Warnings.cpp -------------------------------------------------------===//
#include "Warnings.h"

namespace cheems::emulator {

void Warnings::add(uint64_t cluster, const Finding &finding) {
  if (areErrors) {
    throw Finding(finding);
  }
  const Key key = {finding.rule, finding.place.line,
                   finding.other ? finding.other->line : 0};
  std::lock_guard lock(mutex);
  auto [found, isNew] = firsts.try_emplace(key);
  First &first = found->second;
  if (isNew || (first.finding && cluster < first.cluster)) {
    first.cluster = cluster;
    first.finding.emplace(finding);
  }
}

void Warnings::dropAfter(uint64_t cluster) {
  std::lock_guard lock(mutex);
  std::erase_if(firsts, [&](const auto &entry) {
    return entry.second.cluster > cluster;
  });
}

std::vector<Finding> Warnings::take() {
  std::lock_guard lock(mutex);
  std::vector<Finding> taken;
  for (auto &[key, first] : firsts) {
    if (first.finding) {
      taken.push_back(*first.finding);
      first.finding.reset();
    }
  }
  return taken;
}

} // namespace cheems::emulator
