/* The C interface of the Cheems runtime: open a compiled model, feed it tokens,
 * read logits.
 *
 * Errors: functions that can fail return a cheems_status. cheems_last_error
 * then gives one line for people, per thread. Outputs are written only if
 * CHEEMS_OK is returned. A null pointer that is not allowed gives CHEEMS_USAGE.
 * Each function that allocates may return CHEEMS_MEMORY.
 *
 * Ownership: close what cheems_*_open and cheems_*_create return. Other
 * pointers belong to the library; each function says how long they are valid.
 * The library reads or writes the pointers that you pass only during the call.
 *
 * Threads: any number of threads may use a model at once, but only one thread
 * at a time may use a session, except for cheems_session_interrupt. Sessions of
 * one model run in parallel. Each has its own threads and memory.
 *
 * Fork: a child may use and close its parent's models, and save and destroy its
 * sessions. It may not run their steps (CHEEMS_USAGE), because their threads
 * are in the parent. Sessions on a GPU it may only destroy, and no process may
 * use a GPU whose parent used one before the fork.
 *
 * Trust: a compiled model is a program. Opening it loads its machine code into
 * this process. Open only files that you trust.
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
  CHEEMS_FAILED = 1, /* the system or the model has a fault, other than below */
  CHEEMS_USAGE = 2,  /* an argument is wrong; nothing was changed */
  CHEEMS_UNSUPPORTED = 3, /* not supported by this machine or runtime */
  CHEEMS_CONTEXT_FULL =
      4,         /* the tokens do not fit into the context; nothing was fed */
  CHEEMS_IO = 5, /* the system cannot open, read or write a file */
  CHEEMS_CORRUPT = 6, /* a file or a state is damaged, or is none at all: it
                         fails in any place until it is made again */
  CHEEMS_MEMORY = 7,  /* there is too little memory */
  CHEEMS_INTERRUPTED = 130 /* the session's `interrupted` did not return 0, or
                              cheems_session_interrupt was called */
} cheems_status;

typedef struct cheems_model cheems_model;
typedef struct cheems_session cheems_session;
typedef struct cheems_decoder cheems_decoder;
typedef struct cheems_sampler cheems_sampler;

/* For example "0.1.0". The text is static. */
CHEEMS_API const char *cheems_version(void);

/* The reason why the last failed call on this thread failed, or "" if none
 * failed. Valid until the next call of this interface on this thread. */
CHEEMS_API const char *cheems_last_error(void);

/* ---- models */

/* Maps the file, checks everything except the weights (docs/abi.md), and loads
 * its code. Close the model with cheems_model_close. CHEEMS_IO: the file cannot
 * be opened, or is a model folder, which must be compiled with cheems-compile
 * first. CHEEMS_CORRUPT: it is truncated, corrupted, of another version, or not
 * a compiled model. CHEEMS_FAILED: its code cannot be loaded, or it has a
 * malformed generation_config.json. CHEEMS_UNSUPPORTED: this CPU lacks a
 * feature. */
CHEEMS_API cheems_status cheems_model_open(const char *path,
                                           cheems_model **model);

/* A zero means the default. Set `size` to sizeof(cheems_model_options), because
 * later versions may add fields at the end. */
typedef struct cheems_model_options {
  size_t size;
  /* This says where the model's steps run: "cpu"; "cuda:N", one of the GPUs of
   * NVIDIA's driver; "cuda", the first of them that the file has code for; or
   * "auto", the default: the GPU or the CPU, whichever decodes faster by what a
   * step has to read and to compute. "auto" never takes the software GPU. */
  const char *device;
  /* The code that is to run, whatever would be chosen: a variant for CPUs, such
   * as "avx2", or code for a GPU, such as "sm_80.ptx". cheems-run --describe
   * lists them. It goes before the environment variables CHEEMS_CPU and
   * CHEEMS_CUDA_IMAGE. Another one rounds differently. Default: theirs, or the
   * best. */
  const char *variant;
  void *user; /* passed to `warn` */
  /* Gets one line for each thing that a user of the model should know, such as
   * a field of generation_config.json that has no effect. May be null. */
  void (*warn)(void *user, const char *line);
} cheems_model_options;

/* The same with options; null options mean the defaults. The weights go to a
 * GPU when the model's first session is created. CHEEMS_USAGE: the options are
 * impossible. CHEEMS_UNSUPPORTED: the file has no code for the device, or there
 * is no such device or no driver for it, too. */
