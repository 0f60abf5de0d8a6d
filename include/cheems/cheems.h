/* The C interface of the Cheems runtime: open a compiled model, feed it tokens,
 * read logits.
 *
 * Errors. Functions that can fail return a cheems_status; cheems_last_error
 * then gives one line for people, kept for each thread. Outputs are written
 * only when CHEEMS_OK is returned. A null pointer where none is allowed is
 * CHEEMS_USAGE. Ownership. What cheems_*_open and cheems_*_create hand out is
 * yours to close. Every other pointer stays its owner's, as said at each
 * function. Pointers you pass are read or written during the call only.
 * Threads. A model may be used by any number of threads at once, a session by
 * one at a time. Sessions of one model run side by side, each with its own
 * threads and memory. Fork. A child may use and close its parent's models, and
 * save and destroy its sessions, but not run their steps (CHEEMS_USAGE): their
 * threads are in the parent. Trust. A compiled model is a program: opening one
 * loads its machine code into this process. Open only files you trust.
 */
#ifndef CHEEMS_CHEEMS_H
#define CHEEMS_CHEEMS_H

#include "cheems/abi.h"
#include <stddef.h>
#include <stdint.h>

#define CHEEMS_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cheems_status {
  CHEEMS_OK = 0,
  CHEEMS_FAILED = 1,      /* a file, the system or the model is at fault */
  CHEEMS_USAGE = 2,       /* an argument is at fault; nothing was changed */
  CHEEMS_UNSUPPORTED = 3, /* sound, but not for this machine or runtime */
  CHEEMS_CONTEXT_FULL =
      4, /* a sequence has no room for the tokens; nothing was fed */
  CHEEMS_INTERRUPTED = 130 /* the session's `interrupted` said so */
} cheems_status;

typedef struct cheems_model cheems_model;
typedef struct cheems_session cheems_session;

/* "0.1.0". Static. */
CHEEMS_API const char *cheems_version(void);

/* Why the last call on this thread that did not return CHEEMS_OK failed; ""
 * before the first. Valid until the next call of this interface on this thread.
 */
CHEEMS_API const char *cheems_last_error(void);

/* ---- models */

/* Maps and checks the file (docs/abi.md: everything but the weights) and loads
 * its code. Close it with cheems_model_close. CHEEMS_FAILED: truncated,
 * corrupted, foreign version, not a compiled model, a generation_config.json
 * that is malformed; a model folder is compiled with cheems-compile first.
 * CHEEMS_UNSUPPORTED: this CPU lacks a feature. */
CHEEMS_API cheems_status cheems_model_open(const char *path,
                                           cheems_model **model);

/* Null is allowed. Sessions of the model stay usable: the last one to go takes
 * the mapping along. */
CHEEMS_API void cheems_model_close(cheems_model *model);

/* What the file says about itself: UTF-8 JSON, docs/abi.md names the fields.
 * Lives as long as the model. */
CHEEMS_API cheems_status cheems_model_describe(const cheems_model *model,
                                               const char **json);

/* Reads all weights against their checksums. CHEEMS_FAILED names the first bad
 * block. */
CHEEMS_API cheems_status cheems_model_verify(const cheems_model *model);

/* Logits a row; tokens go from 0 to this. 0 for a null model. */
CHEEMS_API int64_t cheems_model_vocabulary(const cheems_model *model);

/* 1 where the token ends a text, else 0. That is what generation_config.json
 * says; where it names no such token, config.json. */
CHEEMS_API int cheems_model_ends_text(const cheems_model *model, int32_t token);

/* ---- text */

/* How text becomes tokens; the flags add up. */
typedef enum cheems_tokenize_flags {
  CHEEMS_ADD_SPECIAL =
      1, /* the model's own tokens around the text (BOS, say) */
  CHEEMS_SPECIAL_AS_TEXT =
      2 /* special tokens spelled out in the text stay text */
} cheems_tokenize_flags;

/* Turns `length` bytes of UTF-8 into tokens. `flags` are cheems_tokenize_flags.
 * With 0, as in transformers, "<|im_end|>" in the text is the control token of
 * that name: right for what a chat template printed, wrong for what a stranger
 * wrote. Tokenize a stranger's text by itself with CHEEMS_SPECIAL_AS_TEXT, and
 * put its tokens between those of the template's text. `count` receives how
 * many there are; at most `capacity` of them are written, so call with capacity
 * 0 (tokens may be null then) to learn the size. CHEEMS_USAGE: a flag that is
 * not known. CHEEMS_FAILED: invalid UTF-8 (with its byte offset), or the model
 * has no tokenizer. CHEEMS_UNSUPPORTED: the tokenizer has a component that this
 * runtime does not know. */
CHEEMS_API cheems_status cheems_tokenize(const cheems_model *model,
                                         const char *text, size_t length,
                                         int flags, int32_t *tokens,
                                         int64_t capacity, int64_t *count);

