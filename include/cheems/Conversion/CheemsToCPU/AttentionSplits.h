// Which entries of a sequence have a softmax of their own. Splits are merged in
// order, so a row's bits depend on them. They follow from the numbers of the
// entries alone, wherever attention is split.
//
// A split is some blocks of entries. The sizes of splits grow like the steps of
// floating-point numbers: the first 32 splits have one block, and each 16 after
// them have twice as many as the 16 before. So n blocks make about 16 log2(n) -
// 48 splits. A split of the last size has at most a sixteenth of all entries
// before it.
#ifndef CHEEMS_CONVERSION_CHEEMSTOCPU_ATTENTIONPIECES_H
#define CHEEMS_CONVERSION_CHEEMSTOCPU_ATTENTIONPIECES_H

#include "cheems/Dialect/Cheems/IR/BaseBuilder.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// Splits of that many blocks.
int64_t splitsOf(int64_t blocks);

/// The same on indices in IR.
class AttentionSplits : BaseBuilder<AttentionSplits> {
public:
  AttentionSplits(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// The last of them may lack some of its blocks.
  Value splitsOf(Value blocks);
  /// The split that has this block; and its first one.
  Value splitOf(Value block);
  Value firstBlock(Value split);
  /// A split begins with this block, and it is not the first.
  Value beginsLater(Value block);
  /// Returns the index at which share `part` of `parts` begins, if the splits
  /// of `blocks` are dealt out in order: at the split that begins nearest to
  /// that part of all blocks. If there are as many parts as splits of one
  /// block, each part has one split. Blocks before `passed` are left out, if it
  /// is given: the first part begins at the split that has it.
  Value share(Value part, Value parts, Value blocks, Value passed = {});

private:
  friend BaseBuilder;
  OpBuilder &b;
  Location loc;

  Location location() { return loc; }
  Value shiftOf(Value block);
  Value shiftLeft(Value value, Value bits) {
    return arith::ShLIOp::create(b, loc, value, bits);
  }
  Value shiftRight(Value value, Value bits) {
    return arith::ShRUIOp::create(b, loc, value, bits);
  }
};

} // namespace cheems

#endif
