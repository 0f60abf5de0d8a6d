//===- Main.cpp - Measures with all checks on -----------------------------===//
#include "Check/Checker.h"
#include "Module/Families.h"

#include <benchmark/benchmark.h>

int main(int count, char **arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) {
    return 1;
  }
  constexpr const char *sets[] = {"baseline", "AVX2", "AVX-512"};
  benchmark::AddCustomContext(
      "lanes are compiled for",
      sets[static_cast<int>(cheems::emulator::hostSet())]);
  cheems::emulator::startChecking();
  benchmark::RunSpecifiedBenchmarks();
}
