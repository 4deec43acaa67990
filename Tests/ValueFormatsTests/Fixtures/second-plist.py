# A second reader and writer of property lists: `read PATH FORMAT`, `write PATH FORMAT COUNT SEED`,
# and `check PATH` for a list of damaged files.
import datetime, plistlib, random, re, struct, sys
def bits(v): return "%x" % struct.unpack(">Q", struct.pack(">d", v))[0]
def quoted(text):
    return "\"" + "".join(c if " " <= c <= "~" and c not in "\"\\" else "\\u{%x}" % ord(c) for c in text) + "\""
def dump(v):
    if v is True: return "true"
    if v is False: return "false"
    if isinstance(v, plistlib.UID): return "u%d" % v.data
    if isinstance(v, int): return "i%d" % v
    if isinstance(v, float):
        return "r7ff8000000000000" if v != v else "r" + bits(v)
    if isinstance(v, str): return quoted(v)
    if isinstance(v, bytes): return "x" + v.hex()
    if isinstance(v, datetime.datetime):
        delta = v - datetime.datetime(2001, 1, 1)
        return "d" + bits(((delta.days * 86400 + delta.seconds) * 1000000 + delta.microseconds) / 1000000)
    if isinstance(v, list): return "[" + ",".join(map(dump, v)) + "]"
    return "{" + ",".join(sorted(quoted(k) + ":" + dump(e)
                                 for k, e in v.items())) + "}"

mode = sys.argv[1]
if mode != "check": format = getattr(plistlib, sys.argv[3])
if mode == "read":
    with open(sys.argv[2], "rb") as file:
        values = plistlib.load(file, fmt=format)
    for key, value in values.items(): print(quoted(key), dump(value))
elif mode == "write":
    random.seed(int(sys.argv[5]))
    def text():
        return "".join(random.choice("ab <&>]\\'\"\n\u00e9\u20ac\U0001f600\u007f$") for _ in
                       range(random.choice([0, 1, 5, 14, 15, 16, 300])))
    def value(depth):
        kind = random.randrange(10 if depth < 4 else 8)
        if kind == 0: return random.random() < 0.5
        if kind == 1: return random.randrange(-2**random.randrange(1, 64), 2**random.randrange(1, 65))
        if kind == 2: return random.choice([0.5, -0.0, 1e300, 5e-324, float("inf"), float("-inf"),
                                            float("nan"), random.random(), random.random() * 1e9])
        if kind == 3: return random.randbytes(random.choice([0, 1, 14, 15, 100, 300]))
        if kind == 4: return datetime.datetime(random.randrange(1, 10000), random.randrange(1, 13),
                                               random.randrange(1, 29), random.randrange(24),
                                               random.randrange(60), random.randrange(60))
        if kind < 8: return text()
        if kind == 8: return [value(depth + 1) for _ in range(random.choice([0, 1, 3, 20]))]
        return {text(): value(depth + 1) for _ in range(random.choice([0, 1, 3, 20]))}
    values = {"%d%s" % (n, text()): value(0) for n in range(int(sys.argv[4]))}
    with open(sys.argv[2], "wb") as file:
        plistlib.dump(values, file, fmt=format, sort_keys=False)
    for key, value in values.items(): print(quoted(key), dump(value))
else:
    # Apple's readers take any year, and white space around a date; plistlib takes neither.
    other_date = re.compile(rb"<date\s*>(\s|-|0000|[0-9]{5})")
    with open(sys.argv[2], "rb") as file: files = plistlib.load(file)
    for file in files:
        if other_date.search(file):
            print("another date")
            continue
        try: print(",".join(sorted(k.encode("utf-8").hex() for k in plistlib.loads(file, fmt=plistlib.FMT_XML))))
        except Exception as error: print(repr(error), file)
