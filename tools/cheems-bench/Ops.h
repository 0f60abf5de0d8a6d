// Matmuls with a matrix of weights, alone: each matrix is the head of a model
// without layers, whose step is a gather and a norm of M rows before it.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_OPS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_OPS_H

#include "Load.h"
#include "Options.h"
#include "RandomCompile.h"
#include "Tests.h"
#include <functional>

namespace cheems::bench {

/// A matmul with random weights [columns, length], `weights` being f32, bf16
/// or int8.
RandomCompile matmulToCompile(const MatmulShape &shape,
                              const std::string &weights);
/// Runs it once, after `begin`.
void runMatmul(const std::shared_ptr<const Model> &model,
               const MatmulShape &shape, const std::function<void()> &begin);

/// Those of a model, with one row for decoding, and as many as the prompts
/// have.
std::vector<MatmulShape> matmulShapes(const Model &model,
                                      const Options &options);

/// The weights of small matmuls stay in the caches. Throws Error.
Timing timeMatmul(const std::shared_ptr<const Model> &model,
                  const MatmulShape &shape, int threads, int64_t repetitions);

} // namespace cheems::bench

#endif
