// The engine: its thread, what comes to it from others, and the files of slots.
#ifndef CHEEMS_SERVER_ENGINE_ENGINE_H
#define CHEEMS_SERVER_ENGINE_ENGINE_H

#include "server/Engine/Admission.h"
#include "server/Engine/EngineOptions.h"
#include "server/Engine/FairQueue.h"
#include "server/Engine/Runner.h"
#include "server/Engine/SlotFile.h"
#include "server/Engine/WorkThread.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace cheems::serve {

class Engine : public GenerationEngine {
public:
  Engine(std::shared_ptr<TextModel> text, const EngineOptions &options);
  ~Engine() override;

  std::optional<GenerationFault>
  check(const GenerationRequest &request) const override {
    return serve::faultOf(rules, request);
  }
  std::shared_ptr<GenerationTicket>
  submit(GenerationRequest request,
         std::shared_ptr<GenerationSink> sink) override;
  int64_t context() const override { return session.context(); }
  std::vector<SlotView> slots() const override;
  int64_t spareBytes() const override { return spare; }
  void saveSlot(int64_t slot, std::string name, SlotDone done) override;
  void restoreSlot(int64_t slot, std::string name, SlotDone done) override;
  void eraseSlot(int64_t slot, SlotDone done) override;
  void drain(std::function<void()> idle) override;
  void abort() override;

private:
  /// Done by the engine's thread between two steps, or, when that has ended,
  /// called with false.
  using Command = std::function<void(bool alive)>;

  void loop();
  void endQueued();
  void startQueued();
  void publish();
  void tellOldest();
  void tellIdle();
  std::optional<GenerationFault> faultOf(const Job &job, bool waits) const;
  void left(const Job &job);
  bool isFull(const std::string &party) const;
  void enqueue(const std::shared_ptr<Job> &job) {
    queue.push(job->request.party, job);
  }

  void post(Command command);
  void refuse(SlotDone done, const std::string &error, int status);
  /// Whether a save or a restore may begin; `done` then also says that it is
  /// over. Else it is told why not.
  bool takeFile(const std::string &name, SlotDone &done);
  /// Runs `act` on the engine's thread where the slot is there and free.
  void onFreeSlot(int64_t slot, const SlotDone &done,
                  const std::function<SlotActionResult()> &act);
  SlotActionResult load(int64_t slot, SlotRecord record);

  std::shared_ptr<TextModel> text;
  EngineOptions options;
  const int64_t spare;
  Session session;
  std::shared_ptr<Metrics> metrics;
  AdmissionRules rules;
  std::unique_ptr<SlotFolder> folder;
  uint64_t largestFile = UINT64_MAX; ///< of a slot that can be restored

  // Only the engine's thread uses these.
  Runner runner;
  FairQueue<std::shared_ptr<Job>> queue;
  bool choicesTurn = false; ///< the next slot is for a choice that waits
  bool ending = false;      ///< all that runs ends now

  mutable std::mutex mutex; ///< of what follows
  std::condition_variable changed;
  std::vector<std::shared_ptr<Job>> inbox;
  std::vector<Command> commands;
  std::vector<std::function<void()>> idles;
  int64_t active = 0; ///< jobs that were taken and are not over
  std::map<std::string, int64_t> activeOf; ///< by party
  bool draining = false, aborting = false, stopping = false;

  mutable std::mutex viewMutex;
  std::vector<SlotView> views;

  std::atomic<int64_t> filesUnderWay{0}; ///< saves and restores
  std::unique_ptr<WorkThread> files;
  std::thread thread;
};

} // namespace cheems::serve

#endif
