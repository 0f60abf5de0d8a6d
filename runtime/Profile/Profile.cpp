#include "runtime/Profile/Profile.h"
#include "runtime/Process/NewFile.h"
#include <algorithm>
#include <new>

using namespace cheems;

namespace {
/// A thread has at most so many in one step.
constexpr size_t mostRegions = 1 << 14;
} // namespace

Profile::Profile(size_t most) : most(most), startTime(Clock::now()) {
  trace.origin = cycleCount();
}

void Profile::begin(const Subject &subject) {
  trace.process = "cheems " + subject.model;
  trace.facts = {{"model", subject.model},
                 {"compiler", subject.compiler},
                 {"variant", subject.variant},
                 {"threads", std::to_string(subject.threads)}};
  trace.tracks = {"main"};
  for (int worker = 1; worker < subject.threads; ++worker) {
    trace.tracks.push_back("worker " + std::to_string(worker));
  }
  auto fill = [&](Entry &entry, const char *name,
                  const std::vector<std::string> &marks) {
    entry.name = nameOf(std::string(name));
    for (const std::string &mark : marks) {
      entry.marks.push_back(nameOf(mark));
    }
    entry.counts.resize(marks.size());
  };
  fill(general, "prefill", subject.generalMarks);
  fill(decode, "decode", subject.decodeMarks);
  int tracks = subject.threads;
  if (!subject.device.empty()) {
    trace.facts.emplace_back("device", subject.device);
    trace.tracks.push_back(subject.device);
    ++tracks;
  }
  log = std::make_unique<RegionLog>(tracks, mostRegions);
}

uint64_t *Profile::startStep(bool decodes) {
  current = decodes ? &decode : &general;
  std::fill(current->counts.begin(), current->counts.end(), 0);
  stepBegin = cycleCount();
  return full ? nullptr : current->counts.data();
}

void Profile::endStep(int64_t tokens, int64_t sequences,
                      int64_t logits) noexcept {
  uint64_t end = cycleCount();
  size_t before = trace.events.size();
  int64_t lost = 0;
  if (!full) {
    try {
      lost = record({TraceEvent::Kind::step,
                     0,
                     current->name,
                     stepBegin,
                     end,
                     {tokens, sequences, logits}});
      full = trace.events.size() > most;
    } catch (const std::bad_alloc &) { // the step was made: it is not undone
      full = true;
    }
  }
  if (full) {
    trace.events.resize(before); // frees nothing, makes nothing
    log->drain([](const RegionRecord &) {});
    ++dropped;
    return;
  }
  droppedRegions += lost;
  ++kept;
}

int64_t Profile::record(const TraceEvent &step) {
  trace.events.push_back(step);
  uint64_t next = step.end; // a part ends where the next reached one begins
  for (size_t i = current->counts.size(); i-- != 0;) {
    if (uint64_t begin = current->counts[i]) {
      trace.events.push_back(
          {TraceEvent::Kind::part, 0, current->marks[i], begin, next, {}});
      next = begin;
    }
  }
  return log->drain([&](const RegionRecord &region) {
    trace.events.push_back({TraceEvent::Kind::region,
                            region.thread,
                            nameOf(region.name),
                            region.begin,
                            region.end,
                            {region.first, region.last - region.first}});
  });
}

uint32_t Profile::nameOf(const std::string &name) {
  auto found = std::find(trace.names.begin(), trace.names.end(), name);
  if (found == trace.names.end()) {
    found = trace.names.insert(found, name);
  }
  return static_cast<uint32_t>(found - trace.names.begin());
}

uint32_t Profile::nameOf(const char *text) {
  auto found = regionNames.find(text);
  if (found == regionNames.end()) {
    uint32_t name = nameOf(std::string(text ? text : "parallel loop"));
    found = regionNames.emplace(text, name).first;
  }
  return found->second;
}

std::string Profile::loss() const {
  std::string text;
  if (dropped != 0) {
    text = "the profile holds the first " + std::to_string(kept) +
           " steps; no room for " + std::to_string(dropped) + " more";
  }
  if (droppedRegions != 0) {
    text += (text.empty() ? "the profile lacks " : "; it lacks ") +
            std::to_string(droppedRegions) + " parallel loops of long steps";
  }
  return text;
}

/// From all the time that went by.
void Profile::setClock() {
  double elapsed =
      std::chrono::duration<double, std::micro>(Clock::now() - startTime)
          .count();
  double cycles = static_cast<double>(cycleCount() - trace.origin);
  trace.cyclesPerMicrosecond = std::max(cycles, 1.0) / std::max(elapsed, 0.001);
}

double Profile::cyclesPerMicrosecond() {
  setClock();
  return trace.cyclesPerMicrosecond;
}

Trace Profile::take() {
  setClock();
  Trace taken = trace;
  trace.events.clear();
  full = false;
  kept = dropped = droppedRegions = 0;
  return taken;
}

void Profile::write(const std::string &path) {
  setClock();
  NewFile file(path);
  int64_t offset = 0;
  printTrace(trace, [&](std::string_view text) {
    file.write(text.data(), text.size(), offset);
    offset += static_cast<int64_t>(text.size());
  });
  file.finish();
}
