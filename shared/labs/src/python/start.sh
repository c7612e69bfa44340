# Finds the interpreter that runs Jupyter, and prepares the Python environment of a lab with it. If that fails, the lab starts
# without it, and its log says why. The first argument is the program that serves the lab, if it is known.
program=${1:-$(command -v jupyter-lab || command -v jupyter)}
python=
if [ -n "$program" ]; then
    # The program of Jupyter names its interpreter in its first line, or has it beside itself.
    IFS= read -r line <"$program"
    case $line in
    '#!/usr/bin/env '*) ;;
    '#!/'*python*) python=${line#'#!'} python=${python%% *} ;;
    esac
    [ -x "$python" ] || python=$(dirname "$(readlink -f "$program")")/python3
fi
[ -x "$python" ] || python=$(command -v python3)
if [ -z "$python" ]; then
    echo "python: python3 is not installed, so this lab cannot keep packages; install it, then stop and start the lab" >&2
elif prepare "$python"; then
    PATH=$HOME/.atelier/python/bin:$PATH
else
    echo "python: $python cannot make a virtual environment (see above), so this lab cannot keep packages; install its" \
        "module venv, then stop and start the lab" >&2
fi
