import CLibrary
import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import SecretService

/// What other programs read of the store's items, and the store of theirs.
@Suite(.withDaemon) struct SecretServiceInteropTests {
  private static let lines = ["The Valley Wind", "", "caf\u{e9} \u{1F343}", " a\\b=[c];#"]
  private static let texts = lines + ["two\nlines\n"]

  // MARK: secret-tool

  @Test func secretToolShowsASafeLine() throws {
    let bus = try TestBus()
    _ = try bus.store().add(
      Secret("The Valley Wind".utf8), identity: .generic(service: "mail", account: "peter"),
      attributes: ItemAttributes())
    let found = try bus.run("exec secret-tool lookup service mail username peter")
    #expect(String(decoding: found.output, as: UTF8.self) == "The Valley Wind")
    let other = try bus.run("exec secret-tool search --all xdg:schema com.locket.Generic 2>&1")
    #expect(String(decoding: other.output, as: UTF8.self).contains("label = mail: peter"))
  }

  @Test(arguments: texts) func matchingReadsWhatSecretToolStored(_ text: String) throws {
    let bus = try TestBus()
    #expect(
      try bus.run(
        "printf %s \"$1\" | secret-tool store --label='Of another' server example.com user peter",
        [text]
      ).status == 0)
    let store = bus.store().matching(attributes: ["server": "example.com", "user": "peter"])
    let password = PasswordItem<String>(.generic(service: "anything"), in: store)
    #expect(try password.load() == text)
    #expect(password.attributes.label == "Of another")
    let bytes = PasswordItem<Data>(.generic(service: "anything"), in: store)
    #expect(try bytes.load() == Data(text.utf8))
  }

  @Test func textOfAnotherProgramIsDecodedByTheType() throws {
    let bus = try TestBus()
    _ = try bus.run("printf 8443 | secret-tool store --label=Port server example.com")
    let store = bus.store().matching(attributes: ["server": "example.com"])
    #expect(try PasswordItem<Int>(.generic(service: "port"), in: store).load() == 8443)
  }

  @Test func itemOfAnotherProgramIsNotChangedUnlessThatWasSaid() throws {
    let bus = try TestBus()
    _ = try bus.run("printf old | secret-tool store --label=L server example.com")
    let describe = "secret-tool search --all --unlock server example.com 2>&1; true"
    let before = try bus.run(describe).output
    let identity = ItemIdentity.generic(service: "anything")
    let readOnly = bus.store().matching(attributes: ["server": "example.com"])
    let item = try #require(try readOnly.items(matching: .exactly(identity)).first)
    expectReadOnly {
      _ = try readOnly.update(
        item.id, expecting: item.revision, attributes: nil, secret: Secret("new".utf8))
    }
    expectReadOnly { try readOnly.remove(item.id, expecting: item.revision) }
    expectReadOnly {
      _ = try readOnly.add(Secret("new".utf8), identity: identity, attributes: ItemAttributes())
    }
    #expect(try bus.run(describe).output == before)

    let writable = bus.store().matching(attributes: ["server": "example.com"], writes: .inPlace)
    _ = try writable.update(
      item.id, expecting: item.revision, attributes: nil, secret: Secret("new".utf8))
    #expect(try bus.run("exec secret-tool lookup server example.com").output == Array("new".utf8))
    let after = try #require(try writable.items(matching: .all).first)
    try writable.remove(after.id, expecting: after.revision)
    #expect(try bus.run("exec secret-tool lookup server example.com").status != 0)
  }

  private func expectReadOnly(_ write: () throws -> Void) {
    #expect {
      try write()
    } throws: { error in
      if case .readOnly = error as? SecretStoreError { true } else { false }
    }
  }

  @Test(arguments: lines) func secretToolReadsItsLayout(_ text: String) throws {
    let bus = try TestBus()
    let store = bus.store(layout: .secretTool)
    let item = try store.add(
      Secret(text.utf8), identity: .generic(service: "mail", account: "peter"),
      attributes: ItemAttributes(label: "Mail"))
    let found = try bus.run("exec secret-tool lookup service mail account peter")
    #expect(found.output == Array(text.utf8))
    let updated = try store.update(
      item.id, expecting: item.revision, attributes: nil, secret: Secret("new".utf8))
    #expect(updated.revision != item.revision)
    #expect(
      try bus.run("exec secret-tool lookup service mail account peter").output == Array("new".utf8))
    _ = try bus.run("printf newest | secret-tool store --label=Mail service mail account peter")
    let password = PasswordItem<String>(.generic(service: "mail", account: "peter"), in: store)
    #expect(try password.load() == "newest")
    try password.remove()
    #expect(try bus.run("exec secret-tool lookup service mail account peter").status != 0)
  }

  @Test func secretToolReadsALargeSecret() throws {
    let bus = try TestBus()
    let text = String(repeating: "x", count: 1 << 20)
    let identity = ItemIdentity.generic(service: "large")
    for store in [bus.store(), bus.store(layout: .secretTool)] {
      let item = try store.add(
        Secret(text.utf8), identity: identity, attributes: ItemAttributes())
      #expect(try bus.run("exec secret-tool lookup service large").output == Array(text.utf8))
      try store.remove(item.id, expecting: item.revision)
    }
  }

  // MARK: A keyring without a password

  /// GNOME Keyring keeps such a keyring as text, in which a line break ends a secret and the whole.
  @Test func lineBreakIsRefusedInTheLayoutsOfOthers() async throws {
    let bus = try TestBus(password: nil)
    try bus.startDaemonWithPlainKeyring()
    _ = try bus.run("printf old | secret-tool store --label=L server example.com")
    let stores = [
      bus.store(layout: .pythonKeyring), bus.store(layout: .secretTool),
      bus.store().matching(attributes: ["server": "example.com"], writes: .inPlace),
    ]
    let kept = "caf\u{e9}=[a];#b"
    for (number, store) in stores.enumerated() {
      let identity = ItemIdentity.generic(service: "\(number)", account: "peter")
      let item =
        try store.items(matching: .exactly(identity)).first
        ?? store.add(Secret(kept.utf8), identity: identity, attributes: ItemAttributes())
      for text in ["two\nlines", "\nleading", "trailing\n", "tab\t", "\u{7f}", "nul\0", "\r"] {
        expectInvalid {
          _ = try store.update(
            item.id, expecting: item.revision, attributes: nil, secret: Secret(text.utf8))
        }
        if number == 2 { continue }
        expectInvalid {
          _ = try store.add(
            Secret(text.utf8), identity: .generic(service: "other", account: "peter"),
            attributes: ItemAttributes())
        }
      }
      _ = try store.update(
        item.id, expecting: item.revision, attributes: nil, secret: Secret(kept.utf8))
    }
    let own = bus.store()
    let line = try own.add(
      Secret("two\nlines".utf8), identity: .generic(service: "a\nb", account: "c\nd"),
      attributes: ItemAttributes(label: "e\nf", comment: "g\nh"))

    bus.stopDaemon()
    try bus.startDaemon(isUnlocked: false)
    try await own.unlock()
    #expect(try own.secret(of: line.id)?.secret == Secret("two\nlines".utf8))
    #expect(try own.items(matching: .exactly(line.identity)) == [line])
    for (number, store) in stores.enumerated() {
      let identity = ItemIdentity.generic(service: "\(number)", account: "peter")
      let items = try store.items(matching: .exactly(identity))
      #expect(items.count == 1)
      #expect(try store.secret(of: #require(items.first).id)?.secret == Secret(kept.utf8))
    }
  }

  private func expectInvalid(_ write: () throws -> Void) {
    #expect {
      try write()
    } throws: { error in
      if case .invalid(let text) = error as? SecretStoreError {
        text.contains("line breaks")
      } else {
        false
      }
    }
  }

  // MARK: Python

  @Test(.withPython, arguments: texts) func pythonReadsItsLayout(_ text: String) throws {
    let bus = try TestBus()
    let store = bus.store(layout: .pythonKeyring)
    let password = PasswordItem<String>(.generic(service: "mail", account: "peter"), in: store)
    password.value = text.split(separator: "\n").joined(separator: ", ")
    #expect(password.error == nil)
    #expect(
      try python(bus, "print(ascii(keyring.get_password('mail', 'peter')))")
        == ascii(password.value ?? ""))
    _ = try python(bus, "keyring.set_password('mail', 'peter', 'of Python')")
    #expect(try password.load() == "of Python")
    #expect(try store.items(matching: .all).count == 1)
    _ = try python(bus, "keyring.set_password('other', 'peter', sys.argv[1])", text)
    let other = PasswordItem<String>(.generic(service: "other"), in: store)
    #expect(try other.load() == text)
    try other.remove()
    #expect(try python(bus, "print(keyring.get_password('other', 'peter'))") == "None")
  }

  @Test(.withPython) func pythonFindsASafeLineOfLocket() throws {
    let bus = try TestBus()
    let password = PasswordItem<String>(
      .generic(service: "mail", account: "peter"), in: bus.store())
    password.value = "The Valley Wind"
    #expect(
      try python(bus, "print(keyring.get_password('mail', 'peter'))") == "The Valley Wind")
  }

  @Test(.withPython) func secretStorageSharesBytes() throws {
    let bus = try TestBus()
    let program = """
      import secretstorage
      bus = secretstorage.dbus_init()
      collection = secretstorage.get_default_collection(bus)
      """
    _ = try python(
      bus,
      program + "\ncollection.create_item('L', {'kind': 'binary'}, bytes(range(256)) * 4096)")
    let store = bus.store().matching(attributes: ["kind": "binary"])
    let bytes = PasswordItem<Data>(.generic(service: "binary"), in: store)
    #expect(try bytes.load() == Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0) }))

    let own = PasswordItem<Data>(.generic(service: "own"), in: bus.store())
    own.value = Data([0, 255, 10])
    let read =
      program + """

        import base64
        item = next(collection.search_items({'service': 'own'}))
        text = item.get_secret().decode()
        assert text.startswith('data:application/octet-stream;base64,'), text
        print(list(base64.b64decode(text.partition(',')[2])))
        """
    #expect(try python(bus, read) == "[0, 255, 10]")
  }

  private func python(_ bus: TestBus, _ program: String, _ argument: String = "") throws -> String {
    let result = try bus.run(
      "exec \(PythonKeyring.path) -c \"$1\" \"$2\" 2>&1",
      [
        """
        import sys, keyring
        from keyring.backends import SecretService
        keyring.set_keyring(SecretService.Keyring())

        """ + program, argument,
      ])
    let text = String(decoding: result.output, as: UTF8.self)
    if result.status != 0 { Issue.record("\(text)") }
    return text.last == "\n" ? String(text.dropLast()) : text
  }

  private func ascii(_ text: String) throws -> String {
    try String(Python.run("import sys; print(ascii(sys.argv[1]))", [text]).dropLast())
  }
}

