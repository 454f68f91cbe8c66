"""What tests of model files share: a file that must be refused."""

from pathlib import Path

import pytest

from laconic.errors import InputError
from laconic.models import file as files
from laconic.models.save import load


def refused(tmp_path: Path, file: files.ModelFile) -> str:
    """The one sentence with which a file of these contents is refused; it names the file."""
    files.save(tmp_path / "bad", file.kind, file.arrays, file.meta)
    with pytest.raises(InputError) as caught:
        load(tmp_path / "bad")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'bad'}: ") and "\n" not in message
    return message


def check_damage(path: Path, file: files.ModelFile) -> None:
    """Flipped bits and cut ends of a file of these contents are refused."""
    files.save(path, file.kind, file.arrays, file.meta)
    content = path.read_bytes()
    flipped = (
        content[: bit // 8] + bytes([content[bit // 8] ^ 1 << bit % 8]) + content[bit // 8 + 1 :]
        for bit in range(0, 8 * len(content), 101)
    )
    for damaged in (*flipped, *(content[:length] for length in range(0, len(content), 97))):
        path.write_bytes(damaged)
        with pytest.raises(InputError):
            load(path)
