//===- Names.h - What reports call pipes and directions ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_NAMES_H
#define CHEEMS_EMULATOR_COUNT_NAMES_H

#include "Counts.h"

#include <array>
#include <string_view>

namespace cheems::emulator {

constexpr std::array<std::string_view, pipes> pipeNames = {
    "none", "control",    "alu", "fma",    "half", "fp64",
    "mufu", "conversion", "lsu", "tensor", "async"};

constexpr std::array<std::string_view, 3> directionNames = {
    "to_device", "to_host", "within_device"};

} // namespace cheems::emulator

#endif
