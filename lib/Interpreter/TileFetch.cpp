// fetch_rows.
#include "Handlers.h"
#include "TileAccess.h"

namespace cheems::interpreter {
using namespace mlir;

static void fetchRows(tile::FetchRowsOp op, Frame &f) {
  tile::BufferType buffer = op.getBuffer().getType();
  std::optional<int64_t> first = firstOf(buffer, f.integer(op.getStage()), f);
  if (first) {
    begin(op.getBuffer(), *first,
          gathered(op, {buffer.getRows(), buffer.getColumns()},
                   int64_t(op.getAligned()), f),
          f);
  }
}

void addTileFetch(Handlers &handlers) {
  handlers.add<tile::FetchRowsOp>(fetchRows);
}

} // namespace cheems::interpreter
