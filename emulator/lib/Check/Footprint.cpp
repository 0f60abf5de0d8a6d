//===- Footprint.cpp - What independent blocks have touched --------------===//
#include "Footprint.h"

#include <bit>
#include <cstring>

using namespace cheems::emulator;

// -- Whose a byte is

void Footprint::Owners::set(uint64_t begin, unsigned bytes, const Owner &owner,
                            const PageBits &known) {
  auto at = [&](uint64_t byte) -> Owner {
    return {owner.warp, owner.instruction,
            owner.lanes.after(static_cast<unsigned>(byte - begin))};
  };
  if (all.empty()) {
    all.resize(pageBytes / unit);
  }
  const bool isNew = !known.any(begin, bytes);
  while (unit > 1 && (!isNew || begin % unit != 0 || bytes % unit != 0)) {
    std::vector<Owner> smaller(pageBytes / (unit / 16));
    for (size_t i = 0; i < smaller.size(); ++i) {
      smaller[i] = of(i * (unit / 16));
    }
    all = std::move(smaller);
    unit /= 16;
  }
  for (uint64_t byte = begin; byte < begin + bytes; byte += unit) {
    if (isNew || !known[byte]) {
      all[byte / unit] = at(byte);
    }
  }
}

void Footprint::Owners::clear() {
  unit = Shadow::globalGranule;
  all.clear();
}

void Footprint::Page::clear() {
  written = {};
  read = {};
  writers.clear();
  readers.clear();
  values = nullptr;
}

Footprint::Owner Footprint::Owners::of(uint64_t byte) const {
  const Owner &owner = all[byte / unit];
  return {owner.warp, owner.instruction,
          owner.lanes.after(static_cast<unsigned>(byte % unit))};
}

// -- Clusters

Footprint::~Footprint() {
  for (Pooled<Page> &page : contents) {
    page->values = nullptr; // to a pool of their own
  }
}

void Footprint::take(GlobalOrder &order, size_t index) {
  const uint64_t base = index * pageBytes;
  const PageBytes *values = order.valuesOf(index).get();
  pieces.clear();
  order.bytes.shadow.forCells(
      base, pageBytes,
      [&](const ShadowCell &cell, uint64_t offset, unsigned bytes) {
        if (cell.write != noEvent) {
          const Event &event = order.events[cell.write];
          pieces.push_back(
              {offset - base,
               bytes,
               {event.warp, event.instruction, cell.writer},
               true,
               event.isUnit ? order.memory.data(order.bytes.addressOf(offset))
                            : values->data() + (offset - base)});
        }
        for (const ShadowRead &read : cell.reads) {
          if (!read.isNone()) {
            const Event &event = order.events[read.event()];
            const auto lane =
                static_cast<uint8_t>(std::countr_zero(read.lanes));
            const auto shift = static_cast<uint8_t>(read.shift());
            pieces.push_back({offset - base,
                              bytes,
                              {event.warp, event.instruction, {lane, shift}},
                              false,
                              nullptr});
            break;
          }
        }
      });
}

void Footprint::check(const Page &page, uint64_t number, const Piece &piece) {
  const bool meetsWrites = page.written.any(piece.begin, piece.bytes);
  const bool meetsReads =
      piece.writes && page.read.any(piece.begin, piece.bytes);
  if (!meetsWrites && !meetsReads) {
    return;
  }
  auto conflict = [&](const char *what, unsigned at, const Owner &first) {
    if (!found) {
      found = {what,
               number * pageBytes + piece.begin + at,
               first,
               piece.owner,
               first.lanes.of(0),
               piece.owner.lanes.of(at)};
    }
  };
  for (unsigned i = 0; i < piece.bytes; ++i) {
    const uint64_t byte = piece.begin + i;
    if (page.written[byte]) {
      if (!piece.writes) {
        conflict("reads what a thread of another block writes, without order "
                 "between them",
                 i, page.writers.of(byte));
      } else if ((*page.values)[byte] == piece.values[i]) {
        ++sameValues;
      } else {
        conflict("writes another value where a thread of another block writes, "
                 "without order between them",
                 i, page.writers.of(byte));
      }
    }
    if (piece.writes && page.read[byte]) {
      conflict("writes what a thread of another block reads, without order "
               "between them",
               i, page.readers.of(byte));
    }
  }
}

