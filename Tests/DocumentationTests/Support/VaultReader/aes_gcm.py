"""AES-256-GCM, after FIPS 197 and NIST SP 800-38D; slow, and not constant in time."""
import hmac, struct

def double(x): return (x << 1) ^ (0x11B if x & 0x80 else 0)

def make_sbox():
    sbox, p, q = [0x63] * 256, 1, 1
    while True:
        p ^= double(p)
        for shift in (1, 2, 4): q ^= q << shift & 0xFF
        if q & 0x80: q ^= 9
        rotated = [(q << n | q >> 8 - n) & 0xFF for n in range(5)]
        sbox[p] = rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63
        if p == 1: return sbox

SBOX = make_sbox()

def aes256(key):
    words, constant = [list(key[i:i + 4]) for i in range(0, 32, 4)], 1
    for i in range(8, 60):
        word = words[i - 1]
        if i % 8 == 0:
            word = [SBOX[b] for b in word[1:] + word[:1]]
            word[0] ^= constant
            constant = double(constant)
        elif i % 8 == 4: word = [SBOX[b] for b in word]
        words.append([a ^ b for a, b in zip(word, words[i - 8])])
    rounds = [sum(words[i:i + 4], []) for i in range(0, 60, 4)]

    def encrypt(block):
        state = [a ^ b for a, b in zip(block, rounds[0])]
        for number in range(1, 15):
            state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
            if number < 14:
                mixed = []
                for c in range(0, 16, 4):
                    a, total = state[c:c + 4], state[c] ^ state[c + 1] ^ state[c + 2] ^ state[c + 3]
                    mixed += [a[i] ^ total ^ double(a[i] ^ a[(i + 1) % 4]) for i in range(4)]
                state = mixed
            state = [a ^ b for a, b in zip(state, rounds[number])]
        return bytes(state)
    return encrypt

def tag_and_stream(key, context, text_count):
    encrypt = aes256(key)
    blocks = range(-(-text_count // 16) + 1)
    stream = [encrypt(bytes(12) + struct.pack(">I", n + 1)) for n in blocks]

    def tag(text):
        h, digest = int.from_bytes(encrypt(bytes(16)), "big"), 0
        padded = [part + bytes(-len(part) % 16) for part in (context, text)]
        hashed = b"".join(padded) + struct.pack(">QQ", 8 * len(context), 8 * len(text))
        for i in range(0, len(hashed), 16):
            x, v, digest = digest ^ int.from_bytes(hashed[i:i + 16], "big"), h, 0
            for bit in range(127, -1, -1):
                if x >> bit & 1: digest ^= v
                v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        return bytes(a ^ b for a, b in zip(digest.to_bytes(16, "big"), stream[0]))
    return tag, b"".join(stream[1:])

def seal(key, context, text):
    tag, stream = tag_and_stream(key, context, len(text))
    sealed = bytes(a ^ b for a, b in zip(text, stream))
    return sealed + tag(sealed)

def open_sealed(key, context, sealed):
    tag, stream = tag_and_stream(key, context, len(sealed) - 16)
    if not hmac.compare_digest(tag(sealed[:-16]), sealed[-16:]): raise ValueError("not authentic")
    return bytes(a ^ b for a, b in zip(sealed[:-16], stream))
