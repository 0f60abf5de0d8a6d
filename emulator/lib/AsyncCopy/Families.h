//===- Families.h - Opcodes of barriers and asynchronous copies -*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_FAMILIES_H
#define CHEEMS_EMULATOR_ASYNCCOPY_FAMILIES_H

#include "Decode/Family.h"

#include <span>

namespace cheems::emulator {

/// mbarrier.*, but for waits
std::span<const Opcode> mbarriers();
/// mbarrier.test_wait and mbarrier.try_wait
std::span<const Opcode> mbarrierWaits();
/// cp.async with its groups and cp.async.mbarrier.arrive
std::span<const Opcode> asyncCopies();
/// cp.async.bulk with its groups and prefetches
std::span<const Opcode> bulkCopies();
/// st.async and red.async
std::span<const Opcode> remoteStores();
/// cp.async.bulk.tensor
std::span<const Opcode> tensorCopies();
/// tensormap.replace and tensormap.cp_fenceproxy
std::span<const Opcode> tensorMaps();

} // namespace cheems::emulator

#endif
