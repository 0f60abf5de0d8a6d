// Which of a sequence's entries have a softmax of their own. Pieces are merged
// in order, so they are part of what a row's bits depend on: they follow from
// the entries' numbers alone, wherever attention is split.
//
// Blocks of entries make pieces whose sizes grow like a floating-point number's
// steps: the first 32 pieces have one block, then each 16 have twice as many as
// the 16 before. So the pieces of n blocks are about 16 log2(n) - 48, and of
// the last doubling each is a sixteenth at most of all entries before it.
#ifndef CHEEMS_CONVERSION_CHEEMSTOCPU_ATTENTIONPIECES_H
#define CHEEMS_CONVERSION_CHEEMSTOCPU_ATTENTIONPIECES_H

#include "cheems/Dialect/Cheems/Utils/BaseBuilder.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// Pieces of that many blocks.
int64_t piecesOf(int64_t blocks);

/// The same on indices in IR.
class AttentionPieces : BaseBuilder<AttentionPieces> {
public:
  AttentionPieces(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// The last of them may lack some of its blocks.
  Value piecesOf(Value blocks);
  /// The piece that has this block; and its first one.
  Value pieceOf(Value block);
  Value firstBlock(Value piece);
  /// A piece begins with this block, and it is not the first.
  Value beginsLater(Value block);
  /// Where the share `part` of `parts` begins, where pieces of `blocks` are
  /// dealt out in order: the piece that begins nearest to that part of all
  /// blocks. With as many parts as pieces of one block each has one.
  Value share(Value part, Value parts, Value blocks);

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
