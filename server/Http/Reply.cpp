#include "server/Http/Reply.h"
#include "server/Http/Connection.h"

namespace cheems::serve {

Reply::~Reply() {
  connection->post([to = connection, answer = answer] { to->abandon(answer); });
}

void Reply::respond(HttpResponse response) {
  connection->post([to = connection, answer = answer,
                    response = std::move(response)]() mutable {
    to->respond(answer, std::move(response));
  });
}

void Reply::beginStream(HttpResponse head) {
  connection->post(
      [to = connection, answer = answer, head = std::move(head)]() mutable {
        to->beginStream(answer, std::move(head));
      });
}

void Reply::send(std::string bytes) {
  if (answer->unsent.add(bytes)) {
    connection->post([to = connection, answer = answer] { to->flush(answer); });
  }
}

void Reply::endStream() {
  connection->post(
      [to = connection, answer = answer] { to->endStream(answer); });
}

void Reply::onDropped(std::function<void()> handler) {
  connection->post([answer = answer, handler = std::move(handler)]() mutable {
    if (answer->gone) {
      handler();
    } else if (!answer->ended) {
      answer->dropped = std::move(handler);
    }
  });
}

void Reply::note(const std::string &name, const std::string &json) {
  connection->post([answer = answer, name, json] {
    answer->record.notes.emplace_back(name, json);
  });
}

} // namespace cheems::serve
