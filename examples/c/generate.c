/* Generates text with a compiled model:
 *
 *     generate MODEL.cheems PROMPT [TOKENS [SEED]]
 *
 * Without a seed it takes the most likely token each time. The text goes to
 * standard output while it comes, all messages go to standard error. The exit
 * code is a cheems_status. */
#include <cheems/cheems.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints why a call failed, and ends the program. The system takes back what
 * is still open. */
static void check(cheems_status status) {
  if (status != CHEEMS_OK) {
    fprintf(stderr, "generate: %s\n", cheems_last_error());
    exit(status);
  }
}

static void *allocate(size_t size) {
  void *memory = malloc(size);
  if (!memory) {
    fprintf(stderr, "generate: out of memory\n");
    exit(CHEEMS_FAILED);
  }
  return memory;
}

static void warn(void *user, const char *line) {
  (void)user;
  fprintf(stderr, "generate: warning: %s\n", line);
}

/* A sampler that has seen the prompt, whose tokens count for penalties. */
static cheems_sampler *makeSampler(const cheems_model *model, const char *seed,
                                   const int32_t *prompt, int64_t count) {
  cheems_sampler_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  /* What the author of the model wants, such as top_k. */
  check(cheems_model_sampler_options(model, &options));
  options.temperature = seed ? 0.8 : 0; /* 0: the most likely token */
  options.seed = seed ? strtoull(seed, NULL, 10) : 0;
  cheems_sampler *sampler;
  check(cheems_sampler_create(model, &options, &sampler));
  check(cheems_sampler_accept(sampler, prompt, count));
  return sampler;
}

/* Tokens may be parts of characters: the decoder hands out whole ones. */
static void print(const char *text, size_t length) {
  fwrite(text, 1, length, stdout);
  fflush(stdout);
}

int main(int argc, char **argv) {
  char *end = "";
  long wanted = argc >= 4 ? strtol(argv[3], &end, 10) : 100;
  if (argc < 3 || argc > 5 || *end != '\0' || wanted < 1 || wanted > 1000000) {
    fprintf(stderr, "usage: generate MODEL.cheems PROMPT [TOKENS [SEED]]\n");
    return CHEEMS_USAGE;
  }

  cheems_model *model;
  check(cheems_model_open(argv[1], &model));
  int64_t vocabulary = cheems_model_vocabulary(model);

  /* The size tells the library which fields this program knows. */
  cheems_session_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.warn = warn;
  cheems_session *session;
  check(cheems_session_create(model, &options, &session));

  /* Two calls: the first one counts. CHEEMS_ADD_SPECIAL puts the token
   * that begins a text in front. */
  int64_t count;
  size_t length = strlen(argv[2]);
  check(cheems_tokenize(model, argv[2], length, CHEEMS_ADD_SPECIAL, NULL, 0,
                        &count));
  int32_t *prompt = allocate((size_t)(count + 1) * sizeof(int32_t));
  check(cheems_tokenize(model, argv[2], length, CHEEMS_ADD_SPECIAL, prompt,
                        count, &count));

  cheems_sampler *sampler =
      makeSampler(model, argc == 5 ? argv[4] : NULL, prompt, count);
  cheems_decoder *decoder;
  check(cheems_decoder_create(model, 0, &decoder));

  float *logits = allocate((size_t)vocabulary * sizeof(float));
  check(cheems_session_prefill(session, 0, prompt, count, logits));
  const char *text;
  for (;;) {
    int32_t token;
    check(cheems_sampler_sample(sampler, logits, NULL, &token));
    check(cheems_sampler_accept(sampler, &token, 1));
    check(cheems_decoder_push(decoder, token, &text, &length));
    print(text, length);
    if (--wanted == 0 || cheems_model_ends_text(model, token)) {
      break;
    }
    cheems_status status = cheems_session_decode(session, 0, token, logits);
    if (status == CHEEMS_CONTEXT_FULL) { /* an end like others, but say so */
      fprintf(stderr, "generate: %s\n", cheems_last_error());
      break;
    }
    check(status);
  }
  check(cheems_decoder_finish(decoder, &text, &length));
  print(text, length);
  print("\n", 1);

  cheems_decoder_destroy(decoder);
  cheems_sampler_destroy(sampler);
  free(logits);
  free(prompt);
  cheems_session_destroy(session);
  cheems_model_close(model);
  if (ferror(stdout)) {
    fprintf(stderr, "generate: cannot write to standard output\n");
    return CHEEMS_IO;
  }
  return CHEEMS_OK;
}