CHEEMS_API cheems_status
cheems_model_open_with(const char *path, const cheems_model_options *options,
                       cheems_model **model);

/* The same for a file that is open as `descriptor`, for example because this
 * process may not open it by its name. The descriptor stays the caller's, and
 * may be closed at once. `name` is what messages call the file. */
CHEEMS_API cheems_status cheems_model_open_descriptor(
    int descriptor, const char *name, const cheems_model_options *options,
    cheems_model **model);

/* Says where the model's steps run: "cpu", or "cuda:0" for example. The text is
 * valid as long as the model. "" for a null model. */
CHEEMS_API const char *cheems_model_device(const cheems_model *model);

/* Null is allowed. Sessions of the model stay usable. The file is unmapped when
 * the last of them is destroyed. */
CHEEMS_API void cheems_model_close(cheems_model *model);

/* What the file says about itself, as JSON in UTF-8. docs/abi.md lists the
 * fields. The text is valid as long as the model. */
CHEEMS_API cheems_status cheems_model_describe(const cheems_model *model,
                                               const char **json);

/* Reads all weights and compares them with their checksums. CHEEMS_CORRUPT: a
 * block is damaged; the message names the first one. */
CHEEMS_API cheems_status cheems_model_verify(const cheems_model *model);

/* How many logits a row has. Tokens are below this number. 0 for a null model.
 */
CHEEMS_API int64_t cheems_model_vocabulary(const cheems_model *model);

/* How many numbers an embedding has. 0 for a null model. */
CHEEMS_API int64_t cheems_model_hidden(const cheems_model *model);

/* 1 if the token ends a text, else 0. generation_config.json says which tokens
 * do so, or config.json if the former names none. */
CHEEMS_API int cheems_model_ends_text(const cheems_model *model, int32_t token);

/* The same as a list. `count` receives the number of tokens. At most `capacity`
 * of them are written. */
CHEEMS_API cheems_status cheems_model_end_tokens(const cheems_model *model,
                                                 int32_t *tokens,
                                                 int64_t capacity,
                                                 int64_t *count);

/* The token that begins a text, and the one that fills shorter texts up to the
 * length of others; -1 if the model has none. The first of
 * tokenizer_config.json, generation_config.json and config.json that names one
 * says it. Both pointers may be null. Fails as cheems_tokenize does if the
 * tokenizer is malformed or not supported. */
CHEEMS_API cheems_status cheems_model_text_tokens(const cheems_model *model,
                                                  int32_t *bos, int32_t *pad);

/* ---- text */

/* How text becomes tokens. Flags may be combined. */
typedef enum cheems_tokenize_flags {
  CHEEMS_ADD_SPECIAL =
      1, /* add the model's own tokens around the text, such as BOS */
  CHEEMS_SPECIAL_AS_TEXT = 2 /* read special tokens in the text as plain text */
} cheems_tokenize_flags;

/* Turns `length` bytes of UTF-8 into tokens. `flags` are cheems_tokenize_flags.
 *
 * With flags 0, "<|im_end|>" in the text is the control token of that name, as
 * in transformers. That is right for the output of a chat template, and wrong
 * for the text of a stranger. Tokenize a stranger's text separately with
 * CHEEMS_SPECIAL_AS_TEXT, and put its tokens between those of the template.
 *
 * `count` receives the number of tokens. At most `capacity` of them are
 * written. To learn the number, call it with capacity 0; tokens may then be
 * null.
 *
 * CHEEMS_USAGE: a flag is not known. CHEEMS_FAILED: the text is not valid UTF-8
 * (the message has the byte offset), or the model has no tokenizer.
 * CHEEMS_UNSUPPORTED: the tokenizer has a component that this runtime does not
 * know. */
CHEEMS_API cheems_status cheems_tokenize(const cheems_model *model,
                                         const char *text, size_t length,
                                         int flags, int32_t *tokens,
                                         int64_t capacity, int64_t *count);

/* Turns `count` tokens into text, which is valid UTF-8. Special tokens are
 * shown if `show_special` is not 0. `length` receives the number of bytes. At
 * most `capacity` of them are written, and a zero byte follows if it fits. Text
 * may be null if capacity is 0. */
CHEEMS_API cheems_status cheems_detokenize(const cheems_model *model,
                                           const int32_t *tokens, int64_t count,
                                           int show_special, char *text,
                                           size_t capacity, size_t *length);

/* The bytes that a token adds to a text, after other tokens. They may be a
 * part of a character. A special token has its name. Otherwise as
 * cheems_detokenize. */
