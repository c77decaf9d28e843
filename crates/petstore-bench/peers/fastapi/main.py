"""A peer of the bench: the pet store as it is usually written with FastAPI and the sqlite3
of Python, served by uvicorn with a process for each processor. One commit for each
creation, a look-up of the key for each request; no log, no metrics, no limits. Errors have
the format of FastAPI.

    main.py FILE
"""

import ctypes
import hashlib
import os
import signal
import socket
import sqlite3
import sys
from enum import StrEnum
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Response
from pydantic import BaseModel
from uvicorn.supervisors import Multiprocess

# The bench kills the first process, which imports this module under another name; the others end with it.
if __name__ == "main":
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

COLUMNS = "SELECT name, category_id, status, id FROM pets"


class Status(StrEnum):
    AVAILABLE = "available"
    PENDING = "pending"
    SOLD = "sold"


class NewPet(BaseModel):
    name: str
    categoryId: int
    status: Status | None = None


class Pet(NewPet):
    id: int


app = FastAPI(openapi_url=None)
connections: list[sqlite3.Connection] = []


def connect(file: str) -> sqlite3.Connection:
    db = sqlite3.connect(file, isolation_level=None, timeout=5)
    db.execute("PRAGMA journal_mode = wal")
    db.execute("PRAGMA synchronous = full")
    return db


# The handlers are coroutines: a read takes microseconds, less than the hand-over to a
# thread. A commit blocks this process, as it would block the others of the pool.
async def store(authorization: Annotated[str, Header()] = "") -> sqlite3.Connection:
    if not connections:
        connections.append(connect(os.environ["PETS_FILE"]))
    db = connections[0]
    digest = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).digest()
    known = db.execute(
        "SELECT EXISTS (SELECT 1 FROM api_keys WHERE hash = ? AND revoked_at IS NULL)",
        (digest,),
    )
    if not authorization.startswith("Bearer ") or not known.fetchone()[0]:
        message = "send a valid API key as `Authorization: Bearer <API_KEY>`"
        raise HTTPException(401, message)
    return db


Store = Annotated[sqlite3.Connection, Depends(store)]


def pet(row: tuple) -> Pet:
    name, category_id, status, id = row
    return Pet(name=name, categoryId=category_id, status=status, id=id)


@app.get("/v1/pets", response_model=list[Pet], response_model_exclude_none=True)
async def list_pets(
    db: Store,
    response: Response,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    status: Status | None = None,
    cursor: int = 0,
):
    # One more row than the page holds shows whether there are more pages.
    if status is None:
        rows = db.execute(
            f"{COLUMNS} WHERE id > ? ORDER BY id LIMIT ?", (cursor, limit + 1)
        )
    else:
        rows = db.execute(
            f"{COLUMNS} WHERE status = ? AND id > ? ORDER BY id LIMIT ?",
            (status, cursor, limit + 1),
        )
    found = rows.fetchall()
    pets = [pet(row) for row in found[:limit]]
    if len(found) > limit:
        of_status = f"&status={status}" if status else ""
        following = f"?limit={limit}{of_status}&cursor={pets[-1].id}"
        response.headers["Link"] = f'<{following}>; rel="next"'
    return pets


@app.get("/v1/pets/{pet_id}", response_model=Pet, response_model_exclude_none=True)
async def get_pet(db: Store, pet_id: int):
    row = db.execute(f"{COLUMNS} WHERE id = ?", (pet_id,)).fetchone()
    if row is None:
        raise HTTPException(404, "there is no such pet")
    return pet(row)


@app.post(
    "/v1/pets", status_code=201, response_model=Pet, response_model_exclude_none=True
)
async def create_pet(db: Store, new: NewPet):
    row = (new.name, new.categoryId, new.status)
    insert = "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)"
    return pet((*row, db.execute(insert, row).lastrowid))


def serve(file: str):
    os.environ["PETS_FILE"] = file
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    host, port = listener.getsockname()
    config = uvicorn.Config(
        "main:app",
        loop="uvloop",
        http="httptools",
        log_level="warning",
        access_log=False,
        workers=os.cpu_count(),
    )
    # The connections wait in the queue of the socket until the processes have started.
    print(f"listening on http://{host}:{port}/v1", flush=True)
    Multiprocess(config, sockets=[listener]).run()


if __name__ == "__main__":
    serve(sys.argv[1])
