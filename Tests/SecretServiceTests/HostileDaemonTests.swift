import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import SecretService

/// Generated answers of a daemon that may be wrong in type, size and content, or never come.
@Suite(.withDaemon, .withPython) struct HostileDaemonTests {
  private static let timeLimit = Duration.milliseconds(300)

  @Test(arguments: 0..<Campaign.size(sample: 2, full: 20))
  func anyAnswerEndsInAResultOrAnErrorInTime(_ seed: Int) async throws {
    let bus = try TestBus(password: nil)
    let daemon = try FakeDaemon(on: bus, Self.program, ["\(seed)"])
    try daemon.makeFile()
    let own = bus.store(timeLimit: Self.timeLimit)
    let stores = [
      own, bus.store(layout: .pythonKeyring, timeLimit: Self.timeLimit),
      own.matching(attributes: ["service": "s"], writes: .inPlace),
    ]
    var longest = Duration.zero
    var failures = 0
    let rounds = Campaign.size(sample: 40, full: 150)
    for round in 0..<rounds {
      let start = ContinuousClock.now
      do {
        try Self.access(stores[round % stores.count], round)
      } catch is SecretStoreError {
        failures += 1
      }
      longest = max(longest, ContinuousClock.now - start)
      if round % 6 != 0 { continue }
      // Not timed, since this test may be resumed behind many others.
      do { try await own.unlock(within: Self.timeLimit) } catch is SecretStoreError {}
    }
    // Several accesses, on a busy machine.
    #expect(longest < .seconds(20))
    #expect(failures > rounds / 20)
    let last = try daemon.calls.suffix(3)
    try #require(!daemon.hasEnded, "\(last)")
    try daemon.removeFile()
    let store = bus.store()
    let item = try store.add(
      Secret("secret".utf8), identity: .generic(service: "after"), attributes: ItemAttributes())
    #expect(try store.secret(of: item.id)?.secret == Secret("secret".utf8))
    // Its session may still be one that the daemon did not understand.
    try wait {
      do {
        return try own.secret(of: item.id)?.secret == Secret("secret".utf8)
      } catch {
        return false
      }
    }
  }

  /// Makes the accesses of one kind.
  private static func access(_ store: SecretServiceStore, _ round: Int) throws {
    let identity = ItemIdentity.generic(service: "s", account: "\(round)")
    switch round % 6 {
    case 0, 1:
      let item = try store.add(
        Secret("secret".utf8), identity: identity, attributes: ItemAttributes())
      _ = try store.secret(of: item.id)
      let changed = try store.update(
        item.id, expecting: item.revision, attributes: ItemAttributes(label: "L"),
        secret: Secret("new".utf8))
      try store.remove(item.id, expecting: changed.revision)
    case 2, 3:
      for item in try store.items(matching: round % 2 == 0 ? .all : .exactly(identity)) {
        _ = try store.secret(of: item.id)
      }
    case 4:
      _ = try store.revision()
      try store.lock()
    default:
      store.diagnose { _, _, _ in }
      _ = try store.isLocked
    }
  }

