#include "runtime/Process/StandardFiles.h"
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

namespace cheems {

void holdStandardFiles() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) { // the lowest that is free: this one
      open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

} // namespace cheems
