/* Generates text with a compiled model: generate MODEL.cheems PROMPT [TOKENS].
 *
 * It takes the most likely token each time. The text goes to standard output,
 * all messages go to standard error. The exit code is a cheems_status. */
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

static int32_t mostLikely(const float *logits, int64_t vocabulary) {
  int32_t best = 0;
  for (int32_t token = 1; token < vocabulary; ++token) {
    best = logits[token] > logits[best] ? token : best;
  }
  return best;
}

/* Prints the text of `count` tokens. The first call asks for its length. */
static void print(const cheems_model *model, const int32_t *tokens,
                  int64_t count) {
  size_t length;
  check(cheems_detokenize(model, tokens, count, 0, NULL, 0, &length));
  char *text = allocate(length + 1);
  check(cheems_detokenize(model, tokens, count, 0, text, length + 1, &length));
  printf("%s\n", text);
  free(text);
}

int main(int argc, char **argv) {
  char *end = "";
  long wanted = argc == 4 ? strtol(argv[3], &end, 10) : 100;
  if (argc < 3 || argc > 4 || *end != '\0' || wanted < 1 || wanted > 1000000) {
    fprintf(stderr, "usage: generate MODEL.cheems PROMPT [TOKENS]\n");
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

  /* Two calls again: the first one counts. CHEEMS_ADD_SPECIAL puts the token
   * that begins a text in front. */
  int64_t count;
  size_t length = strlen(argv[2]);
  check(cheems_tokenize(model, argv[2], length, CHEEMS_ADD_SPECIAL, NULL, 0,
                        &count));
  int32_t *tokens = allocate((size_t)(count + wanted) * sizeof(int32_t));
  check(cheems_tokenize(model, argv[2], length, CHEEMS_ADD_SPECIAL, tokens,
                        count, &count));

  float *logits = allocate((size_t)vocabulary * sizeof(float));
  check(cheems_session_prefill(session, 0, tokens, count, logits));
  int64_t total = count;
  for (;;) {
    int32_t token = mostLikely(logits, vocabulary);
    tokens[total++] = token;
    if (total == count + wanted || cheems_model_ends_text(model, token)) {
      break;
    }
    cheems_status status = cheems_session_decode(session, 0, token, logits);
    if (status == CHEEMS_CONTEXT_FULL) { /* an end like others, but say so */
      fprintf(stderr, "generate: %s\n", cheems_last_error());
      break;
    }
    check(status);
  }
  print(model, tokens + count, total - count);

  free(logits);
  free(tokens);
  cheems_session_destroy(session);
  cheems_model_close(model);
  if (fflush(stdout) != 0) {
    perror("generate: standard output");
    return CHEEMS_FAILED;
  }
  return CHEEMS_OK;
}
