// Defines what the C interface's pointers point to, and turns an exception into
// a status.
#ifndef CHEEMS_RUNTIME_API_HANDLES_H
#define CHEEMS_RUNTIME_API_HANDLES_H

#include "cheems/cheems.h"
#include "runtime/Session/Session.h"
#include "runtime/Text/TextModel.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct cheems_model {
  std::shared_ptr<const cheems::Model> model;
  std::shared_ptr<cheems::TextModel> text;
  std::string description, device;
  std::vector<int32_t> ends; ///< tokens that end a text
};

struct cheems_session {
  cheems_session(const cheems_model &model,
                 const cheems_session_options &options);

  std::atomic<bool> interruptWanted{false};
  cheems::Session session;
};
static_assert(std::atomic<bool>::is_always_lock_free,
              "signal handlers may set it");

namespace cheems::api {

/// Keeps `message` for cheems_last_error; never throws.
cheems_status fail(cheems_status status, const char *message) noexcept;

template <typename Action> cheems_status guard(const Action &action) noexcept {
  try {
    action();
    return CHEEMS_OK;
  } catch (const ContextFull &error) {
    return fail(CHEEMS_CONTEXT_FULL, error.what());
  } catch (const FileUnusable &error) {
    return fail(CHEEMS_IO, error.what());
  } catch (const DamagedFile &error) {
    return fail(CHEEMS_CORRUPT, error.what());
  } catch (const MemoryShort &error) {
    return fail(CHEEMS_MEMORY, error.what());
  } catch (const Error &error) {
    return fail(static_cast<cheems_status>(error.status), error.what());
  } catch (const std::bad_alloc &) {
    return fail(CHEEMS_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    return fail(CHEEMS_FAILED, error.what());
  } catch (...) {
    return fail(CHEEMS_FAILED, "unknown error");
  }
}

template <typename T> void need(const T *pointer, const char *name) {
  if (!pointer) {
    throw Error(Status::usage, std::string(name) + " is null");
  }
}

/// Flags of the enum `name`, whose bits together are `known`.
inline void checkFlags(int flags, int known, const char *name) {
  if ((flags & ~known) != 0) {
    throw Error(Status::usage, "flags has bits that are not " +
                                   std::string(name) + ": " +
                                   std::to_string(flags & ~known));
  }
}

/// A state of `size` bytes goes into a buffer that has `capacity`.
inline void checkRoom(size_t size, size_t capacity) {
  if (size > capacity) {
    throw Error(Status::usage, "the state has " + std::to_string(size) +
                                   " bytes, and the buffer has room for " +
                                   std::to_string(capacity));
  }
}

/// The first of `tokens` to a caller's list, and how many they are.
inline void copyOut(const std::vector<int32_t> &tokens, int32_t *list,
                    int64_t capacity, int64_t *count) {
  need(count, "count");
  if (capacity > 0) {
    need(list, "tokens");
  }
  *count = static_cast<int64_t>(tokens.size());
  std::copy_n(tokens.begin(), std::max<int64_t>(0, std::min(capacity, *count)),
              list);
}

/// The size that a caller gives of its version of the struct `name`.
inline size_t checkSize(size_t size, const char *name) {
  if (size < sizeof(size) || size > 4096) {
    throw Error(Status::usage, std::string("size is not sizeof(") + name + ")");
  }
  return size;
}

/// The caller's options as this version of the struct `name`: a shorter, older
/// one leaves defaults; a longer, newer one must not ask for anything we do not
/// know.
template <typename Options>
Options adopt(const Options *given, const char *name) {
  Options options = {};
  if (!given) {
    return options;
  }
  size_t size = checkSize(given->size, name);
  std::memcpy(&options, given, std::min(size, sizeof(options)));
  const char *bytes = reinterpret_cast<const char *>(given);
  if (size > sizeof(options) &&
      std::any_of(bytes + sizeof(options), bytes + size,
                  [](char byte) { return byte != 0; })) {
    throw Error(Status::usage, "the options set a field that this version of "
                               "the runtime does not know");
  }
  return options;
}

} // namespace cheems::api

#endif
