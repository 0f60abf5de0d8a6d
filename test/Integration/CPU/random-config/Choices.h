// What a seed chooses beside its checkpoint: the code it is compiled to, and
// its formats.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_CHOICES_H
#define CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_CHOICES_H

#include "Compared.h"
#include <set>

namespace cheems::test {

/// Seeds of every run, and how many others CHEEMS_TEST_SEED draws.
constexpr uint64_t fixedConfigs = 40, drawnConfigs = 10, drawnInLongRuns = 100;

/// The variant beside the others that multiplies quantized values with dot
/// products of 8 lanes.
constexpr const char *narrowDots = "avxvnni";

/// The checkpoint of this seed, of sizes for its quantized values.
RandomCheckpoint drawModel(uint64_t seed);

/// Models of which keys and values are int8: three of each variant.
bool storesInt8(const RandomCheckpoint &drawn);

/// Bits of the quantized weights, or 0: four models of 8 bits and two of 4 bits
/// of each variant, of the former one with keys and values of int8, too.
int64_t weightBits(const RandomCheckpoint &drawn);
/// The variant that the seed is for.
const std::string &variantOf(uint64_t seed);
/// What to compile, each code of one variant, or compiling takes most of the
/// time, and this machine's best where it lacks the seed's. Every third seed
/// reads experts for some rows of a prompt together, every third one has plain
/// loops, too: they are the smaller risk. Quantized values in plain vectors of
/// 8 lanes are multiplied with dot products as well, where this CPU has them.
std::vector<Build> buildsOf(const RandomCheckpoint &drawn);

/// What the matrices of an MLP and of a sequence part's output become: "4/64",
/// "4/32", "8" or "exact". No choice of theirs hangs on other weights.
std::set<std::string> matmulFormats(const RandomCheckpoint &drawn);

} // namespace cheems::test

#endif
