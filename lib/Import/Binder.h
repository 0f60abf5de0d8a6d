// What binding the parts of a model shares: tensors are taken by name, shape
// and type, and every tensor that is taken is remembered.
#ifndef CHEEMS_LIB_IMPORT_BINDER_H
#define CHEEMS_LIB_IMPORT_BINDER_H

#include "lib/Import/NameSets.h"
#include "llvm/ADT/StringSet.h"

namespace cheems {

class Binder {
public:
  using Shape = llvm::ArrayRef<int64_t>;
  using Flag = std::optional<CheckpointConfig::BiasFlag>;

  Binder(CheckpointConfig read, NameSet names, const WeightFiles &weights,
         WarningHandler warn);
  Binder(const Binder &) = delete;
  Binder &operator=(const Binder &) = delete;

  /// The stored tensor, or null.
  const TensorView *find(llvm::StringRef name) const;
  bool has(llvm::StringRef name) const { return find(name) != nullptr; }
  /// The file of a stored tensor.
  llvm::StringRef pathOf(llvm::StringRef name) const;
  /// The alphabetically first stored name with this prefix, or empty.
  llvm::StringRef firstWith(llvm::StringRef prefix) const;

  /// Checks the tensor and counts it as part of the model.
  llvm::Error take(const std::string &name, Shape shape,
                   llvm::StringRef why = "");
  /// Weight [out, in], and the bias where one is stored or `flag` asks for it.
  llvm::Error take(Projection &projection, const std::string &name, int64_t out,
                   int64_t in, const Flag &flag = std::nullopt);
  /// Taken by other means: equal to another tensor.
  void accept(llvm::StringRef name) { taken.insert(name); }

  /// A stored tensor that nothing took is refused.
  llvm::Error checkLeftOver() const;

  CheckpointConfig read;
  ModelConfig &model = read.model;
  const Names &names;
  const WeightFiles &weights;
  WarningHandler warn;
  std::vector<const TensorView *> used;
  std::string reason;        ///< why tensors of this part are expected
  std::optional<bool> norms; ///< decided by the first attention layer

private:
  std::vector<llvm::StringRef> sorted;
  llvm::StringSet<> taken, contradicted;
};

// One part of a layer each; `prefix` leads the names of the part's tensors.
llvm::Error bindAttention(Binder &binder, AttentionTensors &tensors,
                          const std::string &prefix);
llvm::Error bindSSD(Binder &binder, SSDTensors &tensors,
                    const std::string &prefix);
llvm::Error bindMLP(Binder &binder, LayerTensors &layer,
                    const std::string &prefix);
/// Leaves `experts` empty where the layer has none.
llvm::Error bindExperts(Binder &binder, std::optional<ExpertTensors> &experts,
                        const std::string &prefix);
/// Once all layers are bound: what config.json says of experts without effect.
void finishExperts(Binder &binder);

} // namespace cheems

#endif
