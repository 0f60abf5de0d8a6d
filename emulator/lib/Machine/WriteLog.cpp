//===- WriteLog.cpp - What a grid has written so far ---------------------===//
#include "WriteLog.h"

#include "Lanes/Loop.h"

using namespace cheems::emulator;

namespace {

class BlockLog : public BlockObserver {
public:
  explicit BlockLog(WriteLog &log) : log(log) {}

  void access(Warp &, const Access &access) override {
    if (access.space == Space::global && access.kind.writes()) {
      forLanes(access.lanes, [&](int lane) {
        log.add(access.addresses[lane], access.kind.bytes);
      });
    }
  }
  void startAsync(Warp &, const Instruction &,
                  const AsyncRange &range) override {
    if (range.space != Space::global || range.effect == Effect::load) {
      return;
    }
    uint64_t index[4] = {};
    for (int d = 0; d < 4;) {
      uint64_t address = range.address;
      for (int i = 0; i < 4; ++i) {
        address += index[i] * static_cast<uint64_t>(range.strides[i]);
      }
      log.add(address, range.bytes);
      for (d = 0; d < 4 && ++index[d] == range.counts[d]; ++d) {
        index[d] = 0;
      }
    }
  }

private:
  WriteLog &log;
};

} // namespace

std::unique_ptr<BlockObserver> WriteLog::startBlock(Block &) {
  return std::make_unique<BlockLog>(*this);
}

void WriteLog::add(uint64_t address, uint64_t bytes) {
  if (!isOpen) {
    return;
  }
  for (const uint64_t end = address + bytes; address < end; ++address) {
    Line &line = lines[address / lineBytes];
    const uint64_t at = address % lineBytes;
    if (!(line.written >> at & 1)) {
      line.written |= uint32_t(1) << at;
      line.old[at] = *memory.data(address);
    }
  }
}

template <typename F> void WriteLog::eachByte(F act) {
  for (auto &[number, line] : lines) {
    for (uint64_t at = 0; at < lineBytes; ++at) {
      if (line.written >> at & 1) {
        act(*memory.data(number * lineBytes + at), line.old[at], line.now[at]);
      }
    }
  }
}

void WriteLog::hide() {
  eachByte([](std::byte &byte, std::byte old, std::byte &now) {
    now = byte;
    byte = old;
  });
}

void WriteLog::show() {
  eachByte([](std::byte &byte, std::byte old, std::byte now) {
    if (byte == old) {
      byte = now;
    }
  });
}
