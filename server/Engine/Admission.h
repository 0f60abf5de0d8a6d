// What a request must be to be taken.
#ifndef CHEEMS_SERVER_ENGINE_ADMISSION_H
#define CHEEMS_SERVER_ENGINE_ADMISSION_H

#include "server/Engine/EngineOptions.h"
#include "server/Engine/Job.h"

namespace cheems::serve {

/// What requests are measured against; immutable.
struct AdmissionRules {
  int64_t context = 0, vocabulary = 0, slots = 0;
  std::vector<int32_t> endTokens;
  ConstraintFactory constraints;
};

/// Why a request is refused whatever else runs. Any thread.
std::optional<GenerationFault> faultOf(const AdmissionRules &rules,
                                       const GenerationRequest &request);

/// A job of the request, or why it is refused. Any thread.
std::shared_ptr<Job> admit(const AdmissionRules &rules,
                           GenerationRequest request,
                           std::shared_ptr<GenerationSink> sink,
                           GenerationFault &fault);

} // namespace cheems::serve

#endif
