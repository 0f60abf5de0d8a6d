// The C interface: sessions.
#include "runtime/Api/Handles.h"
#include <algorithm>
#include <cstring>

using namespace cheems;
using namespace cheems::api;

static SessionOptions convert(const cheems_session_options &options) {
  SessionOptions converted;
  converted.slots = options.slots == 0 ? 1 : options.slots;
  // Out of an int's range is out of the pool's as well; it names the limits.
  converted.threads =
      static_cast<int>(std::clamp<int64_t>(options.threads, -1, INT32_MAX));
  converted.context = options.context;
  converted.prefillChunk = options.prefill_chunk;
  converted.rows = options.rows;
  if (options.warn) {
    converted.warn = [=](const std::string &line) {
      options.warn(options.user, line.c_str());
    };
  }
  return converted;
}

static SessionOptions convert(const cheems_session_options &options,
                              std::atomic<bool> &interruptWanted) {
  SessionOptions converted = convert(options);
  converted.interrupted = [&interruptWanted, options] {
    return interruptWanted.exchange(false) ||
           (options.interrupted && options.interrupted(options.user) != 0);
  };
  return converted;
}

cheems_session::cheems_session(const cheems_model &model,
                               const cheems_session_options &options)
    : session(model.model, convert(options, interruptWanted)) {}

cheems_status cheems_session_create(const cheems_model *model,
                                    const cheems_session_options *given,
                                    cheems_session **session) {
  return guard([&] {
    need(model, "model");
    need(session, "session");
    *session =
        new cheems_session(*model, adopt(given, "cheems_session_options"));
  });
}

/// Fills as much of it as the caller's version of the struct has.
static void give(const SessionBytes &bytes, int64_t slots,
                 cheems_memory *memory) {
  cheems_memory result = {};
  result.size = checkSize(memory->size, "cheems_memory");
  result.weights = bytes.weights;
  result.slot = bytes.state / slots;
  result.state = bytes.state;
  result.workspace = bytes.workspace;
  std::memcpy(memory, &result, std::min(result.size, sizeof(result)));
}

cheems_status cheems_session_memory(const cheems_session *session,
                                    cheems_memory *memory) {
  return guard([&] {
    need(session, "session");
    need(memory, "memory");
    give(session->session.bytes(), session->session.slots(), memory);
  });
}

cheems_status cheems_model_estimate(const cheems_model *model,
                                    const cheems_session_options *given,
                                    cheems_memory *memory) {
  return guard([&] {
    need(model, "model");
    need(memory, "memory");
    SessionOptions options = convert(adopt(given, "cheems_session_options"));
    give(Session::estimate(*model->model, options), options.slots, memory);
  });
}

cheems_status cheems_model_state_bytes(const cheems_model *model,
                                       int64_t tokens, int64_t *bytes) {
  return guard([&] {
    need(model, "model");
    need(bytes, "bytes");
    if (tokens < 0 || tokens > INT32_MAX) {
      throw Error(Status::usage, "tokens must be between 0 and " +
                                     std::to_string(INT32_MAX) + ", not " +
                                     std::to_string(tokens));
    }
    const Metadata &data = model->model->metadata();
    *bytes = StatePools::bytesOf(
        data, 1, {data.usedEntries(tokens), data.ringRows(tokens)});
  });
}

void cheems_session_destroy(cheems_session *session) { delete session; }

int64_t cheems_session_context(const cheems_session *session) {
  return session ? session->session.context() : 0;
}

int64_t cheems_session_rows(const cheems_session *session) {
  return session ? session->session.maxRows() : 0;
}

int64_t cheems_session_prefill_chunk(const cheems_session *session) {
  return session ? session->session.prefillChunk() : 0;
}

int64_t cheems_session_slots(const cheems_session *session) {
  return session ? session->session.slots() : 0;
}

int64_t cheems_session_threads(const cheems_session *session) {
  return session ? session->session.threads() : 0;
}

cheems_status cheems_session_position(const cheems_session *session,
                                      int64_t slot, int64_t *position) {
  return guard([&] {
    need(session, "session");
    need(position, "position");
    *position = session->session.position(slot);
  });
}

