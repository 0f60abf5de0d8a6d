//===- WriteLog.h - What a grid has written so far --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_WRITELOG_H
#define CHEEMS_EMULATOR_MACHINE_WRITELOG_H

#include "Launch.h"
#include "Observer.h"

#include <array>
#include <unordered_map>

namespace cheems::emulator {

/// Keeps the bytes of global memory that a grid overwrites until it lets
/// dependents start, so that these may be shown what was there before (PTX ISA,
/// "griddepcontrol": only .wait makes the writes of prerequisite grids
/// visible).
class WriteLog : public GridObserver {
public:
  explicit WriteLog(GlobalMemory &memory) : memory(memory) {}

  std::unique_ptr<BlockObserver> startBlock(Block &block) override;

  /// Keeps the old values of bytes that are about to be written.
  void add(uint64_t address, uint64_t bytes);
  /// Nothing is added from now on.
  void close() { isOpen = false; }

  /// Memory has the old bytes; the new ones again. What others have changed
  /// meanwhile stays.
  void hide();
  void show();

private:
  static constexpr uint64_t lineBytes = 32;
  struct Line {
    uint32_t written = 0; ///< a bit a byte
    std::array<std::byte, lineBytes> old, now;
  };

  template <typename F> void eachByte(F act);

  GlobalMemory &memory;
  bool isOpen = true;
  std::unordered_map<uint64_t, Line> lines; ///< by address / lineBytes
};

} // namespace cheems::emulator

#endif