void Footprint::keep(Page &page, const Piece &piece) {
  if (!piece.writes) {
    page.readers.set(piece.begin, piece.bytes, piece.owner, page.read);
    page.read.set(piece.begin, piece.bytes);
    return;
  }
  page.writers.set(piece.begin, piece.bytes, piece.owner, page.written);
  page.written.set(piece.begin, piece.bytes);
  if (!page.values) {
    page.values = takePooled<PageBytes>();
  }
  std::byte *const values = page.values->data() + piece.begin;
  if (values != piece.values) {
    std::memcpy(values, piece.values, piece.bytes);
  }
}

void Footprint::add(GlobalOrder &order) {
  const Pages &touched = order.bytes.pages(), &units = order.pagesOfUnits();
  auto pieceOf = [&](const GlobalOrder::UnitReads &reads, uint64_t begin,
                     unsigned bytes) {
    return Piece{
        begin,
        bytes,
        {reads.warp, reads.instruction, {static_cast<uint8_t>(reads.lane)}},
        false,
        nullptr};
  };
  // What a cluster does is in its own order, so all of it is held against what
  // others did before any of it is kept.
  for (size_t i = 0; i < touched.size(); ++i) {
    if (const auto page = pages.find(touched.number(i))) {
      take(order, i);
      for (const Piece &piece : pieces) {
        check(*contents[*page], touched.number(i), piece);
      }
    }
  }
  for (size_t i = 0; i < units.size(); ++i) {
    const auto page = pages.find(units.number(i));
    if (!page) {
      continue;
    }
    const GlobalOrder::UnitReads &reads = order.readsOfUnits()[i];
    for (uint64_t byte = 0; byte < pageBytes; ++byte) {
      if (reads.read[byte] && contents[*page]->written[byte]) {
        check(*contents[*page], units.number(i), pieceOf(reads, byte, 1));
      }
    }
  }
  auto pageOf = [&](uint64_t number) -> Page & {
    return *contents[pages.take(number, [&] {
      contents.push_back(takePooled<Page>());
      contents.back()->clear();
    })];
  };
  for (size_t i = 0; i < touched.size(); ++i) {
    Page &page = pageOf(touched.number(i));
    take(order, i);
    if (!page.values) {
      page.values = std::move(order.valuesOf(i));
    }
    for (const Piece &piece : pieces) {
      keep(page, piece);
    }
  }
  for (size_t i = 0; i < units.size(); ++i) {
    Page &page = pageOf(units.number(i));
    const GlobalOrder::UnitReads &reads = order.readsOfUnits()[i];
    constexpr unsigned unit = Shadow::globalGranule;
    for (uint64_t at = 0; at < pageBytes; at += unit) {
      unsigned count = 0;
      for (uint64_t byte = at; byte < at + unit; ++byte) {
        count += reads.read[byte] && !page.read[byte];
      }
      if (count == unit) {
        keep(page, pieceOf(reads, at, unit));
        continue;
      }
      for (uint64_t byte = at; count && byte < at + unit; ++byte) {
        if (reads.read[byte] && !page.read[byte]) {
          keep(page, pieceOf(reads, byte, 1));
        }
      }
    }
  }
}

void Footprint::report() const {
  if (found) {
    const Owner &first = found->first, &second = found->second;
    throw Finding(
        "race", found->what,
        geometry.place(second.warp, found->secondLane, second.instruction),
        found->address,
        geometry.place(first.warp, found->firstLane, first.instruction));
  }
}