CHEEMS_API cheems_status cheems_token_bytes(const cheems_model *model,
                                            int32_t token, char *bytes,
                                            size_t capacity, size_t *length);

/* Turns tokens into text while they come. One thread at a time may use a
 * decoder; it may outlive the model's handle. Destroy it with
 * cheems_decoder_destroy, which takes null, too. */
CHEEMS_API cheems_status cheems_decoder_create(const cheems_model *model,
                                               int show_special,
                                               cheems_decoder **decoder);
CHEEMS_API void cheems_decoder_destroy(cheems_decoder *decoder);

/* `text` becomes the text that is complete with this token: whole characters in
 * UTF-8, often none, with a zero byte after. It is valid until the next call
 * with this decoder. All texts together, that of cheems_decoder_finish
 * included, are what cheems_detokenize gives for all tokens. CHEEMS_FAILED: the
 * tokenizer has no such token; the decoder is as before. */
CHEEMS_API cheems_status cheems_decoder_push(cheems_decoder *decoder,
                                             int32_t token, const char **text,
                                             size_t *length);

/* The same for what is left: U+FFFD for a character that is not complete. The
 * decoder begins a new text. */
CHEEMS_API cheems_status cheems_decoder_finish(cheems_decoder *decoder,
                                               const char **text,
                                               size_t *length);

typedef enum cheems_chat_flags {
  CHEEMS_ADD_GENERATION_PROMPT = 1 /* end with what begins the answer */
} cheems_chat_flags;

/* Turns a conversation into the text that the model was trained on, by its chat
 * template, as transformers' apply_chat_template does. `json` is an array of
 * messages as in OpenAI's interface:
 *
 *     [{"role": "user", "content": "Hello"}]
 *
 * or an object with such an array as "messages", and other variables of the
 * template, such as "tools". `flags` are cheems_chat_flags. Text, capacity and
 * length are those of cheems_detokenize. Tokenize the text without
 * CHEEMS_ADD_SPECIAL: the template writes the special tokens itself.
 *
 * CHEEMS_FAILED: the JSON is malformed, or the template refuses the messages.
 * CHEEMS_UNSUPPORTED: the model has no chat template, or one with a construct
 * that this runtime does not know. */
CHEEMS_API cheems_status cheems_apply_chat_template(
    const cheems_model *model, const char *json, size_t json_length, int flags,
    char *text, size_t capacity, size_t *length);

/* ---- sessions */

/* A zero means the default. Set `size` to sizeof(cheems_session_options),
 * because later versions may add fields at the end. */
typedef struct cheems_session_options {
  size_t size;
  int64_t slots;   /* how many sequences the session holds; default 1 */
  int64_t threads; /* default: the physical cores within affinity and cgroup
                      quota */
  int64_t context; /* how many tokens a sequence may hold; default: that of the
                      model */
  int64_t prefill_chunk; /* how many rows a prefill feeds at once; more than
                            65536 counts as 65536; default: what the model
                            says, or 512 */
  void *user;            /* passed to both functions */
  /* Gets one line that the caller of cheems_session_create should see, for
   * example for a context past the trained length. May be null. */
  void (*warn)(void *user, const char *line);
  /* Called between the chunks of a prefill. If it does not return 0, the
   * prefill ends with CHEEMS_INTERRUPTED, and the chunks before are fed. May be
   * null. */
  int (*interrupted)(void *user);
  int64_t rows; /* how many rows a step may have, if that is more than
                   prefill_chunk and slots; more than 65536 counts as 65536;
                   default: the larger of the two */
} cheems_session_options;

/* Allocates all memory; a step allocates nothing. Null options mean the
 * defaults. Destroy the session with cheems_session_destroy. CHEEMS_USAGE: the
 * options are impossible. CHEEMS_MEMORY: there is not enough. CHEEMS_FAILED:
 * threads cannot be started, or a GPU fails. */
CHEEMS_API cheems_status cheems_session_create(
    const cheems_model *model, const cheems_session_options *options,
    cheems_session **session);

/* Bytes of memory. Set `size` to sizeof(cheems_memory), because later versions
 * may add fields at the end. */
typedef struct cheems_memory {
  size_t size;
  int64_t weights; /* all sessions of a model share them; on the CPU they are
                      the file's, mapped and not copied */
  int64_t slot;    /* the state of one sequence, reserved; on the CPU pages cost
                      nothing before a sequence is long enough to use them */
  int64_t state;   /* that of all slots */
  int64_t workspace; /* scratch memory of a step */
} cheems_memory;

