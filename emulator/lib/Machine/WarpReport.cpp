//===- WarpReport.cpp - What reports say of a warp -----------------------===//
#include "Block.h"
#include "Warp.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace cheems::emulator;

Place Warp::place(const Instruction &instruction, int lane) const {
  return {block.program().kernel,
          instruction.line,
          {block.index.x, block.index.y, block.index.z},
          static_cast<int>(index),
          lane};
}

void Warp::fail(const Instruction &instruction, std::string rule,
                const std::string &what, int lane,
                std::optional<uint64_t> address) const {
  throw Finding(std::move(rule), what, place(instruction, lane), address);
}

std::vector<std::byte> Warp::state() const {
  const uint32_t registerBytes = block.program().registerBytes;
  std::vector<std::byte> state;
  auto add = [&](const void *from, size_t bytes) {
    const auto *begin = static_cast<const std::byte *>(from);
    state.insert(state.end(), begin, begin + bytes);
  };
  for (const Group &group : *this) {
    const uint32_t place[] = {group.pc, group.mask,
                              static_cast<uint32_t>(group.state)};
    add(place, sizeof(place));
  }
  add(depths.data(), sizeof(depths));
  for (const auto &addresses : returns) {
    add(addresses.data(), sizeof(addresses));
  }
  add(bases[size_t(Base::registers)], registerBytes);
  return state;
}

bool Warp::isIn(const std::vector<std::byte> &other) const {
  const auto awake =
      std::count_if(begin(), end(), [](const Group &g) { return g.isAwake(); });
  const uint32_t place[] = {groups[0].pc, groups[0].mask};
  return awake == 1 && other.size() > sizeof(place) &&
         !std::memcmp(place, other.data(), sizeof(place)) && state() == other;
}

std::string Warp::describe() const {
  std::string text;
  for (const Group &group : *this) {
    const Instruction &instruction = instructions[group.pc];
    char lanes[16];
    std::snprintf(lanes, sizeof(lanes), "0x%08x", group.mask);
    text += "block (" + std::to_string(block.index.x) + ", " +
            std::to_string(block.index.y) + ", " +
            std::to_string(block.index.z) + ") warp " + std::to_string(index) +
            " lanes " + lanes;
    const char *does = " is at";
    if (group.state == Group::State::waits && !group.isAwake()) {
      does = " waits at";
    } else if (group.state == Group::State::converges) {
      does = " waits for other lanes of the warp at";
    }
    text += does;
    text += " line " + std::to_string(instruction.line);
    const auto &details = block.program().details;
    if (group.pc < details.size() && !details[group.pc].text.empty()) {
      text += ", " + details[group.pc].text;
    }
    text += "\n";
  }
  return text;
}
