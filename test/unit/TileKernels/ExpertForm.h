// Shapes of experts with their compiled functions, what they take, and how far
// off a sum may be.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_EXPERTFORM_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_EXPERTFORM_H

#include "Cases.h"
#include "cheems/Reference/Experts.h"

namespace cheems::test {

struct ExpertForm {
  int64_t heads, keys, experts; ///< K keys per half, k experts per head
  int64_t columns;              ///< D
  Number number; ///< of the tables, and of product keys; of quantized values
                 ///< these are f32
  ScorePlacement placement;
  Activation activation;
  int64_t depth = 0; ///< of product keys; 0: scores are there
  bool fewRows = false;
  TileModule *module = nullptr;

  int64_t all() const { return keys * keys; }
  bool isQuantized() const { return number == Number::I8; }
  Number numberOfKeys() const { return isQuantized() ? Number::F32 : number; }
  /// Functions @retrieve, @mix, and @experts, which has both.
  void compile();
};

/// Holds the inputs of one form and some rows. Queries and keys are such that
/// scores are exact in any order.
struct ExpertInputs {
  reference::Tensor x, y;
  reference::Tensor down,
      up; ///< of quantized values: what these are with their scales
  /// These are the quantized values themselves, and their scales [E].
  /// They have no elements if the tables are not quantized.
  reference::Tensor downCodes, upCodes, downScales, upScales;
  reference::Tensor queries, keys; ///< where the form has keys
  reference::Tensor scores;        ///< [T, 2, H, K]

  ExpertInputs(const ExpertForm &form, Random &random, int64_t rows);
  /// What functions take of the tables.
  std::vector<Array> tables(const ExpertForm &form) const;
  reference::Tensor wanted(const ExpertForm &form,
                           const reference::Retrieval &found) const;
  /// How far from what is wanted each number may be.
  reference::Tensor bounds(const ExpertForm &form,
                           const reference::Retrieval &found) const;
};

} // namespace cheems::test

#endif