/* What the session takes, without kilobytes for its own administration. On a
 * GPU all of it is the GPU's memory, and a step that asks for the logits of
 * more rows than there are slots may enlarge the workspace later. */
CHEEMS_API cheems_status cheems_session_memory(const cheems_session *session,
                                               cheems_memory *memory);

/* What cheems_session_memory will say of a session with these options; null
 * options mean the defaults. Creates nothing, and warns of nothing.
 * CHEEMS_USAGE: the options are impossible. */
CHEEMS_API cheems_status cheems_model_estimate(
    const cheems_model *model, const cheems_session_options *options,
    cheems_memory *memory);

/* How many bytes of its slot a sequence of `tokens` tokens uses. CHEEMS_USAGE:
 * tokens is negative, or more than 2^31 - 1. */
CHEEMS_API cheems_status cheems_model_state_bytes(const cheems_model *model,
                                                  int64_t tokens,
                                                  int64_t *bytes);

/* Null is allowed. */
CHEEMS_API void cheems_session_destroy(cheems_session *session);

/* How many tokens a sequence may hold: 2^31 - 1 if the model sets no limit, 0
 * for a null session. */
CHEEMS_API int64_t cheems_session_context(const cheems_session *session);

/* What the session was made with, defaults filled in: the most rows of a step,
 * the rows that a prefill feeds at once, the slots, and the threads that
 * compute, the caller's included. 0 for a null session. */
CHEEMS_API int64_t cheems_session_rows(const cheems_session *session);
CHEEMS_API int64_t cheems_session_prefill_chunk(const cheems_session *session);
CHEEMS_API int64_t cheems_session_slots(const cheems_session *session);
CHEEMS_API int64_t cheems_session_threads(const cheems_session *session);

/* How many tokens were fed to the slot. CHEEMS_USAGE: there is no such slot. */
CHEEMS_API cheems_status cheems_session_position(const cheems_session *session,
                                                 int64_t slot,
                                                 int64_t *position);

/* Runs one step with any mix of sequences, as cheems_step in abi.h says. Tokens
 * are [token_count]. Segments are [segment_count]; rope_length 0 means
 * position + length. Rows [row_count] says for which rows the logits
 * [row_count, vocabulary] are wanted. CHEEMS_USAGE: the step breaks a rule,
 * which the message names. */
CHEEMS_API cheems_status cheems_session_step(
    cheems_session *session, const int32_t *tokens, int64_t token_count,
    const cheems_segment *segments, int64_t segment_count, const int32_t *rows,
    int64_t row_count, float *logits);

/* Feeds `count` tokens to one slot, chunk by chunk. logits [vocabulary] are
 * those after the last token; it may be null. */
CHEEMS_API cheems_status cheems_session_prefill(cheems_session *session,
                                                int64_t slot,
                                                const int32_t *tokens,
                                                int64_t count, float *logits);

/* With `wanted` 1, asks the session to end its prefill: the one that runs ends
 * before its next chunk with CHEEMS_INTERRUPTED, and the chunks before are fed.
 * If none runs, or only its last chunk, the next prefill ends so before its
 * first chunk. The request is done with when a prefill has ended so; with
 * `wanted` 0 it is taken back. Steps and decoding do not look at it. Unlike the
 * other functions this one may be called on any thread and in a signal handler,
 * also while a function of the session runs, but not after its destruction has
 * begun. A null session is allowed. */
CHEEMS_API void cheems_session_interrupt(cheems_session *session, int wanted);

/* How the embeddings of a text's rows become one. */
typedef enum cheems_pooling {
  CHEEMS_POOLING_MEAN = 0, /* their mean */
  CHEEMS_POOLING_LAST = 1  /* that of the last token */
} cheems_pooling;

/* Feeds `count` tokens to one slot, as cheems_session_prefill does, and gives
 * their embedding [cheems_model_hidden]: rows of the last layer after the
 * final norm, from which logits would be computed. It is not normalized. */
CHEEMS_API cheems_status cheems_session_embed(
    cheems_session *session, int64_t slot, const int32_t *tokens, int64_t count,
    cheems_pooling pooling, float *embedding);

/* Feeds one token. logits [vocabulary]. */
CHEEMS_API cheems_status cheems_session_decode(cheems_session *session,
                                               int64_t slot, int32_t token,
                                               float *logits);

/* Forgets the slot's sequence. The memory of a long one goes back to the
 * system. */
