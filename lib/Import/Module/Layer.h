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
                                            const Layer &layer);

/// Which optional parts a layer has.
std::string kindOf(const ModelTypes &types, const Layer &layer);

/// Everything that the function of a layer depends on: kind, sizes, types and
/// constants. Layers with one signature share a function.
std::string signatureOf(const ModelTypes &types, const Layer &layer);

/// The mixers that read states, in order: SSD, and attention that sees
/// anything.
llvm::SmallVector<const Mixer *> sequenceMixers(const Layer &layer);
/// The pools of such a mixer's kind.
llvm::SmallVector<ModelTypes::Pool> poolsOf(const ModelTypes &types,
                                            const Mixer &mixer);
/// What turns in it, if anything does.
std::optional<RotaryUse> rotaryOf(const Mixer &mixer);
/// Whether some mixer of the branch reads the norm's output.
bool readsNorm(const Branch &branch);

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

/// What a mixer with a state works on.
struct SequenceArguments {
  mlir::Value cosine, sine;             ///< [T, numbers that turn / 2], or null
  mlir::Value segments;                 ///< the table
  mlir::Value layer;                    ///< index among the mixers of its kind
  llvm::SmallVector<mlir::Value> pools; ///< of its kind; updated
};

/// Builds the function of such layers: (x, for each of sequenceMixers: cosine
/// and sine if something turns, segments before the first, layer, pools...;
/// weights...) -> (x, pools of each...).
mlir::func::FuncOp layerFunction(mlir::ModuleOp module, const ModelTypes &types,
                                 const Layer &layer, llvm::StringRef name);

// The mixers: input [T, D] normalised, output [T, D].

mlir::Value emitAttention(Emitter &e, const ModelTypes &types,
                          const Attention &attention, mlir::Value input,
                          WeightReader &weights, SequenceArguments &arguments);
mlir::Value emitSSD(Emitter &e, const ModelTypes &types, const SSD &ssd,
                    mlir::Value input, WeightReader &weights,
                    SequenceArguments &arguments);
mlir::Value emitMLP(Emitter &e, const ModelTypes &types, const MLP &mlp,
                    mlir::Value input, WeightReader &weights);
/// Added to y [T, D].
mlir::Value emitExperts(Emitter &e, const ModelTypes &types,
                        const RetrievedExperts &experts, mlir::Value input,
                        mlir::Value y, WeightReader &weights);

/// The step function.
void buildStep(mlir::ModuleOp module, const ModelTypes &types);

} // namespace cheems

#endif
