// Logits of sequences fed in different ways, and comparing them.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_SAMENESS_SEQUENCES_H
#define CHEEMS_TEST_INTEGRATION_CPU_SAMENESS_SEQUENCES_H

#include "runtime/Session/Session.h"
#include "gtest/gtest.h"
#include <vector>

namespace cheems::test {

using Ids = std::vector<int32_t>;

/// Rows [rows, vocabulary].
struct Logits {
  int64_t vocabulary = 0;
  std::vector<float> values;

  int64_t rows() const {
    return static_cast<int64_t>(values.size()) / vocabulary;
  }
  /// Rows [from, to).
  Logits part(int64_t from, int64_t to) const;
  void append(const Logits &more);
};

/// `count` ids of the model; few are different, so that equal masks occur.
Ids drawIds(const Model &model, int64_t count, uint64_t seed = 1);
Ids part(const Ids &ids, int64_t from, int64_t to);

/// Sessions of this many slots, threads and rows per step; 2048 tokens of
/// context at most.
Session makeSession(const std::shared_ptr<const Model> &model,
                    int64_t slots = 1, int threads = 1, int64_t rows = 1024,
                    int64_t context = 0);

/// One part of a step: the next tokens of a slot. ropeLength as in abi.h; 0:
/// position + length.
struct Piece {
  int64_t slot;
  Ids ids;
  int64_t ropeLength = 0;
};
/// One step with all of them; logits of each piece's rows.
std::vector<Logits> feed(Session &session, const std::vector<Piece> &pieces);

/// All of `ids` in one step, in steps of the given lengths (the last repeats),
/// or by decode.
Logits whole(Session &session, int64_t slot, const Ids &ids);
Logits chunked(Session &session, int64_t slot, const Ids &ids,
               const std::vector<int64_t> &lengths);
Logits decoded(Session &session, int64_t slot, const Ids &ids);

/// Equal bit for bit and finite; says where not.
testing::AssertionResult same(const Logits &a, const Logits &b);
/// Largest difference over a's standard deviation; infinity for what is not a
/// number.
double distance(const Logits &a, const Logits &b);

} // namespace cheems::test

#endif
