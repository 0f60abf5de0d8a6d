//===- WarpReport.cpp - What reports say of a warp -----------------------===//
#include "cheems/Emulator/Machine/Block.h"
#include "cheems/Emulator/Machine/Warp.h"

#include <cstdio>

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
