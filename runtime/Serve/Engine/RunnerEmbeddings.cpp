// The embeddings of prompts, row by row as they are fed.
#include "runtime/Serve/Engine/Runner.h"

namespace cheems::serve {

void Runner::addEmbeddings(const Part &part) {
  auto size = static_cast<size_t>(session.hidden());
  std::vector<double> &sums = runs[part.run].job->embedding;
  sums.resize(part.embedded != 0 ? size : sums.size());
  for (int64_t i = 0; i < part.embedded; ++i) {
    const float *row =
        embeddings.data() + static_cast<size_t>(part.firstEmbedding + i) * size;
    for (size_t j = 0; j < size; ++j) {
      sums[j] += static_cast<double>(row[j]);
    }
  }
}

/// As Session::embed computes it.
void Runner::tellEmbedding(Job &job) {
  if (!job.request.embedding) {
    return;
  }
  double rows = job.wantsAllEmbeddings() ? double(job.promptSize()) : 1;
  std::vector<float> values;
  values.reserve(job.embedding.size());
  for (double sum : job.embedding) {
    values.push_back(static_cast<float>(sum / rows));
  }
  job.sink->embedding(std::move(values));
}

} // namespace cheems::serve