CHEEMS_API cheems_status cheems_session_reset(cheems_session *session,
                                              int64_t slot);

/* Goes back to the slot's first `tokens` tokens. CHEEMS_UNSUPPORTED: the state
 * no longer has them, because keys were evicted or a layer keeps a running
 * state. Nothing is changed; reset the slot and feed the tokens again.
 * CHEEMS_USAGE: the slot holds fewer tokens. */
CHEEMS_API cheems_status cheems_session_rewind(cheems_session *session,
                                               int64_t slot, int64_t tokens);

/* Copies the sequence of slot `from` to slot `to`. So a common beginning is
 * computed once. */
CHEEMS_API cheems_status cheems_session_copy(cheems_session *session,
                                             int64_t from, int64_t to);

/* Writes the slot's state to a file, which cheems_session_load reads. The file
 * does not have the tokens themselves. An older file of that name stays until
 * the new one is complete and on the disk. CHEEMS_IO: the file cannot be
 * written. */
CHEEMS_API cheems_status cheems_session_save(const cheems_session *session,
                                             int64_t slot, const char *path);

/* Loads a saved state into the slot. Any session of the same model may have
 * saved it, with any number of slots and threads. Decoding goes on with the
 * same bits.
 *
 * CHEEMS_IO: the file cannot be read. CHEEMS_CORRUPT: it is damaged, or is not
 * a state. CHEEMS_FAILED: it was saved by a model with another configuration,
 * weight format or state layout, or with other weights. CHEEMS_CONTEXT_FULL:
 * the state has more tokens than this session's context. In all cases nothing
 * is changed. But if a complete file changes or cannot be read any more while
 * it is loaded, the slot is empty afterwards. */
CHEEMS_API cheems_status cheems_session_load(cheems_session *session,
                                             int64_t slot, const char *path);

/* What of a slot's state goes to memory. */
typedef enum cheems_state_flags {
  CHEEMS_STATE_PARTIAL = 1 /* without the entries that the slot itself keeps
                              while its sequence grows */
} cheems_state_flags;

/* The slot's state in memory instead of in a file: cheems_session_state_get
 * writes to `buffer`, which has `capacity` bytes, as many bytes as
 * cheems_session_state_size says at that moment. `size` of the former may be
 * null. `flags` are cheems_state_flags.
 *
 * With flags 0 these are the bytes of a file of cheems_session_save. They may
 * go to any slot of any session that could load the file.
 *
 * A partial state is small, and for most models its size does not grow with the
 * sequence: it has running sums and counts, but not the keys and values, which
 * are written once when their token is fed. So it goes back only to the slot
 * that it was taken of, as long as this slot has kept the tokens up to there:
 * since then it was only fed, or given back partial states of at least as many
 * tokens. Where a window evicts keys, a partial state is a whole one.
 *
 * CHEEMS_USAGE: there is no such slot, a flag is not known, or the capacity is
 * too small; nothing is written then. */
CHEEMS_API cheems_status cheems_session_state_size(
    const cheems_session *session, int64_t slot, int flags, size_t *size);
CHEEMS_API cheems_status cheems_session_state_get(const cheems_session *session,
                                                  int64_t slot, int flags,
                                                  void *buffer, size_t capacity,
                                                  size_t *size);

/* Gives the slot a state that cheems_session_state_get wrote, whole or partial.
 * Decoding goes on with the same bits.
 *
 * CHEEMS_CORRUPT: the bytes are damaged, or are not a state. CHEEMS_FAILED:
 * they are of a model that cheems_session_load would refuse.
 * CHEEMS_CONTEXT_FULL: as there. CHEEMS_USAGE: a partial state was taken of
 * another session or slot. CHEEMS_UNSUPPORTED: the slot has not kept the tokens
 * of a partial state; feed them again. In all cases nothing is changed. */
CHEEMS_API cheems_status cheems_session_state_set(cheems_session *session,
                                                  int64_t slot,
                                                  const void *buffer,
                                                  size_t size);

/* ---- choosing tokens */

/* Added to the logit of a token; -infinity: the token is never chosen. */
typedef struct cheems_logit_bias {
  int32_t token;
  float bias;
} cheems_logit_bias;

/* How a row of logits becomes a token. In this order: mask, logit_bias,
 * repeat_penalty, frequency_penalty and presence_penalty, temperature, top_k,
 * top_p, min_p, softmax, draw. A zero means the default. Set `size` to
 * sizeof(cheems_sampler_options), because later versions may add fields at the
 * end. */
