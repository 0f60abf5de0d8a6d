#include "runtime/Generation/LogitsMode.h"
#include "runtime/Generation/LogitsFile.h"
#include "runtime/Generation/TokenIds.h"

namespace cheems {

void writeLogits(Session &session, const TokenTable &table,
                 const std::string &name, const std::string &path) {
  std::vector<int32_t> ids = checkTokenIds(table.ids.data(), table.ids.size(),
                                           session.vocabulary(), name);
  if (table.columns > session.context()) {
    throw Error(name + ": rows of " + std::to_string(table.columns) +
                " tokens do not fit in the context of " +
                std::to_string(session.context()) + "; raise it with -c");
  }
  LogitsFile file(path, table.rows, table.columns, session.vocabulary());
  for (int64_t row = 0; row < table.rows; ++row) {
    session.reset(0);
    session.prefillAll(0, ids.data() + row * table.columns, table.columns,
                       [&](int64_t, int64_t rows, const float *logits) {
                         file.append(logits, rows);
                       });
  }
  file.finish();
}

} // namespace cheems