/* The reverse: the text of `count` tokens, valid UTF-8, special tokens shown
 * when `show_special`. `length` receives its bytes, of which at most `capacity`
 * are written; one more, zero, follows when there is room. Text may be null
 * when capacity is 0. */
CHEEMS_API cheems_status cheems_detokenize(const cheems_model *model,
                                           const int32_t *tokens, int64_t count,
                                           int show_special, char *text,
                                           size_t capacity, size_t *length);

/* ---- sessions */

/* Zeros mean the default. Set `size` to sizeof(cheems_session_options): fields
 * may be added behind the last. */
typedef struct cheems_session_options {
  size_t size;
  int64_t slots;   /* sequences held at once; default 1 */
  int64_t threads; /* default: the physical cores within affinity and cgroup
                      quota */
  int64_t context; /* tokens a sequence may hold; default: the model's */
  int64_t prefill_chunk; /* rows a prefill feeds at a time, more than 65536
                            being taken for that; default: what the model says,
                            512 */
  void *user;            /* given to both functions */
  /* One line the caller of cheems_session_create should see, such as a context
   * past the trained length; may be null. */
  void (*warn)(void *user, const char *line);
  /* Asked between the chunks of a prefill; not 0 ends it with
   * CHEEMS_INTERRUPTED, chunks so far fed; may be null. */
  int (*interrupted)(void *user);
} cheems_session_options;

/* All memory is had here; a step allocates nothing. Null options are the
 * default ones. Destroy it with cheems_session_destroy. CHEEMS_USAGE:
 * impossible options. CHEEMS_FAILED: memory or threads cannot be had. */
CHEEMS_API cheems_status cheems_session_create(
    const cheems_model *model, const cheems_session_options *options,
    cheems_session **session);

/* Null is allowed. */
CHEEMS_API void cheems_session_destroy(cheems_session *session);

/* Tokens a sequence may hold, 2^31 - 1 where the model sets no limit; 0 for a
 * null session. */
CHEEMS_API int64_t cheems_session_context(const cheems_session *session);

/* Tokens the slot has been fed. CHEEMS_USAGE: no such slot. */
CHEEMS_API cheems_status cheems_session_position(const cheems_session *session,
                                                 int64_t slot,
                                                 int64_t *position);

/* Any mix of sequences in one step, as cheems_step in abi.h says: tokens
 * [token_count]; segments [segment_count], where rope_length 0 stands for
 * position + length; rows [row_count] whose logits [row_count, vocabulary] are
 * wanted. CHEEMS_USAGE names the rule that the step breaks. */
CHEEMS_API cheems_status cheems_session_step(
    cheems_session *session, const int32_t *tokens, int64_t token_count,
    const cheems_segment *segments, int64_t segment_count, const int32_t *rows,
    int64_t row_count, float *logits);

/* Feeds `count` tokens to one slot, chunk by chunk. logits [vocabulary]: those
 * behind the last token; may be null. */
CHEEMS_API cheems_status cheems_session_prefill(cheems_session *session,
                                                int64_t slot,
                                                const int32_t *tokens,
                                                int64_t count, float *logits);

/* Feeds one token. logits [vocabulary]. */
CHEEMS_API cheems_status cheems_session_decode(cheems_session *session,
                                               int64_t slot, int32_t token,
                                               float *logits);

/* Forgets the slot's sequence. The memory of a long one goes back to the
 * system. */
CHEEMS_API cheems_status cheems_session_reset(cheems_session *session,
                                              int64_t slot);

/* Goes back to the slot's first `tokens` tokens. CHEEMS_UNSUPPORTED, nothing
 * changed: the state no longer tells them, because keys were evicted or a layer
 * keeps a running state; reset and feed them again. CHEEMS_USAGE: the slot
 * holds fewer. */
CHEEMS_API cheems_status cheems_session_rewind(cheems_session *session,
                                               int64_t slot, int64_t tokens);

/* Makes slot `to` hold the sequence that slot `from` holds: a common beginning
 * is computed once. */
CHEEMS_API cheems_status cheems_session_copy(cheems_session *session,
                                             int64_t from, int64_t to);

/* Writes the slot's state to a file, which cheems_session_load brings back. The
 * tokens themselves are not in it. A file of that name stays as it was until
 * the new one is whole and on the disk. CHEEMS_FAILED: it cannot be written. */
CHEEMS_API cheems_status cheems_session_save(const cheems_session *session,
                                             int64_t slot, const char *path);

/* Makes the slot hold what was saved, by any session of the same model, of
 * whatever slots and threads; decoding goes on with the same bits. Nothing is
 * changed when it is refused: CHEEMS_FAILED, the file is damaged or no state,
 * or was saved by a model with another configuration, weight format, state
 * layout or other weights; CHEEMS_CONTEXT_FULL, it holds more tokens than this
 * session's context. Where a file found whole then changes or can no longer be
 * read, the slot is empty. */
CHEEMS_API cheems_status cheems_session_load(cheems_session *session,
                                             int64_t slot, const char *path);

#ifdef __cplusplus
}
#endif

#endif
