"""Prepares the Python environment of a lab, a virtual environment in its home, and the Jupyter kernel that runs in it.

It runs at each start, by the interpreter that runs Jupyter. The packages of that interpreter can be imported in the
environment, and what a user installs goes into the environment alone. What is in order is left as it is.
"""

import importlib.util
import json
import site
import subprocess
import sys
import venv
from pathlib import Path

HOME = Path.home()
FOLDER = HOME / ".atelier" / "python"
PYTHON = FOLDER / "bin" / "python"
ACTIVATE = FOLDER / "bin" / "activate"
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
PACKAGES = FOLDER / "lib" / VERSION / "site-packages"
KERNEL = HOME / ".atelier" / "jupyter" / "kernels" / "python3" / "kernel.json"

# A shell in which another environment is active keeps that one.
ACTIVATION = """
# The Python environment of this lab. To leave it out, turn this line into a comment.
case "${VIRTUAL_ENV:-}" in ""|"$HOME/.atelier/python") . "$HOME/.atelier/python/bin/activate" ;; esac
"""
# The shared command `pip` starts the shared interpreter, so it would install there. This one starts the lab's own.
PIP = """#!/bin/sh
exec "$(dirname "$0")/python" -m pip "$@"
"""


def write(file, text, mode=0o644):
    """Replaces a file as a whole, so that a full disk leaves the previous one."""
    if file.exists() and file.read_text() == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.new")
    new.write_text(text)
    new.chmod(mode)
    new.replace(file)


def is_current():
    """Whether the environment is complete, at its place, and of this interpreter."""
    same = PYTHON.exists() and PYTHON.resolve() == Path(sys.executable).resolve()
    return same and PACKAGES.is_dir() and ACTIVATE.exists() and str(FOLDER) in ACTIVATE.read_text()


def create():
    for left in FOLDER.glob("lib/python*/site-packages"):
        if left != PACKAGES:
            print(f"python: this lab has {VERSION} now; install the packages of {left} again")
    # Without the kernel, notebooks run in that of Jupyter if this fails.
    for stale in [KERNEL, ACTIVATE, *FOLDER.glob("bin/python*"), *FOLDER.glob("bin/pip*")]:
        stale.unlink(missing_ok=True)
    # Without `pip`, whose installation takes seconds: the one of this interpreter can be imported.
    venv.EnvBuilder(system_site_packages=True, symlinks=True, with_pip=False, prompt="lab").create(FOLDER)
    print(f"python: the packages of this lab are in {FOLDER}")


def share_packages():
    """Makes the packages of this interpreter importable. They come after those of the lab. If it is in no virtual
    environment itself, its packages are those of the system, which are importable already."""
    folders = site.getsitepackages() if sys.prefix != sys.base_prefix else []
    lines = [f"import site; site.addsitedir({folder!r})\n" for folder in folders]
    write(PACKAGES / "atelier_shared.pth", "".join(lines))


def provide_pip():
    if (FOLDER / "bin" / "pip").exists():
        return
    succeeds = lambda *words: subprocess.run([PYTHON, "-I", *words], stdout=subprocess.DEVNULL).returncode == 0
    if succeeds("-c", "import importlib.util, sys; sys.exit(not importlib.util.find_spec('pip'))"):
        for name in ["pip", "pip3"]:
            write(FOLDER / "bin" / name, PIP, 0o755)
    elif not succeeds("-m", "ensurepip", "--default-pip"):
        print(f"python: {sys.executable} has neither pip nor ensurepip; install one of them and start the lab again")


def write_kernel():
    """Jupyter finds this kernel before its own, by JUPYTER_PATH. Packages cannot overwrite it: the one of `ipykernel` is
    in another folder."""
    if not importlib.util.find_spec("ipykernel"):
        KERNEL.unlink(missing_ok=True)
        return
    kernel = {
        "argv": [str(PYTHON), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "metadata": {"debugger": True},
        "env": {"VIRTUAL_ENV": str(FOLDER), "PATH": f"{FOLDER}/bin:${{PATH}}"},
    }
    write(KERNEL, json.dumps(kernel, indent=1))


def activate_in_shells():
    """Terminals may be login shells, which set PATH anew."""
    for name, is_created in [(".profile", True), (".bashrc", True), (".bash_profile", False), (".bash_login", False)]:
        file = HOME / name
        if not file.exists() and not is_created:
            continue
        text = file.read_text(errors="surrogateescape") if file.exists() else ""
        if "/.atelier/python/bin/activate" not in text:
            with file.open("a") as end:
                end.write(ACTIVATION)


if not is_current():
    create()
share_packages()
provide_pip()
write_kernel()
activate_in_shells()
