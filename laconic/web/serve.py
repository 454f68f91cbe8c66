"""A model behind HTTP on this machine: its page, and answers as JSON."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from laconic.errors import InputError
from laconic.models.strict_json import parse_json
from laconic.version import __version__

HOST = "127.0.0.1"
LOCAL = ("localhost", HOST)
MOST_BYTES = 1_000_000  # of a request
MOST_INPUTS = 1000  # in a request
SECONDS = 30  # that a client may take to say something

Answer = Callable[[Any], Any]


class Refused(Exception):
    """A request that is not answered: its status, and one sentence."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def openapi(kind: str, said: str) -> dict[str, Any]:
    """Return the description of the interface, in the form of OpenAPI 3.1."""
    body = {
        "type": "object",
        "required": ["inputs"],
        "properties": {"inputs": {"type": "array", "maxItems": MOST_INPUTS}},
    }
    answers = {"type": "object", "properties": {"answers": {"type": "array"}}}
    failed = {"type": "object", "properties": {"error": {"type": "string"}}}

    def response(text: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {"description": text, "content": {"application/json": {"schema": schema}}}

    predict = {
        "summary": f"Answers of a model of the kind {kind}, one per input.",
        "description": said,
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {
            "200": response("The answers.", answers),
            "4XX": response("What was wrong, in a sentence.", failed),
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": f"laconic: {kind}", "version": __version__},
        "paths": {"/predict": {"post": predict}},
    }


class ModelServer(ThreadingHTTPServer):
    """A server on the loopback address; `serve_forever` runs it, `shutdown` stops it.

    Parameters
    ----------
    page : str
        The page at /.
    kind : str
        The kind of the model.
    answer : callable
        Returns the answer to one input; a ValueError says what is wrong with it.
    port : int
        0 for any that is free.
    """

    daemon_threads = True

    def __init__(self, page: str, kind: str, answer: Answer, port: int) -> None:
        super().__init__((HOST, port), Handler)
        described = json.dumps(openapi(kind, answer.__doc__ or ""))
        self.documents = {
            "/": ("text/html", page),
            "/openapi.json": ("application/json", described),
        }
        self.answer, self.lock = answer, threading.Lock()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: ModelServer
    server_version, sys_version, timeout = f"laconic/{__version__}", "", SECONDS

    def do_GET(self) -> None:
        """Send the page, or the description."""
        documents = self.server.documents
        if self._is_local() and self.path in documents:
            self._send(HTTPStatus.OK, *documents[self.path])
        else:
            self._say(HTTPStatus.NOT_FOUND, "there are /, /openapi.json and POST /predict.")

    def do_POST(self) -> None:
        """Send the answers."""
        try:
            inputs = _inputs_of(self._body())
            with self.server.lock:
                found = json.dumps({"answers": [self.server.answer(one) for one in inputs]})
            self._send(HTTPStatus.OK, "application/json", found)
        except Refused as error:
            self._say(error.status, str(error))
        except ValueError as error:
            self._say(HTTPStatus.BAD_REQUEST, str(error))

    def _body(self) -> bytes:
        """Return the body of a request, which is read only if it is one that is answered."""
        self.close_connection = True
        if not self._is_local() or self.path != "/predict":
            raise Refused(HTTPStatus.NOT_FOUND, "only /predict takes a POST.")
        # Forms of other pages cannot send this type without being asked first.
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send application/json.")
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "say how long the request is.")
        if len(length) > 9 or int(length) > MOST_BYTES:
            sentence = f"a request has at most {MOST_BYTES:,} bytes."
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence)
        return self.rfile.read(int(length))

    def _is_local(self) -> bool:
        """Return whether this machine was asked by its own name: other names may be tricks."""
        return self.headers.get("Host", "").rpartition(":")[0] in LOCAL

    def _say(self, status: HTTPStatus, sentence: str) -> None:
        self._send(status, "application/json", json.dumps({"error": sentence}))

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing: texts may be private."""


def _inputs_of(body: bytes) -> list[Any]:
    given = parse_json(body, "request")
    inputs = given.get("inputs")
    if given.keys() != {"inputs"} or not isinstance(inputs, list) or len(inputs) > MOST_INPUTS:
        raise InputError(f'expected {{"inputs": [..]}} with at most {MOST_INPUTS} inputs.')
    return inputs
