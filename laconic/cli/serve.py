"""`laconic serve`: a model on a port of this machine, as a page and as answers in JSON."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

from laconic.cli.console import print_result
from laconic.cli.kinds import function_of, loaded
from laconic.cli.options import AsJson, ModelPath
from laconic.errors import InputError
from laconic.models.option import Option


def serve(
    model_path: ModelPath,
    *,
    port: Annotated[
        int, Option("The port; 0 for any that is free.", metavar="N", minimum=0)
    ] = 8000,
    as_json: AsJson = False,
) -> None:
    """Show a model in a browser, and answer requests of this machine, until Ctrl-C.

    POST /predict takes {"inputs": [..]}, texts or lists of tokens, and returns {"answers": [..]};
    /openapi.json describes it. Only this machine can connect.
    """
    from laconic.models.save import storable_form
    from laconic.web.export import page_with
    from laconic.web.serve import HOST, ModelServer

    if port > 65535:
        raise InputError(f"--port is from 0 to 65535, not {port}.")
    model = loaded(model_path)
    kind = storable_form(model).kind
    answer = function_of(kind, "answer")
    if answer is None:
        raise InputError(f"models of the kind {kind.name!r} are not served.")
    page = page_with(model, Path(model_path).name)
    bound = partial(answer, model)
    bound.__doc__ = answer.__doc__
    try:
        server = ModelServer(page, kind.name, bound, port)
    except OSError as error:
        raise InputError(
            f"port {port} cannot be used ({error.strerror}): choose another with --port."
        ) from None
    with server, suppress(KeyboardInterrupt):
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, _stop)
        url = f"http://{HOST}:{server.server_address[1]}/"
        print_result({"model": model_path, "kind": kind.name, "url": url}, as_json)
        sys.stdout.flush()
        server.serve_forever()


def _stop(*_: object) -> None:
    raise KeyboardInterrupt
