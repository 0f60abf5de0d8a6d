//===- Calls.cpp - call --------------------------------------------------===//
#include "Decode/Calls.h"

#include "Decode/Decoder.h"
#include "Families.h"
#include "Lanes/Loop.h"
#include "Machine/Block.h"
#include "SystemCalls.h"

#include <cstring>

using namespace cheems::emulator;

namespace {

Step skip(Warp &warp, const Instruction &instruction, LaneMask active) {
  warp.branch(instruction, active, static_cast<uint32_t>(instruction.payload));
  return Step::moved;
}

/// The begin of a lane's frame.
struct Frames {
  Frames(Warp &warp, const Instruction &instruction)
      : warp(warp), pointers(warp.source<uint32_t>(instruction.slots[0])) {}

  std::byte *operator()(int lane) const {
    return warp.local(lane) + pointers[lane];
  }

  Warp &warp;
  const uint32_t *pointers;
};

template <bool toCallee>
Step copy(Warp &warp, const Instruction &instruction, LaneMask active) {
  const auto &transfer = instruction.as<FrameTransfer>();
  Frames frames(warp, instruction);
  forLanes(active, [&](int lane) {
    std::byte *caller = frames(lane), *callee = caller + transfer.callee;
    for (const FrameTransfer::Piece &piece : transfer.pieces) {
      std::byte *from = callee + piece.callee, *to = caller + piece.caller;
      std::memcpy(toCallee ? from : to, toCallee ? to : from, piece.bytes);
    }
  });
  return Step::next;
}

template <bool toCallee>
Step moveRegister(Warp &warp, const Instruction &instruction, LaneMask active) {
  const auto &moved = instruction.as<FrameRegister>();
  Frames frames(warp, instruction);
  std::byte *elements =
      const_cast<std::byte *>(warp.source<std::byte>(instruction.slots[1]));
  forLanes(active, [&](int lane) {
    std::byte *memory = frames(lane) + moved.callee + moved.offset;
    std::byte *element = elements + size_t(lane) * moved.stride;
    if (toCallee) {
      std::memcpy(memory, element, moved.bytes);
    } else {
      std::memset(element, 0, moved.stride);
      std::memcpy(element, memory, moved.bytes);
    }
  });
  return Step::next;
}

template <bool isSave>
Step saveOrRestore(Warp &warp, const Instruction &instruction,
                   LaneMask active) {
  const auto &saved = instruction.as<SavedRegisters>();
  Frames frames(warp, instruction);
  forLanes(active, [&](int lane) {
    std::byte *memory = frames(lane) + saved.offset;
    for (size_t i = 0; i < saved.bits.size(); ++i) {
      Slot slot = instruction.slots[i + 1];
      if (saved.bits[i] == 1) {
        if (isSave) {
          *memory = std::byte(warp.predicate(slot) >> lane & 1);
        } else {
          warp.setPredicate(slot, *memory == std::byte(1) ? allLanes : 0,
                            LaneMask(1) << lane);
        }
        memory += 1;
        continue;
      }
      size_t bytes = saved.bits[i] / 8;
      std::byte *element = warp.destination<std::byte>(slot) + lane * bytes;
      std::memcpy(isSave ? memory : element, isSave ? element : memory, bytes);
      memory += bytes;
    }
  });
  return Step::next;
}

/// Moves a lane's frame pointer to the callee's frame.
void enter(Warp &warp, const Instruction &instruction, int lane,
           const CallSite &site, const CallSite::Callee &callee) {
  uint32_t *frames = warp.destination<uint32_t>(instruction.slots[0]);
  uint64_t frame = frames[lane] + site.frameBytes;
  uint64_t limit = warp.block.program().localBytes;
  if (frame + callee.roomBytes > limit) {
    warp.fail(instruction, "stack-overflow",
              "The frames of functions that call each other take more than " +
                  std::to_string(limit) + " bytes of a thread.",
              lane);
  }
  frames[lane] = static_cast<uint32_t>(frame);
}

Step call(Warp &warp, const Instruction &instruction, LaneMask active) {
  const auto &site = instruction.as<CallSite>();
  const CallSite::Callee &callee = site.callees[0];
  uint32_t targets[warpLanes];
  forLanes(active, [&](int lane) {
    enter(warp, instruction, lane, site, callee);
    targets[lane] = callee.begin;
  });
  warp.call(instruction, active, targets);
  return Step::moved;
}

Step callRegister(Warp &warp, const Instruction &instruction, LaneMask active) {
  const auto &site = instruction.as<CallSite>();
  const uint64_t *addresses = warp.source<uint64_t>(instruction.slots[1]);
  uint32_t targets[warpLanes];
  forLanes(active, [&](int lane) {
    uint64_t distance = addresses[lane] - functionAddressBase;
    uint64_t number = distance / functionAddressStep;
    if (distance % functionAddressStep || number >= site.callees.size() ||
        !site.callees[number].isDecoded) {
      warp.fail(instruction, "wild-call",
                "A call goes to an address that is no function's.", lane,
                addresses[lane]);
    }
    const CallSite::Callee &callee = site.callees[number];
    if (callee.interfaceBytes != site.interfaceBytes) {
      warp.fail(instruction, "wild-call",
                "The results and parameters of a called function take " +
                    std::to_string(callee.interfaceBytes) +
                    " bytes, those of its call " +
                    std::to_string(site.interfaceBytes) + ".",
                lane, addresses[lane]);
    }
    enter(warp, instruction, lane, site, callee);
    targets[lane] = callee.begin;
  });
  warp.call(instruction, active, targets);
  return Step::moved;
}

Step leave(Warp &warp, const Instruction &instruction, LaneMask active) {
  uint32_t *frames = warp.destination<uint32_t>(instruction.slots[0]);
  auto bytes = static_cast<uint32_t>(instruction.as<CallSite>().frameBytes);
  forLanes(active, [&](int lane) { frames[lane] -= bytes; });
  return Step::next;
}

void decodeCall(Statement &statement) {
  // .uni promises that all threads of the warp make the same call. Nothing
  // here needs that.
  statement.take("uni");
  statement.end(0);
  statement.decoder.emitCall(statement, {.skip = skip,
                                         .copyArguments = copy<true>,
                                         .storeArgument = moveRegister<true>,
                                         .save = saveOrRestore<true>,
                                         .call = call,
                                         .callRegister = callRegister,
                                         .leave = leave,
                                         .restore = saveOrRestore<false>,
                                         .copyResults = copy<false>,
                                         .loadResult = moveRegister<false>,
                                         .system = callSystem});
}

void decodeParameter(Statement &statement) {
  statement.end(1);
  statement.decoder.emitFormal(statement, moveRegister<false>, false);
}
void decodeResult(Statement &statement) {
  statement.end(1);
  statement.decoder.emitFormal(statement, moveRegister<true>, true);
}

// Those with a percent sign are the decoder's.
constexpr Opcode callsOpcodes[] = {{"call", decodeCall},
                                   {"%parameter", decodeParameter},
                                   {"%result", decodeResult}};

} // namespace

std::span<const Opcode> cheems::emulator::calls() { return callsOpcodes; }