  @Test func arraysWithoutEndAreRefused() throws {
    let bus = try TestBus(password: nil)
    let daemon = try FakeDaemon(
      on: bus,
      """
      def answer(member, path, body):
        if member == 'SearchItems': return 'aoao', ([COLLECTION] * 200000, [])
        return honest(member, path, body)
      """)
    defer { withExtendedLifetime(daemon) {} }
    #expect {
      try bus.store().items(matching: .all)
    } throws: { error in
      "\(error)".contains("too many elements")
    }
  }

  @Test func signalsWithoutEndDoNotKeepAnAccess() throws {
    let bus = try TestBus(password: nil)
    let daemon = try FakeDaemon(
      on: bus,
      """
      def answer(member, path, body):
        if member == 'Ping':
          while not isSwitchedOn():
            for _ in range(100): signal(SERVICE, 'Service', 'CollectionChanged', 'o', (COLLECTION,))
        return honest(member, path, body)
      """)
    let store = bus.store(timeLimit: .seconds(1))
    let start = ContinuousClock.now
    #expect(throws: SecretStoreError.self) { try store.revision() }
    #expect(ContinuousClock.now - start < .seconds(20))
    try daemon.makeFile()
    try wait {
      do { return try store.items(matching: .all).isEmpty } catch { return false }
    }
  }

  /// Answers honestly without the file, and otherwise often with something else.
  private static let program = #"""
    rng = random.Random(int(sys.argv[3]))

    def value(depth=0):
      """Returns the signature of one type and a value of it."""
      kind = rng.choice('ybnqiuxtdsog' + 'arev' * (depth < 3))
      bits = {'y': 8, 'n': 15, 'q': 16, 'i': 31, 'u': 32, 'x': 63, 't': 64}.get(kind)
      if bits: return kind, rng.choice([0, 2 ** bits - 1, rng.randrange(2 ** bits)])
      if kind == 'b': return kind, rng.random() < 0.5
      if kind == 'd': return kind, rng.choice([0.0, float('nan'), 1e308])
      if kind == 's': return kind, rng.choice(['', '/', 'data:', 'x' * 10 ** 6, '\u202e\x1b\n'])
      if kind == 'o': return kind, rng.choice(['/', SERVICE, COLLECTION, '/a' * 1000])
      if kind == 'g': return kind, rng.choice(['', 's', 'a' * 30 + 'i'])
      if kind == 'v': return kind, value(depth + 1)
      if kind == 'r':
        parts = [value(depth + 1) for _ in range(rng.randrange(1, 4))]
        return '(%s)' % ''.join(p[0] for p in parts), tuple(p[1] for p in parts)
      content = value(depth + 1)
      size = rng.choice([0, 1, 3])
      if kind == 'e':
        return 'a{s%s}' % content[0], {str(n): content[1] for n in range(size)}
      return 'a' + content[0], bytes(size) if content[0] == 'y' else [content[1]] * size

    def altered(signature, body):
      """Changes a part of an honest answer, and keeps its type or not."""
      path = rng.choice(['/', SERVICE, COLLECTION, PROMPT, '/x'])
      if signature == 'aoao': return signature, ([path] * rng.choice([1, 3, 150000]), body[1])
      if signature in ('o', 'oo'): return signature, body[:-1] + (path,)
      if signature == '(oayays)':
        secret = rng.choice([body[0][2], b'', bytes(15), bytes(16), bytes(5 * 2 ** 20)])
        parameters = bytes(rng.choice([0, 1, 15, 16, 17, 5000]))
        return signature, ((path, parameters, secret, 'text/plain'),)
      kind = body[0][0] if signature == 'v' else ''
      if kind == 't': return 'v', (('t', rng.choice([0, 2 ** 64 - 1, 2 ** 53])),)
      if kind == 'b': return 'v', (('b', True),)
      if kind == 'a{ss}' and body[0][1]:
        text = rng.choice(['', '-1', '9' * 30, str(2 ** 64 - 1), '\x1b', 'x' * 10 ** 6])
        return 'v', ((kind, dict(body[0][1], **{rng.choice(sorted(body[0][1])): text})),)
      return signature + 's', body + ('more',)

    def answer(member, path, body):
      if not isSwitchedOn(): return honest(member, path, body)
      choice = rng.random()
      if choice < 0.005: return None
      if choice < 0.05:
        errors = ['x.Y', 'org.freedesktop.DBus.Error.NoReply',
          'org.freedesktop.Secret.Error.NoSession', 'org.freedesktop.DBus.Error.UnknownObject']
        raise Refused(rng.choice(errors), 'z' * 10 ** 5)
      if choice < 0.08:
        for _ in range(2000):
          signal(rng.choice([PROMPT, SERVICE]), rng.choice(['Prompt', 'Collection', 'Service']),
            rng.choice(['Completed', 'ItemChanged']),
            *rng.choice([('', ()), ('bv', (False, ('s', 'x'))), ('o', ('/',))]))
      if choice < 0.12:
        parts = [value() for _ in range(rng.randrange(4))]
        return ''.join(p[0] for p in parts), tuple(p[1] for p in parts)
      if member == 'OpenSession' and body[0] != 'plain':
        keys = [b'', bytes(1), b'\x01', b'\xff' * 128, bytes(129), bytes(5000)]
        return 'vo', (('ay', rng.choice(keys)), SESSION)
      if len(items) > 20: items.clear()
      signature, content = honest(member, path, body)
      return altered(signature, content) if choice < 0.2 else (signature, content)
    """#
}
