#include "runtime/Generation/LogitsMode.h"
#include "runtime/Generation/LogitsFile.h"
#include "runtime/Generation/TokenIds.h"
#include <algorithm>
#include <numeric>

namespace cheems {

namespace {

/// Sequences and rows at once: more would cost memory and win little.
constexpr int64_t mostSlots = 16, mostRows = 512;

Error tooLong(const std::string &name, int64_t columns, int64_t context) {
  return Error(name + ": rows of " + std::to_string(columns) +
               " tokens do not fit in the context of " +
               std::to_string(context) + "; raise it with -c");
}

/// The rows of a table on their way through the slots of a session.
class Batch {
public:
  Batch(Session &session, const std::vector<int32_t> &ids, int64_t rows,
        int64_t columns)
      : session(session), ids(ids), rows(rows), columns(columns),
        sequences(static_cast<size_t>(session.slots()), -1),
        logits(static_cast<size_t>(session.maxRows() * session.vocabulary())),
        wanted(static_cast<size_t>(session.maxRows())) {
    std::iota(wanted.begin(), wanted.end(), 0);
  }

  /// One step with as many next chunks as fit; false when none is left.
  bool step(LogitsFile &file) {
    tokens.clear();
    segments.clear();
    for (int64_t slot = 0; slot < session.slots(); ++slot) {
      add(slot);
    }
    if (segments.empty()) {
      return false;
    }
    auto count = static_cast<int64_t>(tokens.size());
    session.step({tokens, segments, {wanted.data(), count}}, logits.data());
    for (const cheems_segment &segment : segments) {
      file.append(sequences[static_cast<size_t>(segment.slot)],
                  logits.data() + segment.start * session.vocabulary(),
                  segment.length);
    }
    return true;
  }

private:
  /// Puts the slot's next chunk into the step, if there is one and it fits. A
  /// chunk is never cut: what is computed together may decide the last bits.
  void add(int64_t slot) {
    int64_t &sequence = sequences[static_cast<size_t>(slot)];
    int64_t position = session.position(slot);
    if (sequence < 0 || position == columns) {
      if (next == rows) {
        return;
      }
      sequence = next++;
      session.reset(slot);
      position = 0;
    }
    int64_t length = std::min(session.prefillChunk(), columns - position);
    int64_t start = static_cast<int64_t>(tokens.size());
    if (start + length > session.maxRows()) {
      return;
    }
    cheems_segment segment = {};
    segment.slot = static_cast<int32_t>(slot);
    segment.start = static_cast<int32_t>(start);
    segment.length = static_cast<int32_t>(length);
    segment.position = static_cast<int32_t>(position);
    segment.rope_length = static_cast<int32_t>(columns); // of the whole row
    segments.push_back(segment);
    auto from = ids.begin() + (sequence * columns + position);
    tokens.insert(tokens.end(), from, from + length);
  }

  Session &session;
  const std::vector<int32_t> &ids;
  int64_t rows, columns;
  int64_t next = 0;               ///< sequence that no slot has had
  std::vector<int64_t> sequences; ///< by slot; -1: none yet
  std::vector<int32_t> tokens;
  std::vector<cheems_segment> segments;
  std::vector<float> logits;
  std::vector<int32_t> wanted; ///< 0, 1, …
};

} // namespace

Session sessionFor(const TokenTable &table, const std::string &name,
                   const std::shared_ptr<const Model> &model,
                   SessionOptions options) {
  int64_t limit =
      options.context != 0 ? options.context : model->metadata().defaultContext;
  if (limit == 0) {
    limit = INT32_MAX;
  }
  if (table.columns > limit) {
    throw tooLong(name, table.columns, limit);
  }
  options.context = table.columns;
  // There are as many sequences as have space for a chunk each, whatever the
  // chunk.
  int64_t chunk =
      std::min(options.prefillChunk > 0 ? options.prefillChunk : mostRows,
               table.columns);
  options.slots =
      std::clamp<int64_t>(mostRows / chunk, 1, std::min(table.rows, mostSlots));
  options.rows = options.slots * chunk;
  return Session(model, options);
}

void writeLogits(Session &session, const TokenTable &table,
                 const std::string &name, const std::string &path,
                 const std::function<bool()> &interrupted) {
  std::vector<int32_t> ids = checkTokenIds(table.ids.data(), table.ids.size(),
                                           session.vocabulary(), name);
  if (table.columns > session.context()) {
    throw tooLong(name, table.columns, session.context());
  }
  LogitsFile file(path, table.rows, table.columns, session.vocabulary());
  Batch batch(session, ids, table.rows, table.columns);
  do {
    if (interrupted && interrupted()) {
      throw Error(Status::interrupted, "interrupted");
    }
  } while (batch.step(file));
  file.finish();
}

} // namespace cheems
