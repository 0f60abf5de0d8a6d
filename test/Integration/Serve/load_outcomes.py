"""What clients of a server under load have in common: a connection that is read by hand, and what came of a request."""
import asyncio
import dataclasses
import json
import socket

PATIENCE = 300  # seconds for any single wait: a hang is an error, a slow machine is none


@dataclasses.dataclass
class Outcome:
    id: str
    kind: str
    end: str  # done, refused, left
    status: int = 0
    choices: int = 0  # texts that the engine was asked for
    seen: bool = True  # the server must have it in its log
    wrong: str = ""  # what the client found wrong in the answer
    costly: bool = False  # it may also be refused when it has begun


@dataclasses.dataclass
class Timings:
    first: list = dataclasses.field(default_factory=list)  # seconds to the first token, waiting included
    between: list = dataclasses.field(default_factory=list)


class Line:
    """A connection that is read by hand."""

    @classmethod
    async def open(cls, port, small=False, source=None):
        self = cls()
        sock = socket.socket()
        sock.setblocking(False)
        if small:  # so that little is enough to fill it
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        if source:
            sock.bind((source, 0))
        try:
            await asyncio.wait_for(asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port)), PATIENCE)
            self.reader, self.writer = await asyncio.open_connection(sock=sock, limit=4096 if small else 1 << 20)
        except BaseException:
            sock.close()
            raise
        return self

    async def send(self, data):
        self.writer.write(data)
        await asyncio.wait_for(self.writer.drain(), PATIENCE)

    async def head(self):
        """Status and fields of the next answer; those of the kind "go on" are passed over."""
        while True:
            text = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE)).decode()
            first, *lines = text.strip().split("\r\n")
            status = int(first.split()[1])
            if status >= 200:
                return status, {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}

    async def parts(self, fields):
        """The body, as it comes."""
        if fields.get("transfer-encoding") == "chunked":
            while True:
                size = int((await asyncio.wait_for(self.reader.readuntil(b"\r\n"), PATIENCE)).strip(), 16)
                data = await asyncio.wait_for(self.reader.readexactly(size + 2), PATIENCE)
                if size == 0:
                    return
                yield data[:-2]
        else:
            yield await asyncio.wait_for(self.reader.readexactly(int(fields.get("content-length", 0))), PATIENCE)

    async def answer(self):
        status, fields = await self.head()
        body = b"".join([part async for part in self.parts(fields)])
        return status, fields, body

    def close(self, reset=False):
        if reset:
            sock = self.writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.writer.transport.abort()
        else:
            self.writer.close()


def request(id, path, body, more="", method="POST"):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nx-request-id: {id}\r\nContent-Length: {len(data)}\r\n{more}\r\n".encode() + data
