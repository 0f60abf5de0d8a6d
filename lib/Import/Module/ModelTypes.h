// What all functions of a module agree on: element types, the state pools, the
// segment table.
#ifndef CHEEMS_LIB_IMPORT_MODULE_MODELTYPES_H
#define CHEEMS_LIB_IMPORT_MODULE_MODELTYPES_H

#include "Emitter.h"

namespace cheems {

struct ModelTypes {
  const ModelDescription &model;
  ImportOptions options;
  mlir::MLIRContext *context;

  mlir::Type f32() const { return mlir::Float32Type::get(context); }
  mlir::Type i32() const { return mlir::IntegerType::get(context, 32); }
  mlir::Type matrixElement() const;
  mlir::Type stateElement() const; ///< of stored keys and values

  // All mixers of a kind agree in what their pools depend on (checkBuildable),
  // so the first of them tells. Null where there is none.
  const Attention *attention() const { return model.find<Attention>(); }
  const SSD *ssd() const { return model.find<SSD>(); }

  /// Each head keeps the best keys by their masks.
  bool windowed() const {
    return attention() && attention()->mask && attention()->mask->keep;
  }
  /// Kind threshold with masks that are computed: hidden keys are not stored,
  /// so entries are counted.
  bool counted() const;
  /// Heads that store keys of their own: with a window each head of A keeps its
  /// own W.
  int64_t stateHeads() const {
    return windowed() ? attention()->mask->heads : attention()->keyValueHeads;
  }

  mlir::RankedTensorType rowsOf(int64_t columns) const;
  mlir::RankedTensorType matrix(int64_t rows, int64_t columns) const;
  mlir::RankedTensorType vector(int64_t size) const;
  /// How matmuls' matrices with rows of `columns`, the head, and experts'
  /// tables are quantized; null where they stay exact.
  QuantizedAttr quantized(int64_t columns) const;
  QuantizedAttr quantizedHead() const;
  QuantizedAttr quantizedTable() const;
  mlir::RankedTensorType segments() const;

  struct Pool {
    llvm::StringRef name;
    StateRole role;
    mlir::RankedTensorType type; ///< [slots, layers of the kind, heads, ...]
    bool isRing = false;         ///< entries are those of the latest rows
  };
  /// The pools of attention: keys, values and masks. With a window there are
  /// positions, for int8 the scales of keys and values, and if entries are
  /// counted, counts. Empty if no layer has attention to all rows.
  llvm::SmallVector<Pool> attentionPools() const;
  /// The pools of attention with a window of rows, which has no masks.
  llvm::SmallVector<Pool> ringPools() const;
  /// The running state of SSD, [slots, layers, H, N, P].
  llvm::SmallVector<Pool> ssdPools() const;
  /// All of them, attention's first.
  llvm::SmallVector<Pool> pools() const;

private:
  /// Layers of attention that have a window of rows, or none.
  int64_t attentionLayers(bool windows) const;
};

} // namespace cheems

#endif
