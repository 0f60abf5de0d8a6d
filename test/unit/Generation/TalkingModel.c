/* A stand-in for compiled code that generates: the first entries of its one
 * pool keep the tokens fed, in order, and the next token is a hash of them,
 * modulo the vocabulary. So whatever was fed differently answers differently.
 * The second weight is the window: how many of the newest tokens are visible
 * and kept, 0 for all. */
#include "cheems/abi.h"

enum { vocabulary = 16 };

/* Keeps one more token; returns the hash of those visible to it. */
static int64_t feed(const cheems_step *step, const cheems_segment *segment,
                    int64_t row) {
  int64_t window = (int64_t)((const float *)step->parameters)[1];
  int64_t kept = segment->position + row, hash = 0, e;
  int *entries = (int *)step->pools[0] + segment->slot * step->capacity;
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

static void mark(const cheems_step *step, int number) {
  if (step->profile) {
    step->profile[number] = __builtin_ia32_rdtsc();
  }
}

static void run(const cheems_step *step) {
  int64_t s, i, r, v;
  mark(step, 0);
  for (s = 0; s < step->segment_count; ++s) {
    const cheems_segment *segment = &step->segments[s];
    for (i = 0; i < segment->length; ++i) {
      int64_t hash = feed(step, segment, i);
      for (r = 0; r < step->row_count; ++r) {
        for (v = 0; step->rows[r] == segment->start + i && v < vocabulary;
             ++v) {
          step->logits[r * vocabulary + v] = v == hash % vocabulary ? 3 : 0;
        }
      }
    }
  }
  mark(step, 1);
}

void cheems_step_any(const cheems_step *step) { run(step); }
void cheems_step_decode(const cheems_step *step) { run(step); }
