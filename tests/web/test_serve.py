"""A model behind HTTP: answers, the page, bounds, and a stop without leftovers."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from small_models import MODELS

from laconic.cli.kinds import function_of
from laconic.models.kind import kind_named

pytestmark = pytest.mark.filterwarnings("ignore:the text has too few n-grams")
INPUTS: dict[str, Any] = {
    "classify": "sun and ice",
    "tag": ["the", "cat", "sat"],
    "parse": ["The", "dog", "ran"],
    "lm": "the sun",
    "embed": "music",
}


@pytest.mark.parametrize("kind", MODELS)
def test_every_kind_answers_what_json_can_hold(kind: str) -> None:
    found = kind_named(kind)
    assert found is not None
    answer = function_of(found, "answer")
    assert answer is not None
    model = MODELS[kind]()
    assert json.loads(json.dumps(answer(model, INPUTS[kind])))
    for wrong in (7, None, [1], {"a": "b"}, [["x", "y", "z"]]):
        with pytest.raises(ValueError, match=r"input|token"):
            answer(model, wrong)


class Served:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **headers}
        connection.request(method, path, raw, {k.replace("_", "-"): v for k, v in given.items()})
        response = connection.getresponse()
        found = response.status, response.read().decode()
        connection.close()
        return found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("served") / "model"
    MODELS["classify"]().save(path)
    command = [sys.executable, "-m", "laconic", "serve", str(path), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        assert url.startswith("http://127.0.0.1:")
        yield Served(process, int(url.rstrip("/").rpartition(":")[2]))
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_answers_and_the_page(served: Served) -> None:
    status, said = served.ask("POST", "/predict", {"inputs": ["sun", "ice"]})
    labels = [answer["label"] for answer in json.loads(said)["answers"]]
    assert status == 200 and labels == MODELS["classify"]().predict(["sun", "ice"]).tolist()
    status, page = served.ask("GET", "/")
    assert status == 200 and "Content-Security-Policy" in page
    status, described = served.ask("GET", "/openapi.json")
    assert status == 200 and json.loads(described)["openapi"] == "3.1.0"


def test_what_is_refused_is_said_and_the_server_goes_on(served: Served) -> None:
    ask = served.ask
    assert ask("POST", "/predict", {"inputs": [1]}) == (400, '{"error": "an input is a text."}')
    assert ask("POST", "/predict", b"no json")[0] == 400
    assert ask("POST", "/predict", {"inputs": ["x"] * 1001})[0] == 400
    assert ask("POST", "/predict", {"inputs": [], "more": 1})[0] == 400
    assert ask("POST", "/predict", b"", Content_Length="1000001")[0] == 413
    assert ask("POST", "/predict", {"inputs": []}, Content_Type="text/plain")[0] == 415
    assert ask("POST", "/predict", {"inputs": []}, Host="evil.example:80")[0] == 404
    assert ask("GET", "/", Host="evil.example")[0] == 404
    assert ask("GET", "/../etc/passwd")[0] == 404 and ask("POST", "/", {})[0] == 404
    assert ask("DELETE", "/")[0] == 501
    assert ask("POST", "/predict", {"inputs": []}) == (200, '{"answers": []}')
