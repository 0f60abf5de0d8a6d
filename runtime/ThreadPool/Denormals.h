// What becomes of denormal floats on a thread.
#ifndef CHEEMS_RUNTIME_THREADPOOL_DENORMALS_H
#define CHEEMS_RUNTIME_THREADPOOL_DENORMALS_H

#include <pmmintrin.h>

namespace cheems {

/// While one lives that `flushes`, this thread and the regions it hands to a
/// pool take denormals for zeros and make none.
class Denormals {
public:
  explicit Denormals(bool flushes) : before(_mm_getcsr()) {
    if (flushes) {
      _mm_setcsr(before | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
    }
  }
  ~Denormals() { _mm_setcsr(before); }
  Denormals(const Denormals &) = delete;
  Denormals &operator=(const Denormals &) = delete;

private:
  unsigned before;
};

} // namespace cheems

#endif
