// Which tokens a slot holds, and how it comes to hold the beginning of others
// with the least work.
#ifndef CHEEMS_RUNTIME_GENERATION_CONVERSATION_H
#define CHEEMS_RUNTIME_GENERATION_CONVERSATION_H

#include "runtime/Session/Session.h"
#include <functional>
#include <string>
#include <vector>

namespace cheems {

/// Slot 0 of a session, turn after turn:
///
///     size_t held = conversation.reuse(tokens);
///     feed tokens[held..];  conversation.fed(tokens);  conversation.keep();
///     generate;             conversation.fed(tokens and answer);
class Conversation {
public:
  /// The session must outlive it. `notify` gets a line when a change costs
  /// computing tokens again that were there.
  Conversation(Session &session,
               std::function<void(const std::string &)> notify);

  /// Makes the slot hold a beginning of `tokens`, as long as it can be had and
  /// shorter than all of them, and returns its length: goes back in the live
  /// state where the model can, else to a kept state, else to nothing.
  size_t reuse(const std::vector<int32_t> &tokens);
  /// The slot now holds the first session.position(0) of `tokens`.
  void fed(const std::vector<int32_t> &tokens);
  /// What the slot holds, as far as `fed` told.
  const std::vector<int32_t> &tokens() const { return held; }
  /// The slot was given another state: one that holds `tokens`.
  void loaded(std::vector<int32_t> tokens);
  /// The slot holds nothing, and nothing is kept.
  void restart();
  /// Keeps the state as it is now, if the model might not find back to it.
  void keep();

private:
  struct Kept {
    std::vector<int32_t> tokens;
    Snapshot snapshot;
  };
  bool mayForget() const;

  Session &session;
  std::function<void(const std::string &)> notify;
  std::vector<int32_t> held; ///< what the slot was fed
  /// States of this turn, oldest first: where it began, and after the prompt.
  std::vector<Kept> states;
};

} // namespace cheems

#endif