extension TestBus {
  /// Starts the daemon with a default keyring that has no password.
  func startDaemonWithPlainKeyring() throws {
    try startDaemon(password: "", isUnlocked: false)
    try store().access.withDaemon(by: Deadline(after: .seconds(20))) { daemon, _ in
      let made = try daemon.call(
        SecretDaemon.path, "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface",
        "CreateWithMasterPassword", [SecretDaemon.interfaces + "Collection.Label": BusVariant("P")],
        TransportedSecret(Secret([]), in: daemon.openSession()))
      _ = try daemon.call(
        SecretDaemon.path, "Service", "SetAlias", "default", made.result(BusPath.self))
    }
    #expect(try !store().isLocked)
  }
}

/// Python with its packages `keyring` and `secretstorage`.
enum PythonKeyring {
  /// The interpreter, which a variable of the environment may name.
  static let path = ProcessInfo.processInfo.environment["LOCKET_PYTHON"] ?? "/usr/bin/python3"

  static let isAvailable: Bool = {
    do {
      let child = try ChildProcess(
        "/bin/sh", ["-c", "exec \(path) -c 'import keyring, secretstorage' 2>/dev/null"])
      return child.end() == 0
    } catch {
      return false
    }
  }()
}

extension Trait where Self == ConditionTrait {
  static var withPython: Self {
    .enabled(
      if: PythonKeyring.isAvailable || ProcessInfo.processInfo.environment["CI"] != nil,
      "Python's keyring or secretstorage is not installed")
  }
}
