/* A stand-in for compiled code that obeys include/cheems/abi.h. Entry p of the
 * one pool keeps the token fed at position p (modulo the capacity); logits tell
 * what the code was given: [0] a hash of the visible tokens and their places
 * [1] the first weight   [2] rope_length [3] 1 from the decode entry, else 0
 * [4] rows of the step   [5..] the row's token The second weight is the window:
 * how many of the newest tokens are visible, 0 for all. */
#include "cheems/abi.h"

enum { vocabulary = 16 };

struct call {
  const cheems_step *step;
  int decode;
};

static int *keys(const cheems_step *step, int slot) {
  return (int *)step->pools[0] + slot * step->capacity;
}

static void row_body(void *context, int64_t begin, int64_t end,
                     int64_t worker) {
  const struct call *call = context;
  const cheems_step *step = call->step;
  const float *weights = step->parameters;
  int64_t i, s, p, v;
  (void)worker;
  for (i = begin; i < end; ++i) {
    int32_t row = step->rows[i];
    float *logits = step->logits + i * vocabulary;
    for (s = 0; s < step->segment_count; ++s) {
      const cheems_segment *segment = &step->segments[s];
      if (row >= segment->start && row < segment->start + segment->length) {
        int64_t last = segment->position + row - segment->start;
        int64_t window = (int64_t)weights[1];
        int64_t first =
            window == 0 || last + 1 < window ? 0 : last + 1 - window;
        int64_t hash = 0;
        for (p = first; p <= last; ++p) {
          hash =
              (hash * 31 + keys(step, segment->slot)[p % step->capacity] + 1) %
              65521;
        }
        for (v = 0; v < vocabulary; ++v) {
          logits[v] = (float)step->tokens[row];
        }
        logits[0] = (float)hash;
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

static void run(const cheems_step *step, int decode) {
  struct call call;
  int64_t s, i;
  call.step = step;
  call.decode = decode;
  cheems_parallel_for(scratch_body, &call, 100 + 64 * step->token_count);
  for (s = 0; s < step->segment_count; ++s) {
    const cheems_segment *segment = &step->segments[s];
    for (i = 0; i < segment->length; ++i) {
      keys(step, segment->slot)[(segment->position + i) % step->capacity] =
          step->tokens[segment->start + i];
    }
  }
  cheems_parallel_for(row_body, &call, step->row_count);
}

void cheems_step_general(const cheems_step *step) { run(step, 0); }
void cheems_step_decode(const cheems_step *step) { run(step, 1); }
