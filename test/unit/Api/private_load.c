/* private_load LIBRARY MODEL: opens the model through a library loaded with
 * RTLD_LOCAL; prints why it fails. */
#include "cheems/cheems.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *symbol;
  cheems_status (*open_model)(const char *, cheems_model **);
  void (*close_model)(cheems_model *);
  const char *(*last_error)(void);
  cheems_model *model;
  if (!library || !(symbol = dlsym(library, "cheems_model_open"))) {
    printf("cannot load the library: %s\n", dlerror());
    return 2;
  }
  memcpy(&open_model, &symbol,
         sizeof(symbol)); /* C has no cast from void * to a function */
  symbol = dlsym(library, "cheems_last_error");
  memcpy(&last_error, &symbol, sizeof(symbol));
  symbol = dlsym(library, "cheems_model_close");
  memcpy(&close_model, &symbol, sizeof(symbol));
  if (open_model(argv[2], &model) != CHEEMS_OK) {
    printf("%s\n", last_error());
    return 1;
  }
  close_model(model);
  return 0;
}
