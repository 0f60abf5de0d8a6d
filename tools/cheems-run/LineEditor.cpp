#include "LineEditor.h"
#include "runtime/Process/Interrupt.h"
#include <clocale>
#include <cstdlib>
#include <cwchar>
#include <fcntl.h>
#include <filesystem>
#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>

namespace cheems::run {

namespace {

constexpr int keptLines = 1000;
/// Around what a prompt has for the terminal and not for the eye, as libedit
/// wants it.
constexpr char invisible = '\1';
constexpr char endOfInput = '\4';

/// libedit knows characters by the locale; what a user types is UTF-8.
void readUtf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(nl_langinfo(CODESET)) != "UTF-8") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
  }
}

class LineEditor : public ChatInput {
public:
  explicit LineEditor(std::string file)
      : historyFile(std::move(file)), lines(history_init()) {
    readUtf8();
    output = fdopen(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), "w");
    editor = el_init("cheems-run", stdin, output, output);
    el_set(editor, EL_CLIENTDATA, this);
    el_set(editor, EL_PROMPT_ESC, givePrompt, invisible);
    el_set(editor, EL_GETCFN, getCharacter);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    HistEvent event;
    history(lines, &event, H_SETSIZE, keptLines);
    history(lines, &event, H_SETUNIQUE, 1);
    if (!historyFile.empty()) {
      history(lines, &event, H_LOAD, historyFile.c_str());
    }
    el_set(editor, EL_HIST, history, lines);
    el_source(editor, nullptr);
  }

  ~LineEditor() override {
    if (!historyFile.empty()) {
      saveHistory();
    }
    el_end(editor);
    history_end(lines);
    fclose(output);
  }

  Event next(const std::string &text, std::string &line,
             bool pending) override {
    setPrompt(text);
    ignoresOld = pending;
    stopped = false;
    // libedit itself does this after the prompt, when keys may have come
    el_set(editor, EL_PREP_TERM, 1);
    int count = 0;
    const char *typed = el_gets(editor, &count);
    if (stopped || !typed || count <= 0) {
      bool interrupted = stopped && !interrupt::ending();
      el_reset(editor);
      fputs("\n", output);
      fflush(output);
      return interrupted ? Event::interrupted : Event::end;
    }
    line.assign(typed, static_cast<size_t>(count));
    if (!line.empty() && line.back() == '\n') {
      line.pop_back();
    }
    if (line.find_first_not_of(' ') != std::string::npos) {
      HistEvent event;
      history(lines, &event, H_ENTER, line.c_str());
    }
    return Event::line;
  }

private:
  static LineEditor &of(EditLine *editor) {
    void *self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return *static_cast<LineEditor *>(self);
  }
  static char *givePrompt(EditLine *editor) { return of(editor).prompt.data(); }

  /// Escape sequences go between marks.
  void setPrompt(const std::string &text) {
    prompt.clear();
    for (size_t at = 0; at < text.size();) {
      size_t end = text[at] == '\x1b' ? text.find('m', at) : at;
      end = end == std::string::npos ? text.size() : end + 1;
      bool escape = text[at] == '\x1b';
      prompt += (escape ? std::string(1, invisible) : "") +
                text.substr(at, end - at) +
                (escape ? std::string(1, invisible) : "");
      at = end;
    }
  }

  /// One character of UTF-8 as it is typed; none where a signal came. An end
  /// (Ctrl-D) that was typed during the answer comes as a zero: the terminal
  /// took it for its own line's end before the editor had the keys.
  static int getCharacter(EditLine *editor, wchar_t *character) {
    LineEditor &self = of(editor);
    auto stops = [&] {
      return interrupt::ending() ||
             (interrupt::requested() && !self.ignoresOld);
    };
    std::mbstate_t state{};
    for (;;) {
      if (!interrupt::waitFor(STDIN_FILENO, POLLIN, stops)) {
        self.stopped = true;
        return 0;
      }
      char byte;
      ssize_t count = read(STDIN_FILENO, &byte, 1);
      if (count == 0) {
        return 0;
      }
      if (count < 0) {
        if (errno == EINTR || errno == EAGAIN) {
          continue;
        }
        return -1;
      }
      if (byte == 0) {
        byte = endOfInput;
      }
      size_t length = std::mbrtowc(character, &byte, 1, &state);
      if (length == static_cast<size_t>(-1)) { // no UTF-8: left out
        state = {};
      } else if (length != static_cast<size_t>(-2)) {
        return 1;
      }
    }
  }

  /// For its user alone: what was asked is nobody else's matter.
  void saveHistory() {
    std::error_code ignored;
    std::filesystem::create_directories(
        std::filesystem::path(historyFile).parent_path(), ignored);
    std::string fresh = historyFile + "." + std::to_string(getpid());
    int descriptor =
        open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) {
      return; // nothing of the chat depends on it
    }
    close(descriptor);
    HistEvent event;
    if (history(lines, &event, H_SAVE, fresh.c_str()) >= 0) {
      std::filesystem::rename(fresh, historyFile, ignored);
    }
    std::filesystem::remove(fresh, ignored);
  }

  std::string historyFile, prompt;
  History *lines;
  FILE *output;
  EditLine *editor;
  bool ignoresOld = false; ///< an interrupt from before the question
  bool stopped = false;
};

} // namespace

std::unique_ptr<ChatInput> makeChatInput(const std::string &history) {
  if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
    return std::make_unique<LineEditor>(history);
  }
  return plainInput();
}

std::string standardHistory() {
  const char *state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') {
    return std::string(state) + "/cheems/history";
  }
  const char *home = std::getenv("HOME");
  return home && *home == '/'
             ? std::string(home) + "/.local/state/cheems/history"
             : "";
}

} // namespace cheems::run
