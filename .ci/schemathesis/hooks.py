"""What schemathesis cannot know: which cursors are alive, and which keys are new.

A cursor is opaque, so that a generated one is refused although it has the
right length. Wherever a case is meant to be valid, its `cursor` is replaced by
one from a `Link` header of the running service, made with the same `status`
filter. And an `Idempotency-Key` is for one body, so that an example which is
sent with many is refused: there each gets a number of its own, in the form that
it has. Cases that are meant to be refused are left as they are.
"""

import functools
import itertools
import os
import urllib.parse

import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation


@schemathesis.hook
def before_call(context, case, kwargs):
    # A query that was taken from an example as it stands is not listed at all.
    query = case.meta and case.meta.components.get(ParameterLocation.QUERY)
    is_meant_to_be_refused = query and query.mode.is_negative
    if "cursor" in case.query and not is_meant_to_be_refused:
        case.query["cursor"] = live_cursor(case.operation.base_url, case.query.get("status"))


    headers = case.meta and case.meta.components.get(ParameterLocation.HEADER)
    is_meant_to_be_refused = headers and headers.mode.is_negative
    if "Idempotency-Key" in case.headers and not is_meant_to_be_refused:
        case.headers["Idempotency-Key"] = new_key(case.headers["Idempotency-Key"])


NUMBERS = itertools.count(1)


def new_key(key):
    """A key of the same form that nobody has used, and about as long."""
    number = f"{next(NUMBERS)}-"
    if key.startswith('"'):
        # An escape is two characters: not cut in the middle.
        return f'"{number}{key[1:]}' if len(key) + len(number) <= 257 else f'"{number}"'
    return (number + key)[:255]


@functools.cache
def live_cursor(base_url, status):
    """A cursor behind which at least one pet follows."""
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {os.environ['PETSTORE_API_KEY']}"
    pets = f"{base_url}/pets"
    pet = {"name": "Rex", "categoryId": 7} | ({"status": status} if status else {})
    for _ in range(2):
        session.post(pets, json=pet, timeout=10).raise_for_status()

    filters = {"limit": 1} | ({"status": status} if status else {})
    page = session.get(pets, params=filters, timeout=10)
    page.raise_for_status()
    target = page.links["next"]["url"]
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(target).query))["cursor"]
