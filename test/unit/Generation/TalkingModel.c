/* A stand-in for compiled code that generates: entry p of its one pool keeps
 * the token fed at position p (modulo the capacity), and the next token is a
 * hash of the visible tokens, modulo the vocabulary. So whatever was fed
 * differently answers differently. The second weight is the window: how many of
 * the newest tokens are visible, 0 for all. */
#include "cheems/abi.h"

enum { vocabulary = 16 };

static int *keys(const cheems_step *step, int slot) {
  return (int *)step->pools[0] + slot * step->capacity;
}

static void row_body(void *context, int64_t begin, int64_t end,
                     int64_t worker) {
  const cheems_step *step = context;
  int64_t window = (int64_t)((const float *)step->parameters)[1];
  int64_t i, s, p, v;
  (void)worker;
  for (i = begin; i < end; ++i) {
    int32_t row = step->rows[i];
    for (s = 0; s < step->segment_count; ++s) {
      const cheems_segment *segment = &step->segments[s];
      if (row >= segment->start && row < segment->start + segment->length) {
        int64_t last = segment->position + row - segment->start;
        int64_t first =
            window == 0 || last + 1 < window ? 0 : last + 1 - window;
        int64_t hash = 0;
        for (p = first; p <= last; ++p) {
          hash =
              (hash * 31 + keys(step, segment->slot)[p % step->capacity] + 1) %
              65521;
        }
        for (v = 0; v < vocabulary; ++v) {
          step->logits[i * vocabulary + v] = v == hash % vocabulary ? 3 : 0;
        }
      }
    }
  }
}

static void run(const cheems_step *step) {
  int64_t s, i;
  for (s = 0; s < step->segment_count; ++s) {
    const cheems_segment *segment = &step->segments[s];
    for (i = 0; i < segment->length; ++i) {
      keys(step, segment->slot)[(segment->position + i) % step->capacity] =
          step->tokens[segment->start + i];
    }
  }
  cheems_parallel_for(row_body, (void *)step, step->row_count);
}

void cheems_step_general(const cheems_step *step) { run(step); }
void cheems_step_decode(const cheems_step *step) { run(step); }
