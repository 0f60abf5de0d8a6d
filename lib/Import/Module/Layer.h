// A decoder layer as a function, and the parts it is made of.
#ifndef CHEEMS_LIB_IMPORT_MODULE_LAYER_H
#define CHEEMS_LIB_IMPORT_MODULE_LAYER_H

#include "ModelTypes.h"

namespace cheems {

/// One weight of a layer, in the order in which the layer function takes them.
struct LayerWeight {
  std::string name;
  mlir::RankedTensorType type;
  llvm::SmallVector<int64_t> permute; ///< as cheems.parameter's; mostly none
  QuantizedAttr quantized;            ///< null: it stays exact
};
llvm::SmallVector<LayerWeight> layerWeights(const ModelTypes &types,
                                            const LayerTensors &layer);

/// Which optional parts a layer has; layers of one kind share a function.
std::string kindOf(const ModelTypes &types, const LayerTensors &layer);

/// Attention whose every head is hidden: its output is zero before the output
/// projection.
bool seesNothing(const LayerTensors &layer);

/// Hands out the weight arguments in the order of layerWeights.
class WeightReader {
public:
  explicit WeightReader(llvm::ArrayRef<mlir::BlockArgument> arguments)
      : arguments(arguments) {}
  mlir::Value next() {
    mlir::Value value = arguments.front();
    arguments = arguments.drop_front();
    return value;
  }
  mlir::Value projection(Emitter &e, const Projection &p, mlir::Value x) {
    mlir::Value weight = next();
    return e.project(x, weight, p.bias ? next() : mlir::Value());
  }

private:
  llvm::ArrayRef<mlir::BlockArgument> arguments;
};

/// What the sequence part of a layer function works on.
struct SequenceArguments {
  mlir::Value cosine, sine;             ///< [T, size of a rotated head / 2]
  mlir::Value segments;                 ///< the table
  mlir::Value layer;                    ///< index among the layers of its kind
  llvm::SmallVector<mlir::Value> pools; ///< of its kind; updated
};

/// The function of a kind of layer, which is built on first use: (x, cosine,
/// sine, segments, layer, pools..., weights...) -> (x, pools...). The pools are
/// those of attention or of SSD. If attention sees nothing, it is (x,
/// weights...) -> x.
mlir::func::FuncOp layerFunction(mlir::ModuleOp module, const ModelTypes &types,
                                 const LayerTensors &layer);

/// The sequence parts: input [T, D] normalised, output [T, D].
mlir::Value emitAttention(Emitter &e, const ModelTypes &types,
                          const AttentionTensors &tensors, mlir::Value input,
                          WeightReader &weights, SequenceArguments &arguments);
mlir::Value emitSSD(Emitter &e, const ModelTypes &types,
                    const SSDTensors &tensors, mlir::Value input,
                    WeightReader &weights, SequenceArguments &arguments);
/// The state part: the MLP, and experts added where the layer has some.
mlir::Value emitFeedForward(Emitter &e, const ModelTypes &types,
                            const LayerTensors &layer, mlir::Value input,
                            WeightReader &weights);

/// The step function.
void buildStep(mlir::ModuleOp module, const ModelTypes &types);

} // namespace cheems

#endif
