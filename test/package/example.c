/* Greedy generation through cheems.h: example MODEL.cheems ID... prints the
 * next eight token ids, half of them by a second session that goes on from the
 * file `example.state`. */
#include <cheems/cheems.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cheems_status status) {
  if (status != CHEEMS_OK) {
    fprintf(stderr, "example: %s\n", cheems_last_error());
    exit(status);
  }
}

int main(int argc, char **argv) {
  cheems_model *model;
  cheems_session *session;
  check(cheems_model_open(argc > 1 ? argv[1] : "model.cheems", &model));
  check(cheems_session_create(model, NULL, &session));

  int64_t vocabulary = cheems_model_vocabulary(model);
  float *logits = malloc(vocabulary * sizeof(float));
  int32_t prompt[64], count = 0, best;
  for (int i = 2; i < argc && count < 64; ++i) {
    prompt[count++] = (int32_t)strtol(argv[i], NULL, 10);
  }
  check(cheems_session_prefill(session, 0, prompt, count, logits));
  for (int step = 0; step < 8; ++step) {
    best = 0;
    for (int32_t id = 1; id < vocabulary; ++id) {
      best = logits[id] > logits[best] ? id : best;
    }
    printf("%d\n", (int)best);
    check(cheems_session_decode(session, 0, best, logits));
    if (step == 3) {
      check(cheems_session_save(session, 0, "example.state"));
      cheems_session_destroy(session);
      check(cheems_session_create(model, NULL, &session));
      check(cheems_session_load(session, 0, "example.state"));
    }
  }

  free(logits);
  cheems_session_destroy(session);
  cheems_model_close(model);
  return 0;
}
