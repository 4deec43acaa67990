# A second reader and writer of JSON: `read PATH FORMAT` and `write PATH FORMAT COUNT SEED`, where
# the format is not used. The notation of a value is that of the tests.
import json, random, struct, sys

def load(path):
  def no_constant(word): raise ValueError(word)
  with open(path, 'rb') as file:
    return json.loads(
      file.read().decode('utf-8'), parse_int=lambda text: ('t', text),
      parse_float=lambda text: ('r', '%x' % struct.unpack('>Q', struct.pack('>d', float(text)))[0]),
      parse_constant=no_constant, object_pairs_hook=lambda pairs: ('o', pairs))

def quoted(text):
  return "\"" + "".join(c if " " <= c <= "~" and c not in "\"\\" else "\\u{%x}" % ord(c) for c in text) + "\""

def canonical(value):
  if value is None: return 'n0'
  if value is True: return 'true'
  if value is False: return 'false'
  if isinstance(value, str): return quoted(value)
  if isinstance(value, list): return '[' + ','.join(map(canonical, value)) + ']'
  kind, content = value
  if kind != 'o': return kind + content
  assert len(set(key for key, _ in content)) == len(content)
  return '{' + ','.join(sorted(
    quoted(key) + ':' + canonical(member) for key, member in content)) + '}'

def write_lines(value):
  kind, members = value
  assert kind == 'o'
  for key, member in members: print(quoted(key), canonical(member))

def text():
  ranges = [(0, 0x1F), (0x20, 0x7F), (0x20, 0x7F), (0x80, 0x7FF), (0x800, 0xD7FF),
    (0xE000, 0xFFFF), (0x10000, 0x10FFFF)]
  return ''.join(
    chr(random.randint(*random.choice(ranges))) for _ in range(random.randint(0, 12)))

def real():
  while True:
    value = struct.unpack('>d', random.randbytes(8))[0]
    if abs(value) < float('inf'): return value

def value(depth):
  kind = random.randrange(12 if depth < 4 else 8)
  if kind == 0: return random.choice([None, True, False, '', [], {}, 0, -0.0, 1e16, 5e-324])
  if kind < 3: return random.randint(-10 ** random.randint(0, 40), 10 ** random.randint(0, 40))
  if kind == 3: return random.randint(-9999, 9999) / 16
  if kind < 6: return real()
  if kind < 8: return text()
  if kind < 10: return [value(depth + 1) for _ in range(random.randint(0, 4))]
  return {text(): value(depth + 1) for _ in range(random.randint(0, 4))}

def write_values(count, seed, path):
  random.seed(seed)
  members = {text() + '/' + str(number): value(0) for number in range(count)}
  def dump(value):
    return json.dumps(
      value, ensure_ascii=random.random() < 0.5, allow_nan=False,
      indent=random.choice([None, None, 0, 2, '\t']), sort_keys=random.random() < 0.5,
      separators=random.choice([None, (',', ':'), (' , ', ' : '), (',\r\n', '\n:\t')]))
  with open(path, 'wb') as file:
    entries = (dump(key) + ': ' + dump(value) for key, value in members.items())
    file.write(('{' + ', '.join(entries) + '}').encode('utf-8'))

if sys.argv[1] == 'write': write_values(int(sys.argv[4]), int(sys.argv[5]), sys.argv[2])
write_lines(load(sys.argv[2]))