typedef struct cheems_sampler_options {
  size_t size;
  double temperature; /* default: the token with the highest logit, of equals
                         the one with the lowest number; then the seed, top_k,
                         top_p and min_p do not matter */
  int64_t top_k; /* the k best tokens stay, and their equals; default: all */
  double top_p;  /* the best tokens that together have this probability stay;
                    default: 1, all */
  double min_p;  /* tokens stay that are this probable, relative to the best;
                    default: all */
  double repeat_penalty; /* the logit of a token that was accepted is divided by
                            it, or multiplied if negative; default: 1 */
  double frequency_penalty; /* is taken from that logit as often as the token
                               was accepted */
  double presence_penalty;  /* is taken from that logit once */
  int64_t repeat_last_n;    /* how many of the newest accepted tokens the three
                               penalties look at; default: all */
  uint64_t seed;            /* the same seed, options and logits give the same
                               tokens */
  const cheems_logit_bias
      *logit_bias; /* of several of a token the sum counts */
  int64_t logit_bias_count;
} cheems_sampler_options;

/* What generation_config.json asks for. Set options->size before; all other
 * fields are written, the seed as 0. If the file asks for no sampling, the
 * temperature is 0 and the other fields are those to sample with. */
CHEEMS_API cheems_status cheems_model_sampler_options(
    const cheems_model *model, cheems_sampler_options *options);

/* A sampler for one sequence of the model's tokens; null options mean the
 * defaults. One thread at a time may use it; it may outlive the model's handle.
 * CHEEMS_USAGE: an option is out of range. */
CHEEMS_API cheems_status cheems_sampler_create(
    const cheems_model *model, const cheems_sampler_options *options,
    cheems_sampler **sampler);

/* Another one that goes on in the same way. */
CHEEMS_API cheems_status cheems_sampler_clone(const cheems_sampler *sampler,
                                              cheems_sampler **copy);

/* Null is allowed. */
CHEEMS_API void cheems_sampler_destroy(cheems_sampler *sampler);

/* Tells the penalties about tokens of the sequence: those of the prompt, if
 * they should count, and then each one that was chosen. CHEEMS_USAGE: a token
 * is outside the vocabulary; none was accepted. */
CHEEMS_API cheems_status cheems_sampler_accept(cheems_sampler *sampler,
                                               const int32_t *tokens,
                                               int64_t count);

/* Forgets the accepted tokens. The random sequence goes on. */
CHEEMS_API cheems_status cheems_sampler_forget(cheems_sampler *sampler);

/* Begins the random sequence of another seed, for example in a clone. */
CHEEMS_API cheems_status cheems_sampler_seed(cheems_sampler *sampler,
                                             uint64_t seed);

/* Chooses a token from logits [vocabulary]; it is not accepted yet. If `mask`
 * is not null, only tokens are chosen whose bit is 1: bit token % 32 of
 * mask[token / 32]. CHEEMS_FAILED: a logit is NaN or +infinity, or no token can
 * be chosen. */
CHEEMS_API cheems_status cheems_sampler_sample(cheems_sampler *sampler,
                                               const float *logits,
                                               const uint32_t *mask,
                                               int32_t *token);

/* The random sequence and the accepted tokens, as bytes, for a sampler that
 * goes on later. The functions and their buffers are those of
 * cheems_session_state_get. Options are not a part of it. CHEEMS_CORRUPT: the
 * bytes are damaged; nothing is changed. */
CHEEMS_API cheems_status
cheems_sampler_state_size(const cheems_sampler *sampler, size_t *size);
CHEEMS_API cheems_status cheems_sampler_state_get(const cheems_sampler *sampler,
                                                  void *buffer, size_t capacity,
                                                  size_t *size);
CHEEMS_API cheems_status cheems_sampler_state_set(cheems_sampler *sampler,
                                                  const void *buffer,
                                                  size_t size);

/* Logarithms of the probabilities that logits [vocabulary] stand for, without
 * any sampler's options, computed in double: `logprob` of a token, unless it is
 * null, and those of the `top_count` most probable tokens, the first of equals
 * first. CHEEMS_FAILED: the logits are not those of a distribution. */
CHEEMS_API cheems_status cheems_logprobs(const cheems_model *model,
                                         const float *logits, int32_t token,
                                         double *logprob, int64_t top_count,
                                         int32_t *top_tokens,
                                         double *top_logprobs);

#ifdef __cplusplus
}
#endif

#endif
