"""Reads a vault and prints its items as JSON.

Written from the documentation's page on the format, with Python's own library alone.
"""
import argparse, hashlib, hmac, json, pathlib, struct
from aes_gcm import open_sealed

def sha256(data): return hashlib.sha256(data).digest()

def hkdf(key, salt, purpose):
    extracted = hmac.new(salt, key, hashlib.sha256).digest()
    return hmac.new(extracted, purpose.encode() + b"\1", hashlib.sha256).digest()

class Reader:
    def __init__(self, data): self.data, self.at = data, 0
    def take(self, n):
        if n > len(self.data) - self.at: raise ValueError("too short")
        self.at += n
        return self.data[self.at - n:self.at]
    def number(self, form): return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]
    def counted(self): return self.take(self.number("I"))
    def rest(self): return self.take(len(self.data) - self.at)
    def __bool__(self): return self.at < len(self.data)

def check(holds, what):
    if not holds: raise ValueError(what)

def pad(n):
    m = max(n, 64)
    e = m.bit_length() - 1
    step = max(1 << max(e - e.bit_length(), 0), 64)
    return -(-m // step) * step

def check_padding(reader):
    padded = pad(reader.at)
    check(not any(reader.rest()) and reader.at == padded, "padding")

def records(data):
    check(data[:12] == b"LocketV\n" + struct.pack("<I", 3), "header")
    check(data[16:32] == sha256(data[:16])[:16], "header's digest")
    last, frames = struct.unpack("<I", data[12:16])[0], [0]
    file = Reader(data[32:])
    while any(file.data[file.at:]):
        frames.append(32 + file.at)
        check(file.take(4) == b"\xF5LKR", "magic number")
        n, inverted, digest = file.number("I"), file.number("I"), file.take(32)
        payload = file.take(n)
        check(inverted == n ^ 0xFFFFFFFF and digest == sha256(payload), "frame")
        yield payload
    check(last in frames, "offset of the last frame that was written with the file")

SLOTS = {1: "device", 2: "passphrase", 3: "key file", 4: "credential", 5: "recovery code"}

def user_key(slots, identifier, given):
    """The user key, by what is given for one type of slot: the type and the bytes."""
    wanted, key = given
    for slot in slots:
        reader = Reader(slot)
        reader.number("I"), reader.counted()
        kind = reader.number("B")
        if kind != wanted or key is None: continue
        if kind == 2:
            n, r, p = 1 << reader.number("B"), reader.number("I"), reader.number("I")
            check(n * r * p >= 1 << 17, "too little work")
        if kind == 4: reader.counted()
        salt, expected = reader.counted(), kind != 1 and reader.counted()
        sealed, material = reader.counted(), key
        check(not reader, "slot")
        if kind == 2:
            material = hashlib.scrypt(key, salt=salt, n=n, r=r, p=p, dklen=32, maxmem=2**31 - 1)
        if expected and hkdf(material, salt, f"locket {SLOTS[kind]} check")[:16] != expected: continue
        return open_sealed(hkdf(material, salt, f"locket {SLOTS[kind]} slot"), identifier, sealed)
    raise ValueError("no slot opens")

def table_sections(record):
    salt, subject, start = record.take(32), record.take(16), record.number("Q")
    table = Reader(record.counted())
    identifier, sections = table.take(16), []
    while table: sections.append((table.number("B"), table.counted()))
    return salt, subject, start, identifier, sections

def newest_user_key(tables, given):
    *_, identifier, sections = table_sections(Reader(tables[-1][41:]))
    return user_key([body for kind, body in sections if kind == 1], identifier, given)

def newest_end(tables):
    for table in tables:
        *_, sections = table_sections(Reader(table[41:]))
        ends = [struct.unpack("<Q", body)[0] for tag, body in sections if tag == 16]
        check(len(ends) == 1, "end")
    return ends[0]

def open_table(record, user, device):
    salt, subject, start, identifier, sections = table_sections(record)
    linked, tags = record.data[:record.at], []
    for _ in range(record.number("B")): tags.append((record.number("I"), record.take(16)))
    open_sealed(hkdf(user, salt, "locket key table"), record.data[:record.at], record.take(16))
    check(not record, "table")
    outers, keys = {1: user, 2: device, 3: device and user + device}, {}
    for body in (Reader(body) for kind, body in sections if kind == 2):
        number, purpose = body.number("I"), body.number("B")
        while body:
            wrapping, salt, sealed = body.number("B"), body.counted(), body.counted()
            context = identifier + struct.pack("<IBB", number, purpose, wrapping)
            if not outers[wrapping]: continue
            key = purpose, open_sealed(hkdf(outers[wrapping], salt, "locket key"), context, sealed)
            check(keys.setdefault(number, key) == key, "copies of a key differ")
    expected = [number for number, (purpose, _) in keys.items() if purpose == 66]
    expected.append([number for number, (purpose, _) in keys.items() if purpose == 65][-1])
    check([number for number, _ in tags] == expected, "continuity tags")
    record_salt = record.data[41:73]
    for number, tag in tags:
        purpose, link = keys[number]
        if purpose == 65: link = hkdf(link, identifier, "locket continuity")
        open_sealed(hkdf(link, record_salt, "locket key table"), linked, tag)
    return identifier, keys, subject, start

FIELDS = {1: "service", 2: "account", 3: "server", 4: "securityDomain", 5: "protocol",
          6: "authenticationType", 7: "port", 8: "path", 16: "label", 17: "comment",
          18: "itemDescription", 19: "creator", 20: "type", 21: "isInvisible"}
NUMBERS = {7: "<H", 19: "<I", 20: "<I", 21: "<B"}

def open_constrained(payload, item, identity, password):
    reader = Reader(payload)
    enrolled = reader.counted()
    check(len(enrolled) == (32 if item["flags"] & 4 else 0), "enrolled set")
    item["enrolledSet"] = enrolled.hex()
    if not item["flags"] & 16: return reader.rest()
    n, r, p = 1 << reader.number("B"), reader.number("I"), reader.number("I")
    salt, sealed = reader.take(32), reader.rest()
    if password is None: return None
    stretched = hashlib.scrypt(password, salt=salt, n=n, r=r, p=p, dklen=32, maxmem=2**31 - 1)
    context = bytes([item["class"]]) + b"".join(identity[tag] for tag in sorted(identity))
    return open_sealed(hkdf(stretched, salt, "locket application password"), context, sealed)

def entries(record, identifier, keys, password):
    salt, number, n = record.take(32), record.number("I"), record.number("I")
    key, context = hkdf(keys[number][1], salt, "locket attributes"), identifier + record.data[:record.at]
    reader, found = Reader(open_sealed(key, context, record.take(n + 16))), []
    subject = reader.take(16)
    for _ in range(reader.number("I")):
        put, name, revision = reader.number("B"), reader.take(16), reader.number("Q")
        item = None
        if put == 1:
            item = {"name": name.hex(), "revision": revision, "created": reader.number("q"),
                    "modified": reader.number("q"), "class": reader.number("B"),
                    "accessibility": reader.number("B"), "flags": reader.number("I")}
            sealing = reader.take(13)
            key = keys.get(struct.unpack("<QIB", sealing)[1], (0, None))[1]
            salt, sealed = reader.take(32), record.take(reader.number("I"))
            fields, identity = Reader(reader.counted()), {}
            while fields:
                tag, content = fields.number("B"), fields.counted()
                if tag <= 8: identity[tag] = struct.pack("<BI", tag, len(content)) + content
                item[FIELDS[tag]] = (struct.unpack(NUMBERS[tag], content)[0] if tag in NUMBERS
                                     else content.decode())
            if key:
                context = identifier + name + sealing
                if item["flags"]: context += struct.pack("<I", item["flags"])
                secret = Reader(open_sealed(hkdf(key, salt, "locket secret"), context, sealed))
                payload = secret.counted()
                check_padding(secret)
                if item["flags"]: payload = open_constrained(payload, item, identity, password)
                if payload is not None: item["secret"] = payload.hex()
        found.append((name, revision, item))
    check_padding(reader)
    check(not record, "secrets")
    return found, subject

def follow_chain(vault, device, given, password):
    """All items by name, and what the next record follows."""
    items, last, last_subject, begin, payloads = {}, None, b"\xFF" * 16, None, list(records(vault))
    user = newest_user_key([payload for payload in payloads if payload[0] == 1], given)
    for payload in payloads:
        record = Reader(payload)
        kind, sequence, predecessor = record.number("B"), record.number("Q"), record.take(32)
        if kind == 1:
            identifier, keys, subject, start = open_table(record, user, device)
            begin, own = begin or start, b"\xFF" * 16
            check(start == begin, "first record of the file")
        else:
            found, subject = entries(record, identifier, keys, password)
            own = found[0][0] if len(found) == 1 else bytes(16)
            for name, revision, item in found:
                if item: items[name] = item
                elif name in items and items[name]["revision"] == revision: del items[name]
        if last:
            expected = last[0] + 1, sha256(last[1]), last_subject
            check((sequence, predecessor, subject) == expected, "chain")
        else: check(sequence == start and (start > 1 or not any(predecessor)), "first record")
        last, last_subject = (sequence, payload), own
    return items, identifier, keys, (last[0], sha256(last[1]), last_subject)

def state_file(head, predecessor):
    content = b"LocketS\n" + struct.pack("<Q", head[0]) + head[1] + head[2] + predecessor
    return content + sha256(content)[:16]

def with_table(state, vault, identifier, keys):
    payload = [payload for payload in records(vault) if payload[0] == 1][-1]
    table = Reader(Reader(payload[97:]).counted())
    table.take(16)
    types = 0
    while table:
        tag, content = table.number("B"), Reader(table.counted())
        content.number("I")
        if tag == 1:
            content.counted()
            types |= 1 << min(content.number("B"), 63)
    newest = [key for purpose, key in keys.values() if purpose == 65][-1]
    link = hkdf(newest, identifier, "locket continuity")
    content = state + struct.pack("<Q", types) + hkdf(link, identifier, "locket generation")[:16] + payload[89:97]
    return content + sha256(content)[:16]

def read(*options):
    parser = argparse.ArgumentParser()
    for name in ("vault", "state", *options): parser.add_argument(name)
    for name in ("--passphrase", "--key-file", "--credential", "--recovery-code", "--application-password"):
        parser.add_argument(name)
    parser.add_argument("--export", action="store_true")
    arguments = parser.parse_args()
    device, state = None, pathlib.Path(arguments.state)
    if (state / "device.key").exists():
        machine = pathlib.Path("/etc/machine-id")
        salt = machine.read_bytes()[:256] if machine.exists() else b""
        if salt in (b"uninitialized", b"uninitialized\n"): salt = b""
        device = hkdf((state / "device.key").read_bytes(), salt, "locket device")
    vault = pathlib.Path(arguments.vault).read_bytes()
    given = 1, device
    if arguments.passphrase: given = 2, arguments.passphrase.encode()
    if arguments.key_file: given = 3, pathlib.Path(arguments.key_file).read_bytes()
    if arguments.credential: given = 4, pathlib.Path(arguments.credential).read_bytes()
    if arguments.recovery_code: given = 5, arguments.recovery_code.replace("-", "").encode()
    password = arguments.application_password and arguments.application_password.encode()
    items, identifier, keys, head = follow_chain(vault, device, given, password)
    state /= identifier.hex() + ".state"
    end = newest_end([payload for payload in records(vault) if payload[0] == 1])
    check(0 < end <= head[0], "end")
    if arguments.export: check(end == head[0] and not state.exists(), "end of an export")
    else:
        expected = state_file(head, list(records(vault))[-1][9:41])
        known = expected, with_table(expected, vault, identifier, keys)
        check(state.read_bytes() in known, "state")
    return arguments, state, items, identifier, keys, head

if __name__ == "__main__":
    _, _, items, _, _, _ = read()
    found = sorted(items.values(), key=lambda item: item["created"])
    print(json.dumps([{name: str(value) for name, value in item.items()} for item in found]))
