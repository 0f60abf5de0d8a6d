/* Layout of a compiled model file, shared by the compiler that writes it and
 * the runtime that reads it.
 *
 * Sections, an index and, as the last 64 bytes, a footer. Where there is code
 * for CPUs, the file starts with it: one ELF x86-64 shared object that dlopen
 * accepts. Integers are little-endian.
 * docs/abi.md tells what each section holds and what is checked when.
 *
 *   0                 "code": the ELF image
 *   multiple of 4096  the other sections, each padded with zeros to the next
 * multiple of 4096 index_offset      cheems_index_entry[entry_count], ascending
 * by offset (a multiple of 4096) file_size - 64    cheems_footer, directly
 * after the index
 *
 * Every byte is covered by a checksum or is zero padding of fewer than 4096
 * bytes before a section or the index.
 */
#ifndef CHEEMS_ARTIFACT_H
#define CHEEMS_ARTIFACT_H

#include <stdint.h>

/* Raised when a struct below or the meaning of a section changes. */
#define CHEEMS_ARTIFACT_VERSION 2

/* This is the version of the plan of launches in an image for GPUs
   (docs/abi.md). It is raised when plans get something that an older runtime
   would not do; then it refuses them, and a newer one refuses those of before.
   Files for CPUs have no plan. */
#define CHEEMS_LAUNCH_PLAN_VERSION 2

/* The footer's first eight bytes. */
#define CHEEMS_ARTIFACT_MAGIC "CHEEMS\r\n"

/* Every section and the index start at a multiple of this. */
#define CHEEMS_ARTIFACT_ALIGNMENT 4096

/* Weights are checked in blocks of this many bytes; the last one may be
 * shorter. */
#define CHEEMS_ARTIFACT_BLOCK 1048576

/* Exported entry points start with this; also how a file that lost its footer
 * is told from a foreign one. */
#define CHEEMS_ARTIFACT_ENTRY_PREFIX "cheems_step_"

/* Section names. Weights, metadata, config and checksums are required; so is a
 * section for each image that the metadata names. A text whose file the model
 * folder lacks has no entry. Readers check and skip names they do not know. */
#define CHEEMS_SECTION_CODE "code"    /* code for CPUs: the ELF image, at 0 */
#define CHEEMS_SECTION_IMAGE "image." /* starts those of other targets */
#define CHEEMS_SECTION_WEIGHTS                                                 \
  "weights" /* what cheems_step.parameters points to */
#define CHEEMS_SECTION_METADATA "metadata" /* JSON, docs/abi.md */
#define CHEEMS_SECTION_CONFIG "config"     /* config.json */
#define CHEEMS_SECTION_CHECKSUMS                                               \
  "checksums" /* uint64_t[ceil(weights / BLOCK)]: XXH3-64 of each block */
#define CHEEMS_SECTION_GENERATION_CONFIG                                       \
  "generation_config"                        /* generation_config.json */
#define CHEEMS_SECTION_TOKENIZER "tokenizer" /* tokenizer.json */
#define CHEEMS_SECTION_TOKENIZER_CONFIG                                        \
  "tokenizer_config"                                 /* tokenizer_config.json */
#define CHEEMS_SECTION_CHAT_TEMPLATE "chat_template" /* chat_template.jinja */
#define CHEEMS_SECTION_TOOL_USE_TEMPLATE                                       \
  "tool_use_template" /* additional_chat_templates/tool_use.jinja */

typedef struct cheems_index_entry {
  char name[24];     /* padded with zeros, at least one */
  uint64_t offset;   /* bytes from the start of the file */
  uint64_t size;     /* bytes, without padding */
  uint64_t checksum; /* XXH3-64 (seed 0) of those bytes; zero for the weights,
                        which have block checksums */
  uint64_t reserved[2]; /* zero */
} cheems_index_entry;

/* magic, version, file_size and footer_checksum keep their places in every
 * version. */
typedef struct cheems_footer {
  char magic[8];
  uint32_t version;
  uint32_t reserved; /* zero */
  uint64_t index_offset;
  uint64_t entry_count;
  uint64_t index_checksum;  /* XXH3-64 of the index */
  uint64_t reserved_zero;   /* zero */
  uint64_t file_size;       /* bytes of the whole file, this footer included */
  uint64_t footer_checksum; /* XXH3-64 of the 56 bytes above */
} cheems_footer;

#ifdef __cplusplus
static_assert(sizeof(cheems_index_entry) == 64 && sizeof(cheems_footer) == 64,
              "files rely on this layout");
#endif

#endif
