#include "Client.h"
#include <arpa/inet.h>
#include <cerrno>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>
#include <unistd.h>

namespace cheems::test {

Client::Client(uint16_t port, int receiveBuffer)
    : file(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  timeval limit = {10, 0};
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  if (receiveBuffer > 0) {
    setsockopt(file, SOL_SOCKET, SO_RCVBUF, &receiveBuffer,
               sizeof(receiveBuffer));
  }
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (file < 0 || connect(file, reinterpret_cast<sockaddr *>(&address),
                          sizeof(address)) != 0) {
    throw std::system_error(errno, std::generic_category(), "connect");
  }
}

Client::~Client() { close(); }

Client::Client(Client &&other) noexcept
    : file(other.file), buffer(std::move(other.buffer)) {
  other.file = -1;
}

bool Client::send(const std::string &bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    ssize_t count =
        ::send(file, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0) {
      return false;
    }
    sent += static_cast<size_t>(count);
  }
  return true;
}

void Client::sendWhatGoes(const std::string &bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    ssize_t count = ::send(file, bytes.data() + sent, bytes.size() - sent,
                           MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) {
      return;
    }
    sent += static_cast<size_t>(count);
  }
}

bool Client::fill() { return readSome(SIZE_MAX); }

bool Client::readSome(size_t most) {
  char bytes[16384];
  ssize_t count = recv(file, bytes, std::min(most, sizeof(bytes)), 0);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    throw std::runtime_error("nothing came for ten seconds; so far: " + buffer);
  }
  if (count <= 0) {
    return false;
  }
  buffer.append(bytes, static_cast<size_t>(count));
  return true;
}

std::string Client::until(const std::string &end) {
  size_t found;
  while ((found = buffer.find(end)) == std::string::npos) {
    if (!fill()) {
      std::string all;
      all.swap(buffer);
      return all;
    }
  }
  std::string part = buffer.substr(0, found + end.size());
  buffer.erase(0, part.size());
  return part;
}

std::string Client::rest() {
  while (fill()) {
  }
  std::string all;
  all.swap(buffer);
  return all;
}

bool Client::ends() { return buffer.empty() && !fill(); }

Received Client::receiveOne(bool headOnly) {
  Received result;
  std::string head = until("\r\n\r\n");
  if (head.compare(0, 9, "HTTP/1.1 ") != 0) {
    return result;
  }
  result.status = std::stoi(head.substr(9, 3));
  for (size_t at = head.find("\r\n") + 2; at + 2 < head.size();) {
    size_t end = head.find("\r\n", at);
    size_t colon = head.find(": ", at);
    std::string name = head.substr(at, colon - at);
    for (char &c : name) {
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    result.fields[name] = head.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  if (headOnly || result.status == 100 || result.status == 204 ||
      result.status == 304) {
    result.whole = true;
  } else if (result.fields.count("content-length")) {
    size_t length = std::stoul(result.fields["content-length"]);
    while (buffer.size() < length && fill()) {
    }
    result.body = buffer.substr(0, length);
    result.whole = result.body.size() == length;
    buffer.erase(0, result.body.size());
  } else if (result.fields.count("transfer-encoding")) {
    for (std::string line; !(line = until("\r\n")).empty();) {
      size_t length = std::stoul(line, nullptr, 16);
      while (buffer.size() < length + 2 && fill()) {
      }
      result.body += buffer.substr(0, length);
      buffer.erase(0, length + 2);
      if (length == 0) {
        result.whole = true;
        break;
      }
    }
  } else {
    result.body = rest();
    result.whole = true;
  }
  return result;
}

Received Client::receive(bool headOnly) {
  for (;;) {
    Received result = receiveOne(headOnly);
    if (result.status != 100) {
      return result;
    }
    ++continues;
  }
}

void Client::halfClose() { shutdown(file, SHUT_WR); }

void Client::close() {
  if (file >= 0) {
    ::close(file);
  }
  file = -1;
}

void Client::reset() {
  linger now = {1, 0};
  setsockopt(file, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  close();
}

std::string get(const std::string &path, const std::string &fields) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

std::string post(const std::string &path, const std::string &body,
                 const std::string &fields) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + fields + "\r\n" + body;
}

} // namespace cheems::test
