// Feeds the chunks of a text to a model, or to two side by side.
#ifndef CHEEMS_RUNTIME_PERPLEXITY_EVALUATE_H
#define CHEEMS_RUNTIME_PERPLEXITY_EVALUATE_H

#include "runtime/Perplexity/Statistics.h"
#include "runtime/Perplexity/TextChunks.h"
#include "runtime/Session/Session.h"
#include <functional>

namespace cheems {

struct Evaluation {
  Perplexity perplexity; ///< of the model
  Perplexity base;       ///< of the other, if there is one
  Divergence divergence; ///< of the model from the other
};

/// Called after each piece: tokens fed so far, of how many. May throw.
using EvaluationProgress =
    std::function<void(int64_t done, int64_t count, const Evaluation &soFar)>;

/// Uses slot 0 of each session, whose contexts must hold a chunk; `base` may be
/// null. Only rows that count compute logits. Throws Error, also for a token
/// that one of them has no logit for.
Evaluation evaluate(Session &model, Session *base, const TextChunks &chunks,
                    const EvaluationProgress &progress);

} // namespace cheems

#endif
