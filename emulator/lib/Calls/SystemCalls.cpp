//===- SystemCalls.cpp - What the driver's functions do ------------------===//
#include "SystemCalls.h"

#include "AddressSpaces/Access.h"
#include "Decode/SystemCalls.h"
#include "Lanes/Loop.h"
#include "Machine/Block.h"

#include <cstring>

using namespace cheems::emulator;

namespace {

/// One lane's call: its arguments and its result in the frame.
class LaneCall {
public:
  LaneCall(Warp &warp, const Instruction &instruction, int lane)
      : memory(warp, instruction, lane), device(warp.block.grid.device),
        site(instruction.as<SystemCallSite>()),
        frame(warp.local(lane) +
              warp.source<uint32_t>(instruction.slots[0])[lane] + site.callee) {
  }

  void execute() const {
    switch (site.kind) {
    case SystemCall::Kind::print:
      print();
      break;
    case SystemCall::Kind::allocate:
      allocate();
      break;
    case SystemCall::Kind::free:
      release();
      break;
    case SystemCall::Kind::fail:
      fail();
    }
  }

private:
  template <typename T> T argument(int number) const {
    T value;
    std::memcpy(&value, frame + site.parameters[number], sizeof(value));
    return value;
  }
  template <typename T> void setResult(T value) const {
    std::memcpy(frame + site.result, &value, sizeof(value));
  }

  void print() const {
    const auto format = argument<uint64_t>(0);
    if (!format) {
      setResult<int32_t>(-1);
      return;
    }
    Printed printed = formatted(memory, format, argument<uint64_t>(1));
    device.printed += printed.text;
    setResult<int32_t>(printed.arguments);
  }

  void allocate() const {
    const auto bytes = argument<uint64_t>(0);
    Heap &heap = device.heap;
    std::optional<uint64_t> address;
    if (bytes && bytes <= heap.limit - std::min(heap.used, heap.limit)) {
      address = device.memory.allocate(bytes);
    }
    if (address) {
      heap.blocks[*address] = bytes;
      heap.used += bytes;
    }
    setResult<uint64_t>(address.value_or(0));
  }

  void release() const {
    const auto address = argument<uint64_t>(0);
    if (!address) {
      return;
    }
    Heap &heap = device.heap;
    auto found = heap.blocks.find(address);
    if (found == heap.blocks.end()) {
      char text[32];
      std::snprintf(text, sizeof(text), "0x%llx",
                    static_cast<unsigned long long>(address));
      memory.fail("wrong-free",
                  std::string("free is called with ") + text +
                      ", which malloc has not given or which is free already.");
    }
    heap.used -= found->second;
    heap.blocks.erase(found);
    device.memory.free(address);
  }

  [[noreturn]] void fail() const {
    const uint64_t function = argument<uint64_t>(3);
    std::string where = memory.string(argument<uint64_t>(1)) + ":" +
                        std::to_string(argument<uint32_t>(2));
    if (function) {
      where += ": " + memory.string(function);
    }
    memory.fail("assert", where + ": the assertion '" +
                              memory.string(argument<uint64_t>(0)) +
                              "' failed.");
  }

  const ThreadMemory memory;
  Device &device;
  const SystemCallSite &site;
  std::byte *const frame;
};

} // namespace

std::string ThreadMemory::string(uint64_t address) const {
  constexpr size_t most = 1 << 16;
  std::string text;
  while (char letter = load<char>(address++)) {
    text += letter;
    if (text.size() == most) {
      fail("endless-string", "A string of 65536 bytes has no end.");
    }
  }
  return text;
}

void ThreadMemory::read(uint64_t address, void *to, uint16_t bytes) const {
  AccessKind kind;
  kind.bytes = bytes;
  uint64_t addresses[warpLanes] = {};
  addresses[lane] = address;
  LanePointers pointers;
  access(warp, instruction, kind, addresses, LaneMask(1) << lane, pointers);
  std::memcpy(to, pointers.of[lane], bytes);
}

Step cheems::emulator::callSystem(Warp &warp, const Instruction &instruction,
                                  LaneMask active) {
  forLanes(active,
           [&](int lane) { LaneCall(warp, instruction, lane).execute(); });
  return Step::next;
}
