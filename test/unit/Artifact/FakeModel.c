/* A stand-in for compiled code that obeys include/cheems/abi.h. The first
 * entries of the one pool keep the tokens fed, in order; logits tell what the
 * code was given: [0] a hash of the visible tokens and their indices
 * [1] the first weight   [2] rope_length [3] 1 from the decode entry, else 0
 * [4] rows of the step   [5..] the row's token. The second weight is the
 * window: how many of the newest tokens are visible and kept, 0 for all. */
#include "cheems/abi.h"

enum { vocabulary = 16 };

struct call {
  const cheems_step *step;
  int decode;
};

static int *keys(const cheems_step *step, int slot) {
  return (int *)step->pools[0] + slot * step->capacity;
}

/* Keeps one more token; returns the hash of those visible to it. */
static int64_t feed(const cheems_step *step, const cheems_segment *segment,
                    int64_t row) {
  int64_t window = (int64_t)((const float *)step->parameters)[1];
  int64_t kept = segment->position + row, hash = 0, e;
  int *entries = keys(step, segment->slot);
  if (window != 0 && kept >= window) {
    for (kept = window - 1, e = 0; e < kept; ++e) {
      entries[e] = entries[e + 1];
    }
  }
  entries[kept] = step->tokens[segment->start + row];
  for (e = 0; e <= kept; ++e) {
    hash = (hash * 31 + entries[e] + 1) % 65521;
  }
  return hash;
}

static void row_body(void *context, int64_t begin, int64_t end,
                     int64_t worker) {
  const struct call *call = context;
  const cheems_step *step = call->step;
  const float *weights = step->parameters;
  int64_t i, s, v;
  (void)worker;
  for (i = begin; i < end; ++i) {
    int32_t row = step->rows[i];
    float *logits = step->logits + i * vocabulary;
    for (s = 0; s < step->segment_count; ++s) {
      const cheems_segment *segment = &step->segments[s];
      if (row >= segment->start && row < segment->start + segment->length) {
        for (v = 1; v < vocabulary; ++v) {
          logits[v] = (float)step->tokens[row];
        }
        logits[1] = weights[0];
        logits[2] = (float)segment->rope_length;
        logits[3] = (float)call->decode;
        logits[4] = (float)step->token_count;
      }
    }
  }
}

static void scratch_body(void *context, int64_t begin, int64_t end,
                         int64_t worker) {
  const struct call *call = context;
  unsigned char *workspace = call->step->workspace;
  (void)worker;
  for (; begin < end; ++begin) {
    workspace[begin] = 0xff;
  }
}

static void mark(const cheems_step *step, int number) {
  if (step->profile) {
    step->profile[number] = __builtin_ia32_rdtsc();
  }
}

static void run(const cheems_step *step, int decode) {
  struct call call;
  int64_t s, i;
  call.step = step;
  call.decode = decode;
  mark(step, 0);
  cheems_parallel_for(scratch_body, &call, 100 + 64 * step->token_count,
                      "scratch");
  mark(step, 1);
  for (s = 0; s < step->segment_count; ++s) {
    const cheems_segment *segment = &step->segments[s];
    for (i = 0; i < segment->length; ++i) {
      int64_t hash = feed(step, segment, i), r;
      for (r = 0; r < step->row_count; ++r) {
        if (step->rows[r] == segment->start + i) {
          step->logits[r * vocabulary] = (float)hash;
        }
      }
    }
  }
  cheems_parallel_for(row_body, &call, step->row_count, "rows");
}

void cheems_step_any(const cheems_step *step) { run(step, 0); }
void cheems_step_decode(const cheems_step *step) { run(step, 1); }
