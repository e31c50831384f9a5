"""Server of the labelling page: this computer alone, and only who has the address."""

import json
import secrets
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from urllib.parse import parse_qs

from skrobust._one_line import one_line
from skrobust.cli.exit_codes import UserError

FILES = {
    "": "label_page.html",
    "page.css": "label_page.css",
    "page.js": "label_page.js",
}
_KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_MOST = 65536  # bytes of a request
# The page takes nothing from elsewhere, sends nothing elsewhere, and is in no frame.
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class LabelServer(ThreadingHTTPServer):
    """Server of one labelling page on the loopback interface.

    Every request needs the token of the address, and a ``Host`` header that names this
    server, so that pages of other sites reach it neither directly nor by a name that
    was made to point here (DNS rebinding).

    Parameters
    ----------
    page : LabelPage
        What is shown and done.
    port : int, default=0
        0 takes any that is free.

    Attributes
    ----------
    address : str
        Address of the page, with the token.
    failure : Exception or None
        What ended the server, such as a full disk.
    """

    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # there, two could share a port

    def __init__(self, page, port=0):
        self.page, self.token = page, secrets.token_urlsafe(24)
        self.failure = None
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise UserError(
                f"--port {port} cannot be used ({error.strerror}); take another, or "
                "leave it out."
            ) from None
        port = self.server_address[1]
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.address = f"http://127.0.0.1:{port}/{self.token}/"

    def stop(self):
        """End ``serve_forever`` from a request."""
        threading.Thread(target=self.shutdown, daemon=True).start()

    def handle_error(self, request, client_address):
        """Pass over a browser that has gone; anything else is printed."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "skrobust", ""
    timeout = 30  # seconds, for browsers that connect and ask for nothing

    def do_GET(self):
        what = self._admitted()
        if what == "" and not self.path.endswith("/"):
            self.send_response(HTTPStatus.MOVED_PERMANENTLY)
            self.send_header("Location", f"/{self.server.token}/")
            self.end_headers()
        elif what in FILES:
            name = FILES[what]
            text = resources.files("skrobust.cli.labelling").joinpath(name).read_bytes()
            self._send(text, f"{_KINDS[name[name.rindex('.') :]]}; charset=utf-8")
        elif what == "state":
            self._send_result(self.server.page.state)
        elif what == "picture":
            self._send_picture()
        elif what is not None:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such page.")

    def do_POST(self):
        what = self._admitted()
        if what is None:
            return
        # Forms of other sites can send neither JSON nor this origin.
        if self.headers.get("Origin", self._own_origin()) != self._own_origin():
            self._refuse(HTTPStatus.FORBIDDEN, "The request is of another page.")
        elif what not in ("answer", "undo", "keep", "stop"):
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such action.")
        elif (given := self._read_json()) is None:
            self._refuse(HTTPStatus.BAD_REQUEST, "The request is no JSON object.")
        elif what == "stop":
            self._send_json({"stopped": True})
            self.server.stop()
        else:
            self._send_result(self.server.page.act, what, given.get("turn"), given)

    def _admitted(self):
        """Return what is asked for, or None where it was refused."""
        if self.headers.get("Host") not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "The request is for another host.")
            return None
        path = self.path.partition("?")[0]
        _, token, *rest = [*path.split("/"), ""][:3]
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            text = "Open the address as the terminal shows it, with its token."
            self._refuse(HTTPStatus.FORBIDDEN, text)
            return None
        return rest[0]

    def _own_origin(self):
        return f"http://{self.headers.get('Host')}"

    def _read_json(self):
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip()
        try:
            length = int(self.headers["Content-Length"])
            if kind != "application/json" or not 0 <= length <= _MOST:
                return None
            found = json.loads(self.rfile.read(length))
        except (TypeError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def _send_picture(self):
        try:
            i = int(parse_qs(self.path.partition("?")[2])["id"][0])
            kind, content = self.server.page.picture(i)
        except (KeyError, ValueError):
            self._refuse(HTTPStatus.BAD_REQUEST, "The request names no input.")
        except (UserError, OSError) as error:
            self._refuse(HTTPStatus.NOT_FOUND, str(error))
        else:
            self._send(content, kind)

    def _send_result(self, step, *given):
        try:
            facts = step(*given)
        except ConnectionAbortedError as error:  # Ctrl-C came first
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
        except Exception as error:  # what is on the disk is whole; go no further
            text = f"The terminal has ended: {one_line(error)}"
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, text)
            self.server.failure = self.server.failure or error
            self.server.stop()
        else:
            self._send_json(facts)

    def _send_json(self, facts):
        self._send(json.dumps(facts).encode(), "application/json")

    def _refuse(self, status, text):
        self._send(f"{text}\n".encode(), "text/plain; charset=utf-8", status)

    def _send(self, content, kind, status=HTTPStatus.OK):
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": len(content), **_HEADERS}
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):
        """Say nothing: the terminal shows the address and the result."""
