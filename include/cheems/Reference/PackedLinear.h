// Matmuls with packed weights and an epilogue, evaluated in double: the
// weights are unpacked, and the matmuls are those of
// `cheems/Reference/Linear.h`.
#ifndef CHEEMS_REFERENCE_PACKEDLINEAR_H
#define CHEEMS_REFERENCE_PACKEDLINEAR_H

#include "cheems/Reference/Linear.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cheems::reference {

/// W[n, k] = panels[n / 16, k / pair, n % 16, k % pair] for n < columns.
Tensor unpacked(const Tensor &panels, int64_t columns);

/// Unpacks panels of unsigned bytes [P, K/4, 16, 4] if the quantized weights
/// have 8 bits, or of two 4-bit weights per byte [P, K/8, 16, 4], and scales
/// [P, G, 16].
QuantizedWeights unpacked(const Tensor &panels, const Tensor &scales,
                          int64_t columns, int64_t size, int64_t bits);

/// One element from its sums, one per weight, and from what stands beside it.
using Epilogue = llvm::function_ref<double(llvm::ArrayRef<double> sums,
                                           llvm::ArrayRef<double> with)>;
/// y[t, n] = epilogue(sum_0[t, n], ..., with_0[t, n] or with_0[n], ...) where
/// sum_i = x W_i^T, for x [T, K]; the result is [T, columns].
Tensor linear(const Tensor &x, llvm::ArrayRef<Tensor> panels,
              llvm::ArrayRef<Tensor> with, int64_t columns, Epilogue epilogue);
/// The same of quantized values.
Tensor linear(const Tensor &x, llvm::ArrayRef<QuantizedWeights> weights,
              llvm::ArrayRef<Tensor> with, int64_t columns, Epilogue epilogue);

} // namespace cheems::reference

#endif
