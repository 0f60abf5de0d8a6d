// How the embeddings of a text's rows become one.
#ifndef CHEEMS_RUNTIME_SESSION_POOLING_H
#define CHEEMS_RUNTIME_SESSION_POOLING_H

namespace cheems {

/// Their mean, or that of the last row.
enum class Pooling { mean, last };

} // namespace cheems

#endif
