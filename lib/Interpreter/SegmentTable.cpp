// The segment table of a step, checked.
#include "SegmentTable.h"
#include "Elements.h"
#include "cheems/Dialect/Cheems/IR/Segments.h"
#include "llvm/ADT/DenseSet.h"

namespace cheems::interpreter {
using namespace mlir;
using reference::Segment;

/// What is wrong with a segment, beside the others; empty where nothing is.
static std::string faultOf(const Segment &s, int64_t rows,
                           std::vector<bool> &taken,
                           llvm::DenseSet<int64_t> &slots) {
  if (s.start < 0 || s.length < 0 || s.start + s.length > rows) {
    return "has rows " + std::to_string(s.start) + " to " +
           std::to_string(s.start + s.length) + " of " + std::to_string(rows);
  }
  if (s.position < 0) {
    return "has the position " + std::to_string(s.position);
  }
  if (s.slot < 0 || !slots.insert(s.slot).second) {
    return "has the slot " + std::to_string(s.slot) +
           (s.slot < 0 ? "" : ", as another has");
  }
  for (int64_t t = s.start; t < s.start + s.length; ++t) {
    if (taken[t]) {
      return "has row " + std::to_string(t) + ", as another has";
    }
    taken[t] = true;
  }
  return "";
}

std::vector<Segment> segmentsOf(SegmentedOpInterface op, int64_t rows,
                                Frame &f) {
  std::vector<int64_t> table = f.readIntegers(op.getSegments());
  std::vector<Segment> segments;
  std::vector<bool> taken(rows);
  llvm::DenseSet<int64_t> slots;
  for (size_t at = 0; at < table.size() && !f.failed(); at += kSegmentFields) {
    const int64_t *field = &table[at];
    Segment s{field[kSlot], field[kStart], op.getOneRow() ? 1 : field[kLength],
              field[kPosition], field[kRopeLength]};
    std::string fault = faultOf(s, rows, taken, slots);
    if (!fault.empty()) {
      f.fail() << "is given segment " << segments.size() << ", which " << fault;
    }
    segments.push_back(s);
  }
  auto left = llvm::find(taken, false);
  if (!f.failed() && left != taken.end()) {
    f.fail() << "is given row " << (left - taken.begin())
             << ", which is in no segment";
  }
  return f.failed() ? std::vector<Segment>() : segments;
}

bool hasSlots(ArrayRef<Segment> segments, int64_t layer, const Tensor &pool,
              Frame &f) {
  if (layer < 0 || layer >= pool.shape[1]) {
    f.fail() << "asks for layer " << layer << " of a pool of " << pool.shape[1];
    return false;
  }
  for (const Segment &s : segments) {
    if (s.slot >= pool.shape[0]) {
      f.fail() << "asks for slot " << s.slot << " of a pool of "
               << pool.shape[0];
      return false;
    }
  }
  return true;
}

void checkWritten(Value pool, ArrayRef<int64_t> index, int64_t count,
                  Frame &f) {
  ArrayRef<int64_t> shape = f.tensor(pool).shape;
  int64_t from = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    from = from * shape[d] + index[d];
  }
  ArrayRef<int64_t> below = shape.drop_front(index.size());
  from *= elementsOf(below);
  int64_t end = from + count * elementsOf(below.drop_front());
  for (int64_t place = from; place < end && !f.failed(); ++place) {
    f.element(pool, place);
  }
}

} // namespace cheems::interpreter
