/* What the software GPU tells a program beside the functions of the driver API
 * (emulator/README.md, "What it counts", "Severity"). A program that links
 * libcheems-cuda-emulator.so calls the functions. One that opens whatever CUDA
 * driver there is asks for them by cheems_emulator_find. */
#ifndef CHEEMS_EMULATOR_H
#define CHEEMS_EMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tables of what was counted since the last call of this or the next function,
 * in which all work has ended. The text stays until the next call. Null where
 * nobody counts (CHEEMS_EMULATOR_COUNTS). */
const char *cheems_emulator_counts(void);
/* The same in JSON. */
const char *cheems_emulator_counts_json(void);
/* Warnings of all launches since the process began. */
uint64_t cheems_emulator_warnings(void);

struct cheems_emulator {
  const char *(*counts)(void);
  const char *(*counts_json)(void);
  uint64_t (*warnings)(void);
};

/* Fills `functions` with those of a driver. `find` is dlsym or works like it.
 * Returns 0, and changes nothing, if the driver is another one. */
static inline int
cheems_emulator_find(void *(*find)(void *driver, const char *name),
                     void *driver, struct cheems_emulator *functions) {
  /* One type of union for each: C has no cast from an object to a function. */
  union {
    void *found;
    const char *(*text)(void);
    uint64_t (*number)(void);
  } counts, json, warnings;
  counts.found = find(driver, "cheems_emulator_counts");
  json.found = find(driver, "cheems_emulator_counts_json");
  warnings.found = find(driver, "cheems_emulator_warnings");
  if (!counts.found || !json.found || !warnings.found) {
    return 0;
  }
  functions->counts = counts.text;
  functions->counts_json = json.text;
  functions->warnings = warnings.number;
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif
