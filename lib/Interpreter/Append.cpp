// append_visible.
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Reference/AppendVisible.h"
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/QuantizeEntries.h"
#include "mlir/IR/TypeUtilities.h"

namespace cheems::interpreter {
using namespace mlir;

static void appendVisible(cpu::AppendVisibleOp op, Frame &f) {
  Letters n(f);
  n("TP", op.getKey())("TP", op.getValue())("TM", op.getMask());
  n("1CP", op.getKeys())("1CP", op.getValues())("MC", op.getStoredMask());
  n("T", op.getSeen())("1C", op.getKeyScales())("1C", op.getValueScales());
  int64_t count = f.integer(op.getCount());
  Tensor key = f.read(op.getKey()), value = f.read(op.getValue());
  const Tensor &mask = f.read(op.getMask());
  if (f.failed()) {
    return;
  }
  if (count < 0 || count + n['T'] > n['C']) {
    f.fail() << "is given " << count << " entries and " << n['T']
             << " rows, of " << n['C'];
    return;
  }
  double hideBelow = op.getHideBelow().convertToDouble();
  Type element = getElementTypeOrSelf(op.getKeys().getType());
  if (element.isBF16()) {
    key = reference::bf16(key);
    value = reference::bf16(value);
  }
  if (op.getKeyScales()) {
    auto keyCodes = reference::quantizeEntries(key),
         valueCodes = reference::quantizeEntries(value);
    // scales stand where their codes do
    reference::StoredEntries scales{
        f.tensor(op.getKeyScales()).reshaped({1, n['C'], 1}),
        f.tensor(op.getValueScales()).reshaped({1, n['C'], 1}),
        f.tensor(op.getStoredMask())};
    reference::appendVisible(keyCodes.scales.reshaped({n['T'], 1}),
                             valueCodes.scales.reshaped({n['T'], 1}), mask,
                             hideBelow, count, scales);
    f.set(op.getResult(4), scales.keys.reshaped({1, n['C']}));
    f.set(op.getResult(5), scales.values.reshaped({1, n['C']}));
    key = std::move(keyCodes.codes);
    value = std::move(valueCodes.codes);
  }
  reference::StoredEntries stored{f.tensor(op.getKeys()),
                                  f.tensor(op.getValues()),
                                  f.tensor(op.getStoredMask())};
  std::vector<int64_t> seen =
      reference::appendVisible(key, value, mask, hideBelow, count, stored);
  f.set(op.getResult(0), std::move(stored.keys));
  f.set(op.getResult(1), std::move(stored.values));
  f.set(op.getResult(2), std::move(stored.mask));
  f.set(op.getResult(3), Tensor({n['T']}, {seen.begin(), seen.end()}));
}

void addAppend(Handlers &handlers) {
  handlers.add<cpu::AppendVisibleOp>(appendVisible);
}

} // namespace cheems::interpreter
