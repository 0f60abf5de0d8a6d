#include "plain.h"
#include <string.h>

float plain_run(const char *path) {
  static const int32_t prompt[] = {1, 2, 3};
  cheems_model *model = NULL;
  cheems_session *session = NULL;
  cheems_session_options options;
  cheems_model_options device;
  float logits[16];
  float result = -1;

  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.threads = 2;
  memset(&device, 0, sizeof(device));
  device.size = sizeof(device);
  device.device = "cpu";
  if (cheems_model_open_with(path, &device, &model) == CHEEMS_OK &&
      cheems_session_create(model, &options, &session) == CHEEMS_OK &&
      cheems_session_prefill(session, 0, prompt, 3, NULL) == CHEEMS_OK &&
      cheems_session_decode(session, 0, 4, logits) == CHEEMS_OK) {
    result = logits[0];
  }
  cheems_session_destroy(session);
  cheems_model_close(model);
  return result;
}
