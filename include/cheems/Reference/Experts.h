// retrieve_experts and mix_experts, evaluated in double.
#ifndef CHEEMS_REFERENCE_EXPERTS_H
#define CHEEMS_REFERENCE_EXPERTS_H

#include "cheems/Dialect/Cheems/IR/CheemsEnums.h"
#include "cheems/Reference/Linear.h"
#include <vector>

namespace cheems::reference {

enum class RetrievalOrder { BestFirst, Ascending };

/// The k experts of each row and head, best first or by id ascending.
struct Retrieval {
  Tensor score;                ///< [T, H, k]
  std::vector<int64_t> expert; ///< [T, H, k] row-major; i * K + j
};

/// The k best sums of scores [T, 2, H, K]: first the min(k, K) best of each
/// half (score descending, index ascending), then the k best sums of their
/// pairs (sum descending, id ascending). `roundSums` rounds each sum to f32, as
/// the op does. 1 <= k <= K * K.
Retrieval retrieveExperts(const Tensor &scores, int64_t k,
                          bool roundSums = false,
                          RetrievalOrder order = RetrievalOrder::BestFirst);

/// [T]: by how little scores would have to change for some head to retrieve
/// another set: the gap between the k-th and the next best of all K * K sums,
/// infinity where k = K * K.
std::vector<double> retrievalMargins(const Tensor &scores, int64_t k);

/// Experts [T, H, k] that another computation has retrieved, in its order, with
/// their scores here. Each is below K * K, and those of a head differ.
Retrieval followExperts(const Tensor &scores, std::vector<int64_t> experts,
                        int64_t k, bool roundSums = false);

/// [T, H]: by how much scores speak against these experts: the best sum that is
/// left out less the worst that is taken, or 0 where that is not above 0.
Tensor retrievalLosses(const Tensor &scores,
                       const std::vector<int64_t> &experts, int64_t k);

/// sum over heads and experts of w * up[e], with hit = x . down[e] and w =
/// act(hit) softmax(score) over the experts of a head, or act(hit * score). x
/// [T, D], down and up [E, D]; the result is [T, D].
Tensor mixExperts(const Tensor &x, const Retrieval &retrieval,
                  const Tensor &down, const Tensor &up,
                  ScorePlacement placement, Activation activation);

/// The same of quantized tables [E, D] with a scale per row [E, 1].
Tensor mixExperts(const Tensor &x, const Retrieval &retrieval,
                  const QuantizedWeights &down, const QuantizedWeights &up,
                  ScorePlacement placement, Activation activation);

} // namespace cheems::reference

#endif
