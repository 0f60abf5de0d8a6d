//===- SharedShadow.cpp - Who touched each byte last ---------------------===//
#include "cheems/Emulator/Check/SharedShadow.h"

#include <bit>

using namespace cheems::emulator;

std::array<ShadowCell, 4> &SharedShadow::split(uint64_t word) {
  auto [at, isNew] = parts.try_emplace(word);
  if (isNew) {
    const ShadowCell whole = words[word].cell;
    words[word].split = true;
    for (ShadowCell &part : at->second) {
      part = whole;
      part.reads = 0;
      // Each part gets a list of its own.
      for (uint32_t i = whole.reads; i; i = reads[i - 1].next) {
        Read copy = reads[i - 1];
        copy.next = part.reads;
        reads.push_back(copy);
        part.reads = static_cast<uint32_t>(reads.size());
      }
    }
    forgetReads(words[word].cell);
  }
  return at->second;
}

std::optional<uint32_t> SharedShadow::unorderedLane(const Read &read,
                                                    const Clocks &clocks,
                                                    uint32_t thread) const {
  for (LaneMask rest = read.lanes; rest; rest &= rest - 1) {
    const uint32_t reader = read.touch.thread + std::countr_zero(rest);
    if (!clocks.isBefore(reader, read.touch.clock, thread)) {
      return reader;
    }
  }
  return std::nullopt;
}

std::optional<Touch> SharedShadow::unorderedRead(const ShadowCell &cell,
                                                 const Clocks &clocks,
                                                 const Touch &touch) {
  for (uint32_t i = cell.reads; i; i = reads[i - 1].next) {
    const Read &read = reads[i - 1];
    if (read.touch.isStrong && touch.isStrong) {
      continue;
    }
    if (auto reader = unorderedLane(read, clocks, touch.thread)) {
      Touch found = read.touch;
      found.thread = *reader;
      return found;
    }
  }
  return std::nullopt;
}

void SharedShadow::addRead(ShadowCell &cell, const Clocks &clocks,
                           const Touch &touch) {
  const uint32_t firstLane = touch.thread / warpLanes * warpLanes;
  const LaneMask bit = LaneMask(1) << touch.thread % warpLanes;
  for (uint32_t *link = &cell.reads; *link;) {
    const uint32_t number = *link;
    Read &read = reads[number - 1];
    if (read.touch.thread == firstLane && read.touch.clock == touch.clock &&
        read.touch.instruction == touch.instruction &&
        read.touch.isStrong == touch.isStrong) {
      read.lanes |= bit;
      return;
    }
    if (!unorderedLane(read, clocks, touch.thread)) {
      *link = read.next;
      read.next = freeRead;
      freeRead = number;
    } else {
      link = &read.next;
    }
  }
  Read made = {touch, bit, cell.reads};
  made.touch.thread = firstLane;
  if (freeRead) {
    const uint32_t number = freeRead;
    freeRead = reads[number - 1].next;
    reads[number - 1] = made;
    cell.reads = number;
  } else {
    reads.push_back(made);
    cell.reads = static_cast<uint32_t>(reads.size());
  }
}

void SharedShadow::forgetReads(ShadowCell &cell) {
  while (cell.reads) {
    Read &read = reads[cell.reads - 1];
    const uint32_t next = read.next;
    read.next = freeRead;
    freeRead = cell.reads;
    cell.reads = next;
  }
}
