// Which entries stay: keep_threshold, keep_update.
#include "Handlers.h"
#include "Letters.h"
#include "SegmentTable.h"
#include "cheems/Reference/KeepThreshold.h"
#include <limits>

namespace cheems::interpreter {
using namespace mlir;

/// The first `count` of head m's masks and positions.
static std::pair<Tensor, std::vector<int64_t>>
ranked(const Tensor &masks, const Tensor &positions, int64_t m, int64_t count) {
  Tensor mask({1, count});
  std::vector<int64_t> position;
  for (int64_t j = 0; j < count; ++j) {
    mask(0, j) = masks(m, j);
    position.push_back(static_cast<int64_t>(positions(m, j)));
  }
  return {mask, position};
}

/// A row sees entries by their number, whatever their positions are.
constexpr int64_t kEverything = std::numeric_limits<int32_t>::max();

static void keepThreshold(cpu::KeepThresholdOp op, Frame &f) {
  Letters n(f);
  n("MC", op.getMask())("MC", op.getPosition())("TM", op.getThreshold());
  n("TM", op.getLast());
  int64_t first = f.integer(op.getFirst()), keep = op.getKeep();
  if (f.failed()) {
    return;
  }
  if (first < 0 || first + n['T'] > n['C']) {
    f.fail() << "is given " << first << " entries and " << n['T']
             << " rows after them, of " << n['C'];
    return;
  }
  for (int64_t m = 0; m < n['M']; ++m) {
    checkWritten(op.getMask(), {m}, first + n['T'], f);
    checkWritten(op.getPosition(), {m}, first + n['T'], f);
  }
  if (f.failed()) {
    return;
  }
  const Tensor &masks = f.tensor(op.getMask()),
               &positions = f.tensor(op.getPosition());
  Tensor threshold({n['T'], n['M']}), last({n['T'], n['M']});
  Tensor place({1, n['M']});
  for (int64_t m = 0; m < n['M']; ++m) {
    for (int64_t t = 0; t < n['T']; ++t) {
      auto [mask, position] = ranked(masks, positions, m, first + t + 1);
      reference::KeepThreshold kept =
          reference::keepThreshold(mask, position, {kEverything}, keep);
      threshold(t, m) = kept.mask(0, 0);
      last(t, m) = static_cast<double>(kept.last[0]);
      int64_t free = 0;
      while (free < std::min(keep, first + t + 1) &&
             kept.keeps(0, 0, mask(0, free), position[free])) {
        ++free;
      }
      bool moves = first + t + 1 > keep;
      place(0, m) = static_cast<double>(moves ? free : keep);
    }
  }
  f.set(op.getResult(0), std::move(threshold));
  f.set(op.getResult(1), std::move(last));
  if (op.getMovesTo()) {
    f.set(op.getResult(2), std::move(place));
  }
}

/// Copies entry `from` of head m to `to`.
static void moveEntry(Tensor &entries, int64_t m, int64_t from, int64_t to) {
  int64_t size = entries.rank() == 3 ? entries.shape[2] : 1;
  auto head = entries.data.begin() + m * entries.shape[1] * size;
  std::copy_n(head + from * size, size, head + to * size);
}

static void keepUpdate(cpu::KeepUpdateOp op, Frame &f) {
  Letters n(f);
  n("MCP", op.getKeys())("MCP", op.getValues())("MC", op.getMask());
  n("MC", op.getPosition())("MC", op.getKeyScales())("MC", op.getValueScales());
  int64_t first = f.integer(op.getFirst()), rows = f.integer(op.getRows()),
          keep = op.getKeep(), count = first + rows;
  const Tensor &threshold = f.read(op.getThreshold());
  std::vector<int64_t> last = f.readIntegers(op.getLast());
  if (f.failed()) {
    return;
  }
  if (first < 0 || rows < 0 || count > n['C']) {
    f.fail() << "is given " << count << " entries, of " << n['C'];
    return;
  }
  for (int64_t m = 0; m < n['M'] && count > keep; ++m) {
    checkWritten(op.getMask(), {m}, count, f);
    checkWritten(op.getPosition(), {m}, count, f);
  }
  if (f.failed()) {
    return;
  }
  std::vector<Tensor> entries;
  for (Value init : op.getDpsInits()) {
    entries.push_back(f.tensor(init));
  }
  const Tensor &masks = f.tensor(op.getMask()),
               &positions = f.tensor(op.getPosition());
  for (int64_t m = 0; m < n['M'] && count > keep; ++m) {
    reference::KeepThreshold kept{Tensor({1, 1}, {threshold(m)}), {last[m]}};
    auto stays = [&](int64_t j) {
      return kept.keeps(0, 0, masks(m, j),
                        static_cast<int64_t>(positions(m, j)));
    };
    int64_t free = 0;
    for (int64_t j = keep; j < count; ++j) {
      if (!stays(j)) {
        continue;
      }
      while (free < keep && stays(free)) {
        ++free;
      }
      if (free == keep) {
        f.fail() << "is given a threshold that keeps more than " << keep;
        return;
      }
      for (Tensor &each : entries) {
        moveEntry(each, m, j, free);
      }
      ++free;
    }
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), entries)) {
    f.set(result, std::move(value));
  }
}

void addKeep(Handlers &handlers) {
  handlers.add<cpu::KeepThresholdOp>(keepThreshold);
  handlers.add<cpu::KeepUpdateOp>(keepUpdate);
}

} // namespace cheems::interpreter
