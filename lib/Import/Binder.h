// Binding takes tensors by name, shape and type, and remembers every tensor
// that is taken: what is left over at the end is refused.
#ifndef CHEEMS_LIB_IMPORT_BINDER_H
#define CHEEMS_LIB_IMPORT_BINDER_H

#include "cheems/Import/Checkpoint.h"
#include "lib/Import/WeightFiles.h"
#include "llvm/ADT/StringSet.h"

namespace cheems {

class Binder {
public:
  using Shape = llvm::ArrayRef<int64_t>;
  /// What config.json says of biases, and the field that says it; absent: the
  /// tensors alone decide.
  struct BiasFlag {
    bool value;
    llvm::StringRef field;
  };
  using Flag = std::optional<BiasFlag>;

  Binder(const WeightFiles &weights, WarningHandler warn);
  Binder(const Binder &) = delete;
  Binder &operator=(const Binder &) = delete;

  /// The stored tensor, or null.
  const TensorView *find(llvm::StringRef name) const;
  bool has(llvm::StringRef name) const { return find(name) != nullptr; }
  /// The file of a stored tensor.
  llvm::StringRef pathOf(llvm::StringRef name) const;
  /// The alphabetically first stored name with this prefix, or empty.
  llvm::StringRef firstWith(llvm::StringRef prefix) const;
  /// All stored names, in order.
  llvm::ArrayRef<llvm::StringRef> names() const { return sorted; }

  /// Checks the tensor and counts it as part of the model.
  llvm::Error take(const std::string &name, Shape shape,
                   llvm::StringRef why = "");
  /// Weight [out, in], and the bias where one is stored or `flag` asks for it.
  llvm::Error take(Projection &projection, const std::string &name, int64_t out,
                   int64_t in, const Flag &flag = std::nullopt);
  /// Weight [out, in], and with `bias` a bias, which `why` says. Without one a
  /// stored bias is left over.
  llvm::Error takeExactly(Projection &projection, const std::string &name,
                          int64_t out, int64_t in, bool bias,
                          llvm::StringRef why = "");
  /// Rows [first, first + count) of a tensor of this shape, where rows are of
  /// the last extent; `reference` becomes what names them. The tensor counts as
  /// part of the model whole: rows that nobody takes have to be somebody's
  /// business.
  llvm::Error takeRows(std::string &reference, const std::string &name,
                       Shape shape, int64_t first, int64_t count);
  /// A head of its own, or with `tied` none. A tied one may be stored if it
  /// equals the embedding bit for bit.
  llvm::Error takeHead(ModelDescription &model, bool tied);
  /// Taken by other means: equal to another tensor.
  void accept(llvm::StringRef name) { taken.insert(name); }

  /// A stored tensor that nothing took is refused.
  llvm::Error checkLeftOver() const;

  /// What was taken, whole or in rows.
  llvm::ArrayRef<TensorView> used() const { return views; }
  /// F32 unless every matrix is BF16.
  DType precision() const;

  const WeightFiles &weights;
  WarningHandler warn;
  std::string reason; ///< why tensors of this part are expected

private:
  /// Whether the tensor is there in this shape and a type of weights.
  llvm::Error check(const std::string &name, Shape shape, llvm::StringRef why);

  std::vector<llvm::StringRef> sorted;
  std::vector<TensorView> views;
  llvm::StringSet<> taken, contradicted;
};

} // namespace cheems

#endif
