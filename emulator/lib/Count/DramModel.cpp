//===- DramModel.cpp - Sectors between cache and memory ------------------===//
#include "DramModel.h"

using namespace cheems::emulator;

uint64_t DramModel::wave(const std::vector<SectorUse> &sectors, size_t writer) {
  uint64_t reads = 0;
  Wave wave{waves++, {}};
  wave.sectors.reserve(sectors.size());
  for (const SectorUse &use : sectors) {
    auto [at, isNew] =
        held.try_emplace(use.sector, Held{wave.number, false, 0});
    Held &sector = at->second;
    reads += isNew && (use.read || use.written != ~uint32_t(0));
    sector.lastWave = wave.number;
    if (use.written) {
      sector.isDirty = true;
      sector.writer = writer;
    }
    wave.sectors.push_back(use.sector);
  }
  listed += wave.sectors.size();
  byAge.push_back(std::move(wave));
  evict();
  if (listed > 4 * held.size()) {
    forgetOldTouches();
  }
  return reads;
}

void DramModel::evict() {
  while (held.size() > capacity) {
    Wave &oldest = byAge.front();
    if (oldest.next == oldest.sectors.size()) {
      listed -= oldest.sectors.size();
      byAge.pop_front();
      continue;
    }
    auto at = held.find(oldest.sectors[oldest.next++]);
    if (at == held.end() || at->second.lastWave != oldest.number) {
      continue; // a later wave has touched it
    }
    if (at->second.isDirty) {
      written(at->second.writer);
    }
    held.erase(at);
  }
}

/// Without it the lists of a grid that fits into the cache grow for ever.
void DramModel::forgetOldTouches() {
  listed = 0;
  for (Wave &wave : byAge) {
    std::erase_if(wave.sectors, [&](uint64_t sector) {
      auto at = held.find(sector);
      return at == held.end() || at->second.lastWave != wave.number;
    });
    wave.next = 0;
    listed += wave.sectors.size();
  }
  std::erase_if(byAge, [](const Wave &wave) { return wave.sectors.empty(); });
}

void DramModel::empty() {
  writeBack();
  held.clear();
  byAge.clear();
  listed = 0;
}

void DramModel::writeBack() {
  for (auto &[sector, state] : held) {
    if (state.isDirty) {
      state.isDirty = false;
      written(state.writer);
    }
  }
}
