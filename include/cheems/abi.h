/* The contract between compiled code and the runtime: plain C structs, nothing
 * else.
 *
 * A compiled model exports entries of type cheems_entry. The runtime fills a
 * cheems_step, checks it (compiled code does not), and calls one. Everything is
 * borrowed for the duration of the call. docs/abi.md describes the file around
 * the code.
 */
#ifndef CHEEMS_ABI_H
#define CHEEMS_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct below, an entry's meaning or the file layout changes. A
 * field at the end of cheems_step that only code for new kinds of pools reads
 * does not raise it: older runtimes refuse such pools. */
#define CHEEMS_ABI_VERSION 4

/* Raised when what compiled code keeps in the state pools changes its meaning,
 * even where names, types and shapes stay: a saved state is read only by code
 * of the same version. A new ABI alone does not raise it. 1 is that of files
 * that do not tell theirs. */
#define CHEEMS_STATE_LAYOUT_VERSION 2

/* A run of consecutive rows that belong to one sequence. */
typedef struct cheems_segment {
  int32_t slot;   /* which slot of the state pools holds the sequence; distinct
                     within a step */
  int32_t start;  /* its first row in `tokens` */
  int32_t length; /* rows, at least 1 (exactly 1 in the decode entry) */
  int32_t position;    /* tokens of the sequence already in the state */
  int32_t rope_length; /* sequence length the dynamic rotary base is computed
                          for, >= position + length */
  int32_t reserved[3]; /* zero */
} cheems_segment;

/* One step: `token_count` rows of any mix of prefill chunks and decoded tokens.
 */
typedef struct cheems_step {
  const int32_t *tokens; /* [token_count], each in [0, vocabulary) */
  int64_t token_count;
  const cheems_segment
      *segments; /* [segment_count]: rows disjoint, together all of `tokens` */
  int64_t segment_count;
  const int32_t *rows; /* [row_count] rows whose logits are wanted */
  int64_t row_count;
  float *logits;          /* [row_count, vocabulary] */
  const void *parameters; /* the artefact's weight section, 64-byte aligned */
  void *const *pools;     /* one base per pool, in the artefact's order, 64-byte
                             aligned */
  int64_t slot_count;     /* slots in every pool */
  int64_t capacity; /* entries per head and slot in pools that have a capacity
                       extent */
  void *workspace; /* 64-byte aligned scratch of the size the artefact asks for;
                      no content survives a step */
  uint64_t *profile; /* null, or room for the cycle count at each mark of the
                        entry, in the artefact's order */
  const int32_t *embedding_rows; /* [embedding_row_count] rows whose embeddings
                                    are wanted; none in the decode entry */
  int64_t embedding_row_count;
  float *embeddings; /* [embedding_row_count, hidden]: rows of the last layer
                        after the final norm */
  int64_t ring; /* entries per head and slot in pools that have a ring extent:
                   row r is entry r % ring */
} cheems_step;

/* Where a ring has fewer entries than the context, their number is a multiple
 * of this one, and so of the entries that any kernel takes at a time. */
#define CHEEMS_RING_UNIT 768

typedef void (*cheems_entry)(const cheems_step *);

/* The one symbol compiled code takes from its host: runs body over [0, count),
 * split over the threads of the session whose step is running. Each worker gets
 * one consecutive range; `worker` is in [0, threads) and no two concurrent
 * calls share it. Returns when all of them have. `name`, which may be null,
 * says what the body computes; it stays valid as long as the code is loaded. */
typedef void (*cheems_parallel_body)(void *context, int64_t begin, int64_t end,
                                     int64_t worker);
void cheems_parallel_for(cheems_parallel_body body, void *context,
                         int64_t count, const char *name);

#ifdef __cplusplus
static_assert(sizeof(cheems_segment) == 32 && sizeof(cheems_step) == 136,
              "compiled code relies on this layout");
}
#endif

#endif
