"""Make a virtual environment with what a requirements file names: `environment.py .venv requirements.txt`.

Needs Python 3.11 and a package index, nothing else. Debian ships Python without pip and without the part that would
make one; then pip's own wheel is fetched from the index and checked against its digest.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import venv
from pathlib import Path

NEEDS = (3, 11)


def main(directory: str, requirements: str) -> None:
    if sys.version_info < NEEDS:
        sys.exit(f"Commonplace needs Python 3.11 or newer, not {sys.version.split()[0]}: make PYTHON=python3.12 ...")
    python = Path(directory) / "bin" / "python"
    if not python.exists():
        print(f"Making {directory} ...", flush=True)
        venv.create(directory, with_pip=False, symlinks=True)
    if subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        give_pip(python)
    print(f"Installing {requirements} ...", flush=True)
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements], check=False
    )
    sys.exit(done.returncode)


def give_pip(python: Path) -> None:
    """Install pip: with ensurepip where Python has it, else from the index."""
    if not subprocess.run([python, "-m", "ensurepip", "--upgrade"], capture_output=True, check=False).returncode:
        return
    with tempfile.TemporaryDirectory() as folder:
        wheel = fetch_wheel_of_pip(Path(folder))
        subprocess.run([python, f"{wheel}/pip", "install", "--quiet", "--no-index", str(wheel)], check=True)


def fetch_wheel_of_pip(folder: Path) -> Path:
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    asked = urllib.request.Request(index, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        files = json.load(answer)["files"]
    wheels = [file for file in files if file["filename"].endswith("-py3-none-any.whl") and not file.get("yanked")]
    newest = max(wheels, key=lambda file: version_of(file["filename"]))
    path = folder / newest["filename"]
    with urllib.request.urlopen(urllib.parse.urljoin(index, newest["url"]), timeout=60) as answer:
        content = answer.read()
    if hashlib.sha256(content).hexdigest() != newest["hashes"]["sha256"]:
        sys.exit(f"{newest['filename']} is not what the index says it is. Nothing was installed.")
    path.write_bytes(content)
    return path


def version_of(filename: str) -> tuple[int, ...]:
    """The numbers of a final release; anything else sorts first."""
    parts = filename.split("-")[1].split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else ()


if __name__ == "__main__":
    main(*sys.argv[1:3])
