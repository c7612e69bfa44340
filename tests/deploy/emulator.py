"""Starts ministack like its own command, with a fix for one defect."""

import http.server

from ministack.app import main

# ministack sends a function its event again each time it polls for the next one, until it is stopped. On a busy machine
# a request then runs twice, and the caller gets the second answer (a 412 for a PATCH with If-Match). Each server of the
# runtime API, which ministack creates for one request, therefore answers only the first poll.
Handler = http.server.BaseHTTPRequestHandler
parse_request = Handler.parse_request


def parse_once(self):
    if not parse_request(self):
        return False
    if not self.path.endswith("/runtime/invocation/next"):
        return True
    is_first = not getattr(self.server, "has_served", False)
    self.server.has_served = True
    return is_first


Handler.parse_request = parse_once

if __name__ == "__main__":
    main()
