// Sequences being run on a model: which tokens each was fed, and the checks in
// front of compiled code. An executor computes, and holds their state.
#ifndef CHEEMS_RUNTIME_SESSION_SESSION_H
#define CHEEMS_RUNTIME_SESSION_SESSION_H

#include "runtime/Artifact/Model.h"
#include "runtime/Executor/Executor.h"
#include "runtime/Profile/Profile.h"
#include "runtime/Session/Pooling.h"
#include "runtime/Session/SlotHistory.h"
#include "runtime/Session/StepCheck.h"
#include "runtime/State/StatePools.h"
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace cheems {

struct SessionOptions {
  int64_t slots = 1; ///< sequences held at once
  int threads = 0;   ///< 0: the physical cores within affinity and cgroup quota
  int64_t context = 0; ///< tokens a sequence may hold; 0: the model's default
  int64_t prefillChunk = 0; ///< rows a prefill feeds at a time; 0: what the
                            ///< artefact says; at most 65536 are taken
  int64_t rows = 0; ///< of the longest step, where more than a chunk's and one
                    ///< a slot are wanted; at most 65536 are taken
  /// Told where the time of each step goes; of this session alone. Null: none.
  std::shared_ptr<Profile> profile;
  /// One line without a newline for what the user should know, such as a
  /// context past the trained length.
  std::function<void(const std::string &)> warn;
  /// Told how many bytes of the weights are on their way to a GPU, of how many,
  /// while the first session of a model is made there; what it throws ends
  /// that.
  std::function<void(int64_t done, int64_t all)> uploading;
  /// Asked between the chunks of a prefill; true ends it with
  /// Status::interrupted.
  std::function<bool()> interrupted;
};

/// What a session takes, in bytes.
struct SessionBytes {
  int64_t weights = 0; ///< which all sessions of a model share
  int64_t state = 0;   ///< of all slots
  int64_t workspace = 0;
};

/// One slot at one moment.
struct Snapshot {
  int32_t position = 0;
  SlotCopy state;
};

/// For one thread at a time. Several sessions may share a model, each with its
/// own threads and memory. Whatever throws leaves every slot as it was, or, in
/// a prefill, after its last whole chunk; only a slot that is given another
/// state while a GPU or a file fails is empty. In a forked child a session can
/// be destroyed, and on the CPU looked at and saved, but a step throws Error
/// (usage).
class Session {
public:
  /// All memory of a step is had here. Throws Error: usage for impossible
  /// options, failed when memory is short.
  Session(const std::shared_ptr<const Model> &model,
          const SessionOptions &options = {});

  const Model &model() const { return *compiled; }
  int64_t slots() const { return static_cast<int64_t>(positions.size()); }
  int threads() const { return executor->threads(); }
  /// The code that runs: the variant of a CPU, "sm_90a.cubin" of a GPU.
  std::string code() const { return executor->code(); }
  int64_t vocabulary() const { return compiled->metadata().vocabulary; }
  /// Numbers of an embedding.
  int64_t hidden() const { return compiled->metadata().hidden; }
  /// Tokens a sequence may hold; unlimited() when only the 2^31-1 of a position
  /// bounds it.
  int64_t context() const { return contextLength; }
  bool unlimited() const { return contextLength == INT32_MAX; }
  /// Most rows of a step.
  int64_t maxRows() const { return rowLimit; }
  /// Rows that prefill feeds at a time.
  int64_t prefillChunk() const { return chunk; }
  SessionBytes bytes() const {
    return {executor->weightBytes(), pools().bytes(),
            executor->workspaceBytes()};
  }
  /// What a session with these options would take. Takes no memory itself, and
  /// warns of nothing. Throws Error, as the constructor does for the options.
  static SessionBytes estimate(const Model &model,
                               const SessionOptions &options);

  /// Runs a step; `logits` [rows, vocabulary] receives those of its rows. In a
  /// segment, rope_length 0 stands for position + length. Checks all of it;
  /// allocates nothing. Throws Error (usage) for a step that breaks abi.h's
  /// rules, ContextFull for a sequence without room.
  void step(const StepView &step, float *logits);

  /// The same for at most slots() rows, whose logits stay where they were
  /// computed until the next step: for the two functions below.
  void stepKeeping(const StepView &step);
  /// Logits [vocabulary] of the index-th of these rows, until the next call of
  /// any function. The first call may allocate.
  const float *keptLogits(int64_t index = 0);
  /// Whether the rows of a step lie beside each other, so that those which
  /// keptLogits() gave before stay valid when it is called for another one.
  bool keepsRowsTogether() const;
  /// At least `count` of the best of them, for as long; nothing where the whole
  /// row is as near.
  std::optional<TopLogits> topLogits(size_t count, int64_t index = 0);

  /// The host's threads that compute; null where a GPU does. The caller may
  /// employ them between calls, as ThreadPool allows.
  ThreadPool *hostThreads() { return executor->hostThreads(); }

  /// Feeds a prompt to one slot, prefillChunk() rows at a time; `logits`
  /// [vocabulary] receives those of the last token, unless null. The dynamic
  /// rotary base is that of the whole prompt. `fed` hears how many tokens are
  /// fed, after each chunk.
  void prefill(int64_t slot, Span<const int32_t> tokens, float *logits,
               const std::function<void(int64_t done)> &fed = nullptr);
  /// The same; logits of the last token are kept, as by stepKeeping.
  void prefillKeeping(int64_t slot, Span<const int32_t> tokens,
                      const std::function<void(int64_t done)> &fed = nullptr);
  /// The same; `receive` gets the logits of all rows, chunk by chunk: index of
  /// the first, how many, [rows, vocabulary].
  using LogitsHandler =
      std::function<void(int64_t first, int64_t rows, const float *logits)>;
  void prefillAll(int64_t slot, Span<const int32_t> tokens,
                  const LogitsHandler &receive);
  /// The same; `embedding` [hidden] receives that of the tokens, sums in
  /// double.
  void embed(int64_t slot, Span<const int32_t> tokens, Pooling pooling,
             float *embedding);
  /// Feeds one token; `logits` [vocabulary].
  void decode(int64_t slot, int32_t token, float *logits);
  /// The same; they are kept, as by stepKeeping.
  void decodeKeeping(int64_t slot, int32_t token);

  /// Tokens the slot has been fed.
  int64_t position(int64_t slot) const;
  /// Tokens it has room for.
  int64_t remaining(int64_t slot) const { return context() - position(slot); }
  /// Forgets the sequence. The memory of a long one goes back to the system.
  void reset(int64_t slot);
  /// Goes back to the first `tokens` tokens; false, and nothing changed, where
  /// the state no longer tells them (keys were evicted, or a layer keeps a
  /// running state).
  bool rewind(int64_t slot, int64_t tokens);
  /// Whether it would, to at most as many tokens as the slot holds.
  bool canRewind(int64_t slot, int64_t tokens) const;
  Snapshot snapshot(int64_t slot) const;
  /// Into any slot of a session of the same model. Throws ContextFull where
  /// the session's context is too short for it.
  void restore(int64_t slot, const Snapshot &snapshot);
  /// Makes slot `to` hold what slot `from` holds.
  void copy(int64_t from, int64_t to);
  /// The slot as a file, which a later session of the same model can load;
  /// `application` goes along. The old file stays until the new one is whole.
  /// Throws Error.
  void save(int64_t slot, const std::string &path,
            std::string_view application = {}) const;
  /// What `save` wrote, into any slot; returns the application's bytes. Throws
  /// Error naming why the file is refused, ContextFull where the context is too
  /// short for it; nothing is changed then. Only where a file that was found
  /// whole then changes or can not be read any more, the slot is empty.
  std::string load(int64_t slot, const std::string &path);
  /// The same in memory. A partial state is without the entries that the slot
  /// keeps while its sequence grows, and goes back only there; where a window
  /// evicts entries it is a whole one. `bytes` has room for stateBytes().
  size_t stateBytes(int64_t slot, bool partial) const;
  void writeState(int64_t slot, bool partial, char *bytes) const;
  /// Throws Error naming why the bytes are refused; unsupported where the slot
  /// has not kept the entries of a partial state. Nothing is changed then.
  void readState(int64_t slot, std::string_view bytes);

private:
  /// The options with defaults filled in.
  struct Sizes {
    Sizes(const Model &model, const SessionOptions &options);
    ExecutorOptions executor(const Model &model,
                             const SessionOptions &options) const;
    int64_t context, chunk, slots, rows;
  };
  Session(std::shared_ptr<const Model> model, const SessionOptions &options,
          const Sizes &sizes);
  StatePools &pools() { return executor->pools(); }
  const StatePools &pools() const {
    return static_cast<const Executor &>(*executor).pools();
  }
  void checkSlot(int64_t slot) const;
  void checkKept(int64_t index) const;
  /// Rows of a part of a prefill.
  Span<const int32_t> allRows(const StepView &part) const;
  Span<const int32_t> lastRow(const StepView &part) const;
  /// A token of the slot's sequence.
  cheems_segment oneRow(int64_t slot) const;
  void checkFits(const std::string &what, int64_t tokens) const;
  /// Says where a partial state belongs.
  struct Place {
    uint64_t session, slot, moment;
  };
  Place placeOf(int64_t slot) const;
  bool evicts() const;
  template <typename Use>
  auto toWrite(int64_t slot, bool partial, const Use &use) const;
  void checkPlace(int64_t slot, int32_t position,
                  std::string_view application) const;
  void setPosition(int64_t slot, int64_t tokens);
  /// Gives the slot by `act` the state of so many tokens, of which it has the
  /// entries of the first `kept` already.
  template <typename Act>
  void change(int64_t slot, int32_t position, int32_t kept, const Act &act);
  /// Entries of each capacity extent that the slot's sequence uses.
  int64_t entries(int64_t slot) const;
  /// Checks and runs a step. Without a place for its logits they are kept.
  void run(const StepView &step, float *logits);
  /// Calls `feedChunk` with each chunk of the tokens as a step without rows,
  /// its one segment, and how many tokens it makes with those before.
  template <typename FeedChunk>
  void feed(int64_t slot, Span<const int32_t> tokens,
            const FeedChunk &feedChunk);

  std::shared_ptr<const Model> compiled;
  std::function<bool()> interrupted;
  std::shared_ptr<Profile> profile;
  int64_t contextLength, chunk, rowLimit;
  std::unique_ptr<Executor> executor;
  StepCheck checks;
  std::vector<int32_t> positions; ///< tokens fed, by slot
  std::vector<int32_t> reached;   ///< most of them since its memory was unused
  std::vector<int64_t> firstRows; ///< that rings still have, by slot
  std::vector<SlotHistory> histories; ///< by slot
  uint64_t identity;                  ///< random: no other session has it
  std::vector<cheems_segment>
      segments;                    ///< the caller's, with rope_length filled in
  std::vector<int32_t> rowNumbers; ///< 0, 1, … of a chunk
  int64_t keptRows = 0;            ///< whose logits the last step has left
  std::vector<float> kept;         ///< theirs, where the executor keeps none
};

} // namespace cheems

#endif
