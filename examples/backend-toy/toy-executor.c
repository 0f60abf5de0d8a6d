/* toy-executor: runs images for the target toy. The image is a shared object;
 * it is loaded from memory, and its one function called. */
#define _GNU_SOURCE
#include "cheems/executor.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void step_function(const int *tokens, long token_count, const int *rows,
                           long row_count, float *logits,
                           const int *embedding_rows, long embedding_row_count,
                           float *embeddings, const char *weights,
                           float *scratch);

struct toy {
  void *library;
  step_function *step;
  long floats_per_row;
};

static void toy_destroy(void *executor) {
  struct toy *toy = executor;
  if (toy->library) {
    dlclose(toy->library);
  }
  free(toy);
}

static void *toy_create(const cheems_executor_image *image, char *message,
                        uint64_t room) {
  char path[64];
  struct toy *toy = calloc(1, sizeof(struct toy));
  const long *floats = NULL;
  int file = memfd_create("toy", MFD_CLOEXEC);
  if (toy && file >= 0 &&
      write(file, image->bytes, image->size) == (ssize_t)image->size) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    toy->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  if (file >= 0) {
    close(file);
  }
  if (toy && toy->library) {
    *(void **)&toy->step = dlsym(toy->library, "toy_step");
    floats = dlsym(toy->library, "toy_floats_per_row");
  }
  if (!floats || !toy->step) {
    snprintf(message, room, "the image is no shared object of the target toy");
    if (toy) {
      toy_destroy(toy);
    }
    return NULL;
  }
  toy->floats_per_row = *floats;
  return toy;
}

static int64_t toy_workspace(const void *executor, int64_t rows) {
  const struct toy *toy = executor;
  return rows * toy->floats_per_row * (int64_t)sizeof(float);
}

static void toy_run(void *executor, const cheems_step *step) {
  const struct toy *toy = executor;
  toy->step(step->tokens, step->token_count, step->rows, step->row_count,
            step->logits, step->embedding_rows, step->embedding_row_count,
            step->embeddings, step->parameters, step->workspace);
}

const cheems_executor_plugin *cheems_executor_plugin_get(void) {
  static const cheems_executor_plugin plugin = {
      CHEEMS_EXECUTOR_VERSION, "toy",  toy_create, toy_destroy,
      toy_workspace,           toy_run};
  return &plugin;
}
