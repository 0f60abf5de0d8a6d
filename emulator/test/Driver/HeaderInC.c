/* cheems/emulator.h is C. */
#include "cheems/emulator.h"

int isEmulator(void *(*find)(void *, const char *), void *driver) {
  struct cheems_emulator functions;
  return cheems_emulator_find(find, driver, &functions);
}
