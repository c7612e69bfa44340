"""Starts ministack as its own command does, less one fault."""

import http.server

from ministack.app import main

# ministack serves a function its event again each time it asks for the next one, until it is stopped: on a busy
# machine a request runs twice, and the caller gets the second answer (a PATCH with If-Match, say, a 412). So each
# server of the runtime API, which ministack makes for one request, answers the first such question only.
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
