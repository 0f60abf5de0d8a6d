//===- Shadow.cpp - Who touched each byte last ---------------------------===//
#include "Shadow.h"

using namespace cheems::emulator;

void Shadow::push(ShadowCell &cell, const ShadowRead &read) {
  const Listed made = {read, cell.moreReads};
  if (freeListed) {
    const uint32_t number = freeListed;
    freeListed = list[number - 1].next;
    list[number - 1] = made;
    cell.moreReads = number;
  } else {
    list.push_back(made);
    cell.moreReads = static_cast<uint32_t>(list.size());
  }
}

void Shadow::forgetList(ShadowCell &cell) {
  while (cell.moreReads) {
    Listed &listed = list[cell.moreReads - 1];
    const uint32_t next = listed.next;
    listed = {{}, freeListed};
    freeListed = cell.moreReads;
    cell.moreReads = next;
  }
}

uint32_t Shadow::takeQuad() {
  if (freeQuads.empty()) {
    const auto first = static_cast<uint32_t>(quads.size() * chunkCells / 4);
    quads.push_back(std::make_unique<std::array<ShadowCell, chunkCells>>());
    for (uint32_t i = chunkCells / 4; i > 0; --i) {
      freeQuads.push_back(first + i);
    }
  }
  const uint32_t number = freeQuads.back();
  freeQuads.pop_back();
  return number;
}

void Shadow::split(ShadowCell &cell, unsigned cellBytes) {
  const uint32_t parts = takeQuad();
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned begin = i * cellBytes / 4;
    ShadowCell &part = partOf(parts, i);
    part = {.write = cell.write, .writer = cell.writer.after(begin)};
    for (size_t j = 0; j < cell.reads.size(); ++j) {
      part.reads[j] = cell.reads[j].after(begin);
    }
    // Each part gets a list of its own.
    for (uint32_t at = cell.moreReads; at; at = list[at - 1].next) {
      push(part, list[at - 1].read.after(begin));
    }
  }
  forgetReads(cell);
  cell.write = noEvent;
  cell.parts = parts;
}

void Shadow::merge(ShadowCell &cell) {
  cell.write = partOf(cell.parts, 0).write;
  for (unsigned i = 0; i < 4; ++i) {
    partOf(cell.parts, i) = {};
  }
  freeQuads.push_back(cell.parts);
  cell.parts = 0;
}
