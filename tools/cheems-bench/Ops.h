// Products with a matrix of weights, alone: each matrix is the head of a model
// without layers, whose step is a gather and a norm of M rows in front of it.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_OPS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_OPS_H

#include "Load.h"
#include "Options.h"
#include "Tests.h"
#include <functional>

namespace cheems::bench {

/// A compiled product of random weights [columns, length], `weights` being
/// f32, bf16 or int8. Throws Error, also where there is no room for it,
/// CompileFailed.
LoadedModel makeProduct(const ProductShape &shape, const std::string &weights,
                        int threads, const DeviceChoice &device);
/// Runs it once, behind `begin`.
void runProduct(const std::shared_ptr<const Model> &model,
                const ProductShape &shape, const std::function<void()> &begin);

/// The weights of small products stay in the caches. Throws Error.
/// Those of a model, with one row for decoding, and as many as the prompts
/// have.
std::vector<ProductShape> productShapes(const Model &model,
                                        const Options &options);

Timing timeProduct(const std::shared_ptr<const Model> &model,
                   const ProductShape &shape, int threads, int64_t repetitions);

} // namespace cheems::bench

#endif
