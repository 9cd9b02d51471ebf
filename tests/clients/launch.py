"""Starts a server for a client and notes how it ended: `launch.py NOTES COMMAND…`.

Clients start servers themselves and keep the exit code to themselves; this stands in between. A client that has to kill
the server kills this, too, and no code is noted.
"""

import json
import subprocess
import sys

notes, command = sys.argv[1], sys.argv[2:]
process = subprocess.Popen(command)
with open(notes, "w") as file:
    json.dump({"pid": process.pid}, file)
code = process.wait()
with open(notes, "w") as file:
    json.dump({"pid": process.pid, "code": code}, file)
