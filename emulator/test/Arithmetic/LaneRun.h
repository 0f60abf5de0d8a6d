//===- LaneRun.h - A statement over many values ------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_ARITHMETIC_LANERUN_H
#define CHEEMS_EMULATOR_TEST_ARITHMETIC_LANERUN_H

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace cheems::emulator::test {

/// Values of the operands %a, %b, %c and %e.
using Row = std::vector<uint64_t>;

/// What a statement works on: bits of its result %d and of its operands, 1 for
/// predicates. %q is a second result, of `second` bits.
struct Form {
  std::string statements;
  int result;
  std::vector<int> operands;
  int second = 0;
};

/// Bits of %d and, above bit 64, none: `q` is %q.
struct Outcome {
  uint64_t d = 0, q = 0;

  bool operator==(const Outcome &) const = default;
};

/// The results of each row, by the handlers of one instruction set after the
/// other: all that this build has and the host runs.
std::vector<std::vector<Outcome>> runRows(const Form &form,
                                          const std::vector<Row> &rows);

/// Compares each row with what `expected` says of it, in all instruction sets.
void expectRows(const Form &form, const std::vector<Row> &rows,
                const std::function<Outcome(const Row &)> &expected);

/// Does what expectRows does, for the forms with one result.
inline void expectEach(const Form &form, const std::vector<Row> &rows,
                       const std::function<uint64_t(const Row &)> &expected) {
  expectRows(form, rows,
             [&](const Row &row) { return Outcome{expected(row), 0}; });
}

/// Whether a result is right, where the ISA allows more than one.
void checkEach(const Form &form, const std::vector<Row> &rows,
               const std::function<bool(const Row &, uint64_t)> &isRight);

/// All combinations of the lists, then `count` random rows of their number,
/// whose bits have a value from `random`.
std::vector<Row> combine(
    const std::vector<std::vector<uint64_t>> &lists, int count,
    const std::function<uint64_t(std::mt19937_64 &)> &random =
        [](std::mt19937_64 &engine) { return engine(); });

/// Zeros, ones, extremes and single bits of an integer of `bits`.
std::vector<uint64_t> specialIntegers(int bits);

/// `value` as a signed integer of `bits`.
inline int64_t asSigned(uint64_t value, int bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}
inline uint64_t lowBits(uint64_t value, int bits) {
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

} // namespace cheems::emulator::test

#endif
