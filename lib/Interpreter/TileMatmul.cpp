#include "TileMatmul.h"
#include "Elements.h"

namespace cheems::interpreter {

Tensor product(const Tensor &a, const Tensor &b, Tensor c) {
  for (int64_t m = 0; m < c.shape[0]; ++m) {
    for (int64_t n = 0; n < c.shape[1]; ++n) {
      for (int64_t k = 0; k < a.shape[1]; ++k) {
        c(m, n) += a(m, k) * b(n, k);
      }
    }
  }
  return c;
}

std::optional<Tensor> stageOf(Value buffer, int64_t s, Frame &f) {
  const Tensor &whole = f.memory(buffer).contents();
  if (s < 0 || s >= whole.shape[0]) {
    f.fail() << "takes stage " << s << " of " << whole.shape[0];
    return std::nullopt;
  }
  Tensor taken = whole.rows(s, 1);
  auto at = llvm::find_if(taken.data, isUninitialised);
  if (at != taken.data.end()) {
    f.fail() << "reads element "
             << indexText(whole.shape, s * int64_t(taken.data.size()) +
                                           (at - taken.data.begin()))
             << " of a buffer, which nothing has written, or a copy that is "
                "not waited for";
    return std::nullopt;
  }
  return taken.reshaped({whole.shape[1], whole.shape[2]});
}

} // namespace cheems::interpreter
