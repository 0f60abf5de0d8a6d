/* Runs images of a target that the runtime does not know: a shared library
 * that exports cheems_executor_plugin_get. The environment variable
 * CHEEMS_EXECUTORS names such libraries, with colons between; the runtime loads
 * them when it opens a model. A plugin is code: it runs in your process with
 * your rights. examples/backend-toy has one.
 */
#ifndef CHEEMS_EXECUTOR_H
#define CHEEMS_EXECUTOR_H

#include "cheems/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct below changes. */
#define CHEEMS_EXECUTOR_VERSION 1

/* An image of the plugin's target. All of it stays as long as the executor. */
typedef struct cheems_executor_image {
  const void *bytes; /* its section, page-aligned */
  uint64_t size;
  const char *fields;     /* its object in the metadata: JSON, docs/abi.md */
  const void *parameters; /* the weight section, 64-byte aligned */
  int64_t vocabulary;
} cheems_executor_image;

typedef struct cheems_executor_plugin {
  uint32_t version;   /* CHEEMS_EXECUTOR_VERSION */
  const char *target; /* the images that it runs */
  /* An executor for one session; null after writing why, as one line with its
   * zero byte, to `message`, which has `room` bytes. */
  void *(*create)(const cheems_executor_image *image, char *message,
                  uint64_t room);
  void (*destroy)(void *executor);
  /* Bytes of workspace for a step of so many rows. */
  int64_t (*workspace)(const void *executor, int64_t rows);
  /* Runs a step that was checked as docs/abi.md says. One thread at a time
   * calls it. `profile` is null. */
  void (*run)(void *executor, const cheems_step *step);
} cheems_executor_plugin;

const cheems_executor_plugin *cheems_executor_plugin_get(void);

#ifdef __cplusplus
}
#endif

#endif
