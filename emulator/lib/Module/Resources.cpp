//===- Resources.cpp - What a kernel needs of a multiprocessor ----------===//
#include "Resources.h"

#include "Support/Error.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

constexpr uint64_t threadsLimit = 1024;    // per block
constexpr uint64_t registersOfGPU = 65536; // per multiprocessor
constexpr uint64_t registersLimit = 255;   // per thread
constexpr uint64_t registerUnit = 8;       // of their allocation
/// A thread needs so many registers besides those of its values: for the stack
/// pointer, and for what address computations and predicates' spills take for a
/// moment.
constexpr uint64_t otherRegisters = 6;
constexpr uint64_t leastRegisters = 16;

Extent extent(const ptx::Function::Directive &directive) {
  if (directive.values.empty() || directive.values.size() > 3) {
    throw Refusal(directive.location.line, "." + directive.name +
                                               " has not one to three "
                                               "numbers");
  }
  uint32_t sizes[3] = {1, 1, 1};
  for (size_t i = 0; i < directive.values.size(); ++i) {
    if (directive.values[i] == 0 || directive.values[i] > UINT32_MAX) {
      throw Refusal(directive.location.line,
                    "." + directive.name + " has an extent out of range");
    }
    sizes[i] = static_cast<uint32_t>(directive.values[i]);
  }
  return {sizes[0], sizes[1], sizes[2]};
}

uint64_t number(const ptx::Function::Directive &directive) {
  if (directive.values.size() != 1) {
    throw Refusal(directive.location.line,
                  "." + directive.name + " has not one number");
  }
  return directive.values[0];
}

uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

} // namespace

void cheems::emulator::applyDirectives(const ptx::Function &entry, int live,
                                       Kernel &kernel) {
  uint64_t blocks = 1, mostRegisters = registersLimit;
  uint64_t owned = 0; // .maxnreg
  for (const ptx::Function::Directive &directive : entry.directives) {
    const std::string &name = directive.name;
    if (name == "maxntid" || name == "reqntid") {
      Extent threads = extent(directive);
      if (threads.count() > threadsLimit) {
        throw Refusal(directive.location.line,
                      "." + name + " is larger than a block can be");
      }
      kernel.maxThreads =
          std::min(kernel.maxThreads, static_cast<uint32_t>(threads.count()));
      if (name == "reqntid") {
        kernel.requiredThreads = threads;
      }
    } else if (name == "minnctapersm") {
      blocks = std::max<uint64_t>(number(directive), 1);
    } else if (name == "maxnctapersm") { // NOLINT(bugprone-branch-clone)
      number(directive);                 // a promise about launches
    } else if (name == "maxnreg") {
      owned = number(directive);
      mostRegisters = std::min(mostRegisters, owned);
    } else if (name == "reqnctapercluster") {
      kernel.requiredCluster = extent(directive);
    } else if (name == "maxclusterrank") {
      number(directive);
    } else if (name != "explicitcluster" && name != "pragma" &&
               name != "noreturn") {
      throw NotModelled(directive.location.line, "the directive ." + name);
    }
  }
  // The assembler spills what does not fit into the registers that the largest
  // block leaves to a thread.
  uint64_t threads = roundUp(kernel.maxThreads, 32);
  bool isBounded = kernel.maxThreads < threadsLimit || blocks > 1;
  if (isBounded || threads == threadsLimit) {
    // Each of the four parts of a multiprocessor has a quarter of them: nine
    // warps leave as many to a thread as twelve.
    uint64_t share = registersOfGPU / roundUp(threads * blocks, 4 * 32);
    share = std::max(share / registerUnit * registerUnit, leastRegisters);
    mostRegisters = std::min(mostRegisters, share);
    if (isBounded) {
      owned = owned ? std::min(owned, share) : share;
    }
  }
  kernel.registerLimit = static_cast<int>(owned);
  uint64_t wanted =
      std::max(static_cast<uint64_t>(live) + otherRegisters, leastRegisters);
  kernel.registers =
      static_cast<int>(std::min(roundUp(wanted, registerUnit), mostRegisters));
}
