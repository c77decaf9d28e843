"""What schemathesis cannot know: which cursors are alive, and which keys are new.

A cursor is opaque, so that a generated one is rejected although it has the
right length. Wherever a case is meant to be valid, its `cursor` is replaced by
one from a `Link` header of the running service, made with the same filters. And
an `Idempotency-Key` is for one body, so that an example which is
sent with many is rejected: there each gets a number of its own, in the form that
it has. Cases that are meant to be rejected are not changed.
"""

import functools
import itertools
import json
import os
import urllib.parse

import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation


@schemathesis.hook
def before_call(context, case, kwargs):
    # A query that was taken from an example unchanged is not listed at all.
    query = case.meta and case.meta.components.get(ParameterLocation.QUERY)
    is_meant_to_be_refused = query and query.mode.is_negative
    if "cursor" in case.query and not is_meant_to_be_refused:
        case.query.update(live_query(case.operation, case.query))

    headers = case.meta and case.meta.components.get(ParameterLocation.HEADER)
    is_meant_to_be_refused = headers and headers.mode.is_negative
    if "Idempotency-Key" in case.headers and not is_meant_to_be_refused:
        case.headers["Idempotency-Key"] = new_key(case.headers["Idempotency-Key"])
    if "Last-Event-ID" in case.headers and not is_meant_to_be_refused:
        case.headers["Last-Event-ID"] = live_cursor_of_events(case.operation.base_url)


@schemathesis.serializer("application/jsonl")
def as_line(context, value):
    """A body of one line."""
    return value if isinstance(value, bytes) else json.dumps(value).encode()


NUMBERS = itertools.count(1)


def new_key(key):
    """A key of the same form that is not used yet, and about as long."""
    number = f"{next(NUMBERS)}-"
    if key.startswith('"'):
        # An escape is two characters: not cut in the middle.
        return f'"{number}{key[1:]}' if len(key) + len(number) <= 257 else f'"{number}"'
    return (number + key)[:255]


def live_query(operation, query):
    """The cursor, and what else of the query has to change with it."""
    base_url, status = operation.base_url, query.get("status")
    if "/events" in operation.path:
        # No case waits for events that nothing causes.
        return {"cursor": live_cursor_of_events(base_url)} | ({"wait": 0} if "wait" in query else {})
    if operation.path.endswith("/deliveries"):
        # Without `--webhook-key-file` there are no webhooks.
        return {}
    if not operation.path.endswith("/orders"):
        return {"cursor": live_cursor_of_pets(base_url, status)}
    if "petId" not in query:
        return {"cursor": live_cursor_of_orders(base_url, status)[0]}
    # A pet has one order at most that is not cancelled, and so no second page.
    cursor, pet = live_cursor_of_orders(base_url, "cancelled", of_one_pet=True)
    return {"cursor": cursor, "petId": pet, "status": "cancelled"}


@functools.cache
def live_cursor_of_pets(base_url, status):
    """A cursor behind which at least one pet follows."""
    for _ in range(2):
        add_pet(base_url, status)
    return next_cursor(base_url, "/pets", {"status": status})


@functools.cache
def live_cursor_of_events(base_url):
    """A cursor behind which at least one event follows."""
    for _ in range(2):
        add_pet(base_url, None)
    return next_cursor(base_url, "/events", {})


@functools.cache
def live_cursor_of_orders(base_url, status, of_one_pet=False):
    """A cursor behind which at least one order follows, and the last one's pet."""
    steps = {"approved": ["approved"], "delivered": ["approved", "delivered"], "cancelled": ["cancelled"]}
    pet = None
    for _ in range(2):
        if pet is None or not of_one_pet:
            pet = add_pet(base_url, "available")
        order = ask("POST", f"{base_url}/store/orders", json={"petId": pet}).json()
        for step in steps.get(status, []):
            ask("PATCH", f"{base_url}/store/orders/{order['id']}", json={"status": step})
    filters = {"status": status, "petId": pet if of_one_pet else None}
    return next_cursor(base_url, "/store/orders", filters), pet


def add_pet(base_url, status):
    pet = {"name": "Rex", "categoryId": 7} | ({"status": status} if status else {})
    return ask("POST", f"{base_url}/pets", json=pet).json()["id"]


def next_cursor(base_url, path, filters):
    filters = {"limit": 1} | {name: value for name, value in filters.items() if value is not None}
    target = ask("GET", base_url + path, params=filters).links["next"]["url"]
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(target).query))["cursor"]


def ask(method, url, **request):
    headers = {"Authorization": f"Bearer {os.environ['PETSTORE_API_KEY']}"}
    answer = requests.request(method, url, headers=headers, timeout=10, **request)
    answer.raise_for_status()
    return answer
