// A Doge decoder layer as a function.
#ifndef CHEEMS_LIB_IMPORT_MODULE_LAYER_H
#define CHEEMS_LIB_IMPORT_MODULE_LAYER_H

#include "Emitter.h"

namespace cheems {

/// What all functions of a module agree on.
struct ModelTypes {
  const ModelConfig &config;
  ImportOptions options;
  mlir::MLIRContext *context;

  mlir::Type f32() const { return mlir::Float32Type::get(context); }
  mlir::Type matrixElement() const;
  mlir::Type stateElement() const;
  bool windowed() const { return config.keepWindow.has_value(); }
  /// Heads that store keys of their own: with a window each head of A keeps its
  /// own W.
  int64_t stateHeads() const {
    return windowed() ? config.maskHeads : config.keyValueHeads;
  }

  mlir::RankedTensorType rowsOf(int64_t columns) const;
  mlir::RankedTensorType matrix(int64_t rows, int64_t columns) const;
  mlir::RankedTensorType vector(int64_t size) const;
  mlir::RankedTensorType segments() const;

  /// The state pools in order: keys, values, masks, and positions with a
  /// window.
  struct Pool {
    llvm::StringRef name;
    mlir::RankedTensorType
        type; ///< [slots, layers, heads, capacity(, head size)]
  };
  llvm::SmallVector<Pool> pools() const;
};

/// Integers of one segment, and how they are read from the table
/// (include/cheems/abi.h).
enum SegmentField : int64_t {
  kSlot,
  kStart,
  kLength,
  kPosition,
  kRopeLength,
  kSegmentFields = 8
};
mlir::Value segmentField(Emitter &e, mlir::Value segments, mlir::Value s,
                         SegmentField field);

/// One weight of a layer, in the order in which the layer function takes them.
struct LayerWeight {
  std::string name;
  mlir::RankedTensorType type;
};
llvm::SmallVector<LayerWeight> layerWeights(const ModelTypes &types,
                                            const LayerTensors &layer);

/// The function of a layer kind, built on first use: (x, cosine, sine,
/// segments, layer, pools..., weights...) -> (x, pools...). Layers that have
/// the same optional tensors are of one kind.
mlir::func::FuncOp layerFunction(mlir::ModuleOp module, const ModelTypes &types,
                                 const LayerTensors &layer, bool decode);

/// Attention of all segments: appends keys and values to the state, attends,
/// and drops what the window evicts. query [T, H, P], key and value [T, G, P],
/// mask [T, M]; returns y [T, H, P] and updates `pools`.
mlir::Value emitAttention(Emitter &e, const ModelTypes &types, bool decode,
                          mlir::Value query, mlir::Value key, mlir::Value value,
                          mlir::Value mask, mlir::Value segments,
                          mlir::Value layer,
                          llvm::SmallVectorImpl<mlir::Value> &pools);

/// The step function over buffers, for any segments or for segments of one row.
void buildStep(mlir::ModuleOp module, const ModelTypes &types, bool decode);

} // namespace cheems

#endif
