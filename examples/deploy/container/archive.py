#!/usr/bin/env python3
"""Writes an OCI archive whose bytes depend on nothing but the files in it.

Each folder becomes a layer. All files belong to root, except for the volumes of
the settings, which belong to the user of the image. Needs Python 3.9 and nothing else.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import tarfile
import time

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--architecture", required=True)
    parser.add_argument("--owner", type=int, required=True, help="the user of the image")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("layers", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()

    settings = json.loads(arguments.settings.read_text())
    settings["User"] = f"{arguments.owner}:{arguments.owner}"
    labels = settings.setdefault("Labels", {})
    labels["org.opencontainers.image.version"] = arguments.version
    labels["org.opencontainers.image.created"] = CREATED

    blobs = {}
    volumes = {path.strip("/") for path in settings.get("Volumes", {})}
    layers, diffs = [], []
    for folder in arguments.layers:
        layer = tar_of_folder(folder, volumes, arguments.owner)
        diffs.append(digest(layer))
        layers.append(add(blobs, gzip.compress(layer, 9, mtime=0), "image.layer.v1.tar+gzip"))
    config = {
        "created": CREATED,
        "architecture": arguments.architecture,
        "os": "linux",
        "config": settings,
        "rootfs": {"type": "layers", "diff_ids": diffs},
        "history": [{"created": CREATED, "created_by": f"files of the {part}"} for part in parts(len(layers))],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": add(blobs, as_json(config), "image.config.v1+json"),
        "layers": layers,
        "annotations": labels,
    }
    image = add(blobs, as_json(manifest), "image.manifest.v1+json")
    image["platform"] = {"architecture": arguments.architecture, "os": "linux"}
    name = f"{labels['org.opencontainers.image.title']}:{arguments.version}"
    image["annotations"] = {"org.opencontainers.image.ref.name": name}
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [image],
    }

    files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}', "index.json": as_json(index)}
    files |= {f"blobs/sha256/{name}": content for name, content in blobs.items()}
    with tarfile.open(arguments.output, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            put(archive, tarfile.TarInfo(name), files[name])
    print(f"{arguments.output}: {arguments.output.stat().st_size} bytes, {image['digest']}")


def parts(count):
    return ["libraries"] * (count - 1) + ["program"]


def tar_of_folder(folder, volumes, owner):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            entry = tarfile.TarInfo(name)
            entry.mode = 0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644
            if name in volumes:
                entry.uid = entry.gid = owner
                entry.mode = 0o700
            elif name == "tmp":
                entry.mode = 0o1777
            if path.is_symlink():
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
                put(archive, entry, b"")
            elif path.is_dir():
                entry.type = tarfile.DIRTYPE
                put(archive, entry, b"")
            else:
                # Without the executable bit of a library, ldd complains; the loader does not.
                put(archive, entry, path.read_bytes())
    return buffer.getvalue()


def put(archive, entry, content):
    entry.mtime = EPOCH
    entry.size = len(content)
    if not entry.mode:
        entry.mode = 0o644
    archive.addfile(entry, io.BytesIO(content))


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def add(blobs, content, media_type):
    name = digest(content)
    blobs[name.removeprefix("sha256:")] = content
    return {"mediaType": f"application/vnd.oci.{media_type}", "digest": name, "size": len(content)}


def as_json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


main()
