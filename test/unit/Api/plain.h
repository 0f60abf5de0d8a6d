/* What plain.c, a C89 program, does with the interface. */
#ifndef CHEEMS_TEST_UNIT_API_PLAIN_H
#define CHEEMS_TEST_UNIT_API_PLAIN_H

#include "cheems/cheems.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Feeds {1, 2, 3} and then 4 to a fresh session; the first logit after it, or
 * -1 after an error. */
float plain_run(const char *path);

#ifdef __cplusplus
}
#endif

#endif
