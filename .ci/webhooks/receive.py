"""Verifies webhooks with the library of Standard Webhooks, and prints the id of each event: receive.py SECRET"""

import http.server
import json
import sys

from standardwebhooks.webhooks import Webhook

webhook = Webhook(sys.argv[1])


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        event = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        if event["type"] != "endpoint.verification":
            print(event["id"], flush=True)
        response = event.get("challenge", "").encode()
        self.send_response(200)
        self.send_header("content-length", str(len(response)))
        self.end_headers()
        self.wfile.write(response)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        # The service was killed, or a signature was not valid, which ends the connection without a response.
        print(sys.exc_info()[1], file=sys.stderr)


server = Server(("127.0.0.1", 0), Receiver)
print(f"http://127.0.0.1:{server.server_port}/events", flush=True)
server.serve_forever()
