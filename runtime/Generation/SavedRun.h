// What goes on from a state file must know beside the state: the application's
// part of the file as cheems-run writes it.
#ifndef CHEEMS_RUNTIME_GENERATION_SAVEDRUN_H
#define CHEEMS_RUNTIME_GENERATION_SAVEDRUN_H

#include "runtime/ChatTemplate/ChatTemplate.h"
#include "runtime/Sampler/Sampler.h"
#include "runtime/Session/Session.h"
#include <cstdint>
#include <string>
#include <vector>

namespace cheems {

struct SavedRun {
  /// The sequence. The state's position says how many of them were fed.
  std::vector<int32_t> tokens;
  /// The tokens that were generated last begin at this index.
  uint64_t answer = 0;
  /// [vocabulary], those after the last token, where all were fed; else none.
  std::vector<float> logits;
  bool chat = false;
  std::vector<ChatMessage> messages; ///< of a chat
  RandomState random;

  std::string encode() const;
  /// What `encode` wrote for a sequence of which `fed` tokens were fed. Trusts
  /// nothing in it. Throws Error naming `name`.
  static SavedRun decode(std::string_view bytes, const std::string &name,
                         int64_t fed, int64_t vocabulary);
};

/// Slot 0 with its run, to and from a file. Throw Error, as Session's do.
void saveRun(const Session &session, const std::string &path,
             const SavedRun &run);
SavedRun loadRun(Session &session, const std::string &path);

} // namespace cheems

#endif
