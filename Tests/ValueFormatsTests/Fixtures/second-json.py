# A second reader and writer of JSON: `read PATH` and `write PATH COUNT SEED`.
import json, random, struct, sys

def load(path):
  def no_constant(word): raise ValueError(word)
  with open(path, 'rb') as file:
    return json.loads(
      file.read().decode('utf-8'), parse_int=lambda text: ('i', text),
      parse_float=lambda text: ('d', struct.pack('>d', float(text)).hex()),
      parse_constant=no_constant, object_pairs_hook=lambda pairs: ('o', pairs))

def canonical(value):
  if value is None: return 'n'
  if value is True: return 't'
  if value is False: return 'f'
  if isinstance(value, str): return 's' + value.encode('utf-8').hex()
  if isinstance(value, list): return '[' + ','.join(map(canonical, value)) + ']'
  kind, content = value
  if kind != 'o': return kind + content
  members = sorted((key.encode('utf-8'), member) for key, member in content)
  assert len(set(key for key, _ in members)) == len(members)
  return '{' + ','.join(key.hex() + ':' + canonical(member) for key, member in members) + '}'

def write_lines(value):
  kind, members = value
  assert kind == 'o'
  for key, member in members: print(key.encode('utf-8').hex(), canonical(member))

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

if sys.argv[1] == 'read': write_lines(load(sys.argv[2]))
else: write_values(int(sys.argv[3]), int(sys.argv[4]), sys.argv[2])
