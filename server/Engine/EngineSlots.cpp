// What may be done to the slots of a running engine.
#include "runtime/Error.h"
#include "runtime/State/StateFile.h"
#include "server/Engine/Engine.h"
#include <algorithm>
#include <cstring>

namespace cheems::serve {

namespace {

SlotActionResult refused(const std::string &error, int status) {
  SlotActionResult result;
  result.error = error;
  result.httpStatus = status;
  return result;
}

const char *const ended = "the server is shutting down";

} // namespace

void Engine::post(Command command) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    commands.push_back(std::move(command));
  }
  changed.notify_all();
}

void Engine::refuse(SlotDone done, const std::string &error, int status) {
  post([done = std::move(done), result = refused(error, status)](bool) {
    done(result);
  });
}

/// Each holds a whole state, so no more are under way than there are slots.
bool Engine::takeFile(const std::string &name, SlotDone &done) {
  std::string fault = SlotFolder::faultOf(name);
  if (!folder) {
    refuse(std::move(done), "this server keeps no files of slots", 501);
    return false;
  }
  if (!fault.empty()) {
    refuse(std::move(done), fault, 400);
    return false;
  }
  if (filesUnderWay.fetch_add(1) >= session.slots()) {
    --filesUnderWay;
    refuse(std::move(done),
           "too many slots are being saved or restored; try again later", 429);
    return false;
  }
  done = [this, told = std::move(done)](SlotActionResult result) {
    --filesUnderWay; // who is told may ask again at once
    told(std::move(result));
  };
  return true;
}

void Engine::onFreeSlot(int64_t slot, const SlotDone &done,
                        const std::function<SlotActionResult()> &act) {
  post([=](bool alive) {
    const auto &contents = runner.states().slots();
    if (!alive) {
      done(refused(ended, 503));
    } else if (slot < 0 || slot >= static_cast<int64_t>(contents.size())) {
      done(refused("slot " + std::to_string(slot) + " does not exist", 400));
    } else if (contents[static_cast<size_t>(slot)].busy) {
      done(refused("slot " + std::to_string(slot) + " is busy", 409));
    } else {
      SlotActionResult result;
      try {
        result = act();
      } catch (const std::exception &error) {
        result = refused(error.what(), 500);
      }
      if (done && (!result.error.empty() || result.httpStatus != 202)) {
        done(result);
      }
    }
  });
}

void Engine::saveSlot(int64_t slot, std::string name, SlotDone done) {
  if (!takeFile(name, done)) {
    return;
  }
  // The engine only copies the state; another thread writes it.
  onFreeSlot(slot, done, [=] {
    Clock::time_point begin = Clock::now();
    const SlotContents &contents =
        runner.states().slots()[static_cast<size_t>(slot)];
    auto record = std::make_shared<SlotRecord>();
    record->tokens = contents.tokens;
    record->isolation = contents.isolation;
    record->state.resize(session.stateBytes(slot, false));
    session.writeState(slot, false, record->state.data());
    files->post([=] {
      SlotActionResult result;
      try {
        std::string bytes = record->encode();
        folder->write(name, bytes);
        result.tokens = static_cast<int64_t>(record->tokens.size());
        result.bytes = static_cast<int64_t>(bytes.size());
        result.seconds = secondsBetween(begin, Clock::now());
      } catch (const SlotFileRefused &error) {
        result = refused(error.what(), error.httpStatus);
      } catch (const std::exception &error) {
        result = refused(error.what(), 500);
      }
      done(result);
    });
    SlotActionResult later;
    later.httpStatus = 202; // the other thread calls
    return later;
  });
}

SlotActionResult Engine::load(int64_t slot, SlotRecord record) {
  for (int32_t token : record.tokens) {
    if (token < 0 || token >= session.vocabulary()) {
      return refused("the file has a token outside the vocabulary", 400);
    }
  }
  StateFileHeader header = {};
  std::memcpy(&header, record.state.data(),
              std::min(sizeof(header), record.state.size()));
  if (header.position != record.tokens.size()) {
    return refused("the file's state is not of its tokens", 400);
  }
  int64_t before = session.position(slot);
  try {
    session.readState(slot, record.state);
  } catch (const std::exception &error) {
    if (session.position(slot) != before) { // a GPU failed in the middle
      runner.states().erase(slot);
    }
    return refused(error.what(), 400);
  }
  SlotActionResult result;
  result.tokens = session.position(slot);
  runner.states().loaded(slot, std::move(record.tokens),
                         std::move(record.isolation));
  return result;
}

void Engine::restoreSlot(int64_t slot, std::string name, SlotDone done) {
  if (!takeFile(name, done)) {
    return;
  }
  files->post([=] {
    Clock::time_point begin = Clock::now();
    auto record = std::make_shared<SlotRecord>();
    int64_t bytes = 0;
    try {
      std::string read = folder->read(name, largestFile);
      bytes = static_cast<int64_t>(read.size());
      *record = SlotRecord::decode(read, name);
    } catch (const DamagedFile &error) {
      done(refused(error.what(), 400));
      return;
    } catch (const SlotFileRefused &error) {
      done(refused(error.what(), error.httpStatus));
      return;
    } catch (const std::exception &error) {
      done(refused(error.what(), 500));
      return;
    }
    onFreeSlot(slot, done, [=] {
      SlotActionResult result = load(slot, std::move(*record));
      if (result.error.empty()) {
        result.bytes = bytes;
        result.seconds = secondsBetween(begin, Clock::now());
      }
      return result;
    });
  });
}

void Engine::eraseSlot(int64_t slot, SlotDone done) {
  onFreeSlot(slot, done, [=] {
    SlotActionResult result;
    result.tokens = session.position(slot);
    runner.states().erase(slot);
    return result;
  });
}

} // namespace cheems::serve
