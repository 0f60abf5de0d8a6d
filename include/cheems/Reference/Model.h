// A whole model evaluated in double from its checkpoint: what every compiled
// model is compared with.
#ifndef CHEEMS_REFERENCE_MODEL_H
#define CHEEMS_REFERENCE_MODEL_H

#include "cheems/Import/Checkpoint.h"
#include "cheems/Reference/Tensor.h"

namespace cheems::reference {

/// What compiled models round to bf16 where every matrix of the checkpoint is
/// bf16.
struct Rounding {
  bool state = false;     ///< keys and values, before attention reads them
  bool products = false;  ///< inputs of projections whose rows are of even
                          ///< length, as instructions for pairs of bf16 do;
                          ///< likewise queries of experts
  bool attention = false; ///< queries, and the weights of values
  int64_t chunk = 0;   ///< factors of SSD's matmuls, in chunks of so many rows
                       ///< that have more than one; 0: none
  int64_t prefill = 0; ///< rows per step, in each of which chunks begin anew;
                       ///< 0: all
  bool int8 = false;   ///< keys and values instead to int8 with a scale each,
                       ///< of any checkpoint
  int64_t weightBits = 0; ///< 8 or 4: matrices to integers, and the rows that
                          ///< they multiply to 8 bits
                          ///< (cheems/Import/Quantize.h), of any checkpoint
  double disturbance = 0; ///< how much, relatively, every number between the
                          ///< parts of layers is wrong, up or down: what logits
                          ///< then differ by says how a model passes errors on
  uint64_t pattern = 0;   ///< which of these numbers are wrong upwards, and
                          ///< where grids begin of what follows
  double share = 0; ///< inputs of matmuls move by so much of what a rounding
                    ///< to `digits` would move them by: if it is little, logits
                    ///< move by this share of what the rounding is worth
  int64_t digits = 8; ///< of binary; 8 as bf16 has, 11 as f16
};

/// Logits [T, vocabulary] of one sequence `ids` [T], each in [0, vocabulary), T
/// >= 1. Weights are used exactly as stored; nothing is rounded but what
/// `rounding` names. A dynamic rotary base is that of length T for every
/// position.
Tensor evaluateModel(const Checkpoint &checkpoint, llvm::ArrayRef<int64_t> ids,
                     Rounding rounding = {});

/// Logits, and how firmly each row stands against rounding elsewhere. Both
/// margins are the least over all layers and the rows up to this one. While
/// what they measure errs by less than half of them, the same keys and experts
/// are taken and the logits differ by rounding alone; past it they may differ
/// by a whole key or expert.
struct ModelEvaluation {
  Tensor logits; ///< [T, vocabulary]
  /// [T], in masks as they are: keepMargins, or for kind threshold the distance
  /// of a mask to the threshold; infinity where no mask is asked. Ties count as
  /// exact in the first layer only: there equal tokens have equal masks,
  /// whatever the arithmetic.
  std::vector<double> keepMargin;
  /// [T]: retrievalMargins, each in units of the root mean square of its
  /// layer's scores; infinity without experts.
  std::vector<double> retrievalMargin;
  /// Keys and values [T, G, P] of every attention layer in turn, as rounded:
  /// what the state of a compiled model holds. Where nothing else is rounded,
  /// their numbers in this order are the roundings that a TieWatch counts.
  std::vector<Tensor> entries;
};
ModelEvaluation evaluateModelWithMargins(const Checkpoint &checkpoint,
                                         llvm::ArrayRef<int64_t> ids,
                                         Rounding rounding = {});

/// The `count` greedy tokens after `ids`; of equal logits the lowest id wins.
/// Every token is a full evaluation, and end-of-text tokens do not stop it.
std::vector<int64_t> greedy(const Checkpoint &checkpoint,
                            llvm::ArrayRef<int64_t> ids, int64_t count);

} // namespace cheems::reference

#endif
