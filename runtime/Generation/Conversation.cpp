#include "runtime/Generation/Conversation.h"
#include <algorithm>

namespace cheems {

/// Tokens both begin with.
static size_t sharedPrefix(const std::vector<int32_t> &a,
                           const std::vector<int32_t> &b) {
  size_t most = std::min(a.size(), b.size()), count = 0;
  while (count < most && a[count] == b[count]) {
    ++count;
  }
  return count;
}

Conversation::Conversation(Session &session,
                           std::function<void(const std::string &)> notify)
    : session(session), notify(std::move(notify)) {}

bool Conversation::mayForget() const {
  const Metadata &data = session.model().metadata();
  return data.evicts(session.context()) ||
         std::any_of(data.state.begin(), data.state.end(),
                     [](const StateKind &kind) { return !kind.hasCapacity(); });
}

size_t Conversation::reuse(const std::vector<int32_t> &tokens) {
  // the last token is always fed again: its logits choose the first new one
  size_t shared = sharedPrefix(held, tokens);
  if (!tokens.empty() && shared == tokens.size()) {
    --shared;
  }
  size_t had = held.size(), length = 0;
  if (session.rewind(0, static_cast<int64_t>(shared))) {
    length = shared;
  } else {
    auto fits = [&](const Kept &kept) { return kept.tokens.size() <= shared; };
    // oldest first, so the last that fits is the longest
    auto best = std::find_if(states.rbegin(), states.rend(), fits);
    if (best != states.rend()) {
      session.restore(0, best->snapshot);
      length = best->tokens.size();
    } else {
      session.reset(0);
      notify("the conversation changed after token " + std::to_string(shared) +
             " of " + std::to_string(had) +
             ", and the model cannot go back there; computing all of it again");
    }
  }
  held.resize(length);
  states.erase(std::remove_if(states.begin(), states.end(),
                              [&](const Kept &kept) {
                                return kept.tokens.size() > length;
                              }),
               states.end());
  if (states.empty() || states.back().tokens.size() != length) {
    keep();
  }
  // one state from before this turn is enough; `keep` adds the prompt's
  if (states.size() > 1) {
    states.erase(states.begin(), states.end() - 1);
  }
  return length;
}

void Conversation::fed(const std::vector<int32_t> &tokens) {
  held.assign(tokens.begin(), tokens.begin() + session.position(0));
}

void Conversation::loaded(std::vector<int32_t> tokens) {
  held = std::move(tokens);
  states.clear();
  keep();
}

void Conversation::restart() {
  session.reset(0);
  held.clear();
  states.clear();
}

void Conversation::keep() {
  if (mayForget() && !held.empty()) {
    states.push_back({held, session.snapshot(0)});
  }
}

} // namespace cheems