cheems_status cheems_session_step(cheems_session *session,
                                  const int32_t *tokens, int64_t token_count,
                                  const cheems_segment *segments,
                                  int64_t segment_count, const int32_t *rows,
                                  int64_t row_count, float *logits) {
  return guard([&] {
    need(session, "session");
    session->session.step(
        {{tokens, token_count}, {segments, segment_count}, {rows, row_count}},
        logits);
  });
}

cheems_status cheems_session_prefill(cheems_session *session, int64_t slot,
                                     const int32_t *tokens, int64_t count,
                                     float *logits) {
  return guard([&] {
    need(session, "session");
    need(tokens, "tokens");
    session->session.prefill(slot, {tokens, count}, logits);
  });
}

cheems_status cheems_session_embed(cheems_session *session, int64_t slot,
                                   const int32_t *tokens, int64_t count,
                                   cheems_pooling pooling, float *embedding) {
  return guard([&] {
    need(session, "session");
    need(tokens, "tokens");
    need(embedding, "embedding");
    if (pooling != CHEEMS_POOLING_MEAN && pooling != CHEEMS_POOLING_LAST) {
      throw Error(Status::usage,
                  "pooling " + std::to_string(pooling) + " is not known");
    }
    session->session.embed(slot, {tokens, count},
                           pooling == CHEEMS_POOLING_MEAN ? Pooling::mean
                                                          : Pooling::last,
                           embedding);
  });
}

void cheems_session_interrupt(cheems_session *session, int wanted) {
  if (session) {
    session->interruptWanted.store(wanted != 0);
  }
}

cheems_status cheems_session_decode(cheems_session *session, int64_t slot,
                                    int32_t token, float *logits) {
  return guard([&] {
    need(session, "session");
    need(logits, "logits");
    session->session.decode(slot, token, logits);
  });
}

cheems_status cheems_session_reset(cheems_session *session, int64_t slot) {
  return guard([&] {
    need(session, "session");
    session->session.reset(slot);
  });
}

cheems_status cheems_session_rewind(cheems_session *session, int64_t slot,
                                    int64_t tokens) {
  return guard([&] {
    need(session, "session");
    if (!session->session.rewind(slot, tokens)) {
      throw Error(Status::unsupported,
                  "slot " + std::to_string(slot) +
                      " cannot go back: keys were evicted or a layer keeps a "
                      "running state; reset it and feed the tokens again");
    }
  });
}

cheems_status cheems_session_copy(cheems_session *session, int64_t from,
                                  int64_t to) {
  return guard([&] {
    need(session, "session");
    session->session.copy(from, to);
  });
}

cheems_status cheems_session_save(const cheems_session *session, int64_t slot,
                                  const char *path) {
  return guard([&] {
    need(session, "session");
    need(path, "path");
    session->session.save(slot, path);
  });
}

cheems_status cheems_session_load(cheems_session *session, int64_t slot,
                                  const char *path) {
  return guard([&] {
    need(session, "session");
    need(path, "path");
    session->session.load(slot, path);
  });
}

static bool isPartial(int flags) {
  checkFlags(flags, CHEEMS_STATE_PARTIAL, "cheems_state_flags");
  return (flags & CHEEMS_STATE_PARTIAL) != 0;
}

cheems_status cheems_session_state_size(const cheems_session *session,
                                        int64_t slot, int flags, size_t *size) {
  return guard([&] {
    need(session, "session");
    need(size, "size");
    *size = session->session.stateBytes(slot, isPartial(flags));
  });
}

cheems_status cheems_session_state_get(const cheems_session *session,
                                       int64_t slot, int flags, void *buffer,
                                       size_t capacity, size_t *size) {
  return guard([&] {
    need(session, "session");
    need(buffer, "buffer");
    bool partial = isPartial(flags);
    size_t wanted = session->session.stateBytes(slot, partial);
    checkRoom(wanted, capacity);
    session->session.writeState(slot, partial, static_cast<char *>(buffer));
    if (size) {
      *size = wanted;
    }
  });
}

cheems_status cheems_session_state_set(cheems_session *session, int64_t slot,
                                       const void *buffer, size_t size) {
  return guard([&] {
    need(session, "session");
    need(buffer, "buffer");
    session->session.readState(slot, {static_cast<const char *>(buffer), size});
  });
}
