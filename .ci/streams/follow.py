"""Follows the events of a service, and prints the id of the pet of each: follow.py URL KEY"""

import json
import sys
import time

import httpx
from httpx_sse import connect_sse

url, key = sys.argv[1:]
headers = {"Authorization": f"Bearer {key}"}
params = {"cursor": "now"}
with httpx.Client(timeout=httpx.Timeout(5, read=30)) as client:
    while True:
        try:
            with connect_sse(client, "GET", url, headers=headers, params=params) as source:
                source.response.raise_for_status()
                for event in source.iter_sse():
                    headers["Last-Event-ID"] = event.id
                    if event.data:
                        print(json.loads(event.data)["data"]["id"], flush=True)
        except httpx.HTTPError as error:
            print(error, file=sys.stderr)
        time.sleep(0.2)
