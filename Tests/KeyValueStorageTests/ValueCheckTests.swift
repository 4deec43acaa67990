import Concurrency
import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Properties that refuse some values of their type.
struct ValueCheckTests {
  private let file: TestFile

  init() throws { file = try TestFile(values: ["port": 80]) }

  private static let isPort: @Sendable (Int) -> String? = {
    1...65535 ~= $0 ? nil : "expected a port from 1 to 65535."
  }

  private func port(in store: KeyValueStore) -> StoredValue<Int> {
    StoredValue(wrappedValue: 8080, "port", in: store, validating: Self.isPort)
  }

  private func mistake(found: String, at place: FilePlace? = nil) -> KeyValueStoreError {
    .undecodable(
      UndecodableValue(
        key: "port", type: "Int", reason: "expected a port from 1 to 65535", found: found,
        place: place))
  }

  private static let refusal = KeyValueStoreError.unencodable(
    key: "port", type: "Int", reason: "expected a port from 1 to 65535")

  @Test(arguments: EditedFileTests.Editor.allCases)
  func refusedEditKeepsTheLastValidValue(_ editor: EditedFileTests.Editor) throws {
    let store = file.openPatiently()
    let port = port(in: store)
    let (errors, ports) = (Heard<KeyValueStoreError?>(), Heard<[Int]>())
    let observations = [
      port.observeErrors { errors.hear($0) }, port.observe { ports.hear([$0, $1]) },
    ]
    let error = mistake(found: "70000", at: file.place(2, 9))
    for round in 1...2 {
      try editor.write(Data("{\n\"port\": 70000}".utf8), to: file)
      errors.wait(for: error)
      #expect(ReportedFailures.count(of: error) == round)
      #expect(port.wrappedValue == 80 && port.error == error)
      #expect(throws: error) { try port.load() }
      try editor.write(Data("{\n\"port\":  80}".utf8), to: file)
      errors.wait(for: nil)
      #expect(port.wrappedValue == 80 && port.error == nil)
    }
    try editor.write(Data("{\"port\": 443}".utf8), to: file)
    ports.wait(for: [80, 443])
    #expect(ports.all == [[80, 443]])
    observations.forEach { $0.cancel() }
  }

  @Test func messageHasPlaceValueAndRule() throws {
    try file.overwrite("{\"port\": 0}")
    let store = file.open()
    #expect(
      store.declare(port(in: store)).map(\.description) == [
        """
        \(file.path), line 1, column 10: port is 0, expected a port from 1 to 65535. Correct the \
        value, or set it again.
        """
      ])
    #expect(
      Self.refusal.description == """
        A value of type Int cannot be stored under "port": expected a port from 1 to 65535.
        """)
  }

  @Test func refusedSetKeepsTheValue() throws {
    let port = port(in: file.open())
    let text = try file.text
    let errors = Heard<KeyValueStoreError?>()
    let observation = port.observeErrors { errors.hear($0) }
    func expectRefusal() throws {
      #expect(port.wrappedValue == 80 && port.error == Self.refusal)
      #expect(try file.text == text)
      errors.wait(for: Self.refusal)
      // A valid value ends the error, even if it is the stored one.
      try port.save(80)
      #expect(port.error == nil)
      errors.wait(for: nil)
    }
    port.wrappedValue = 70000
    try expectRefusal()
    port.wrappedValue -= 80
    try expectRefusal()
    #expect(throws: Self.refusal) { try port.save(-1) }
    try expectRefusal()
    try port.store.transaction {
      port.wrappedValue = 80
      #expect(throws: Self.refusal) { try port.save(0) }
    }
    try expectRefusal()
    port.store.finishHandlers()
    #expect(errors.all.count == 8)
    observation.cancel()
  }

  @Test func refusedSetFailsItsTransaction() throws {
    let port = port(in: file.open())
    let changes: [() -> Void] = [{ port.wrappedValue = 0 }, { port.wrappedValue -= 80 }]
    for change in changes {
      #expect(throws: Self.refusal) {
        try port.store.transaction {
          try port.store.set(1, for: "other")
          change()
          // A later success changes nothing about it.
          port.wrappedValue = 80
          change()
        }
      }
      port.store.finishHandlers()
      #expect(port.wrappedValue == 80 && port.error == Self.refusal)
      #expect(try file.values() == ["port": 80])
    }
  }

  @Test func unreadableFileEndsTheErrorOfARefusedSet() throws {
    let port = port(in: file.openUnobserved())
    port.wrappedValue = 70000
    let errors = Heard<KeyValueStoreError?>()
    let observation = port.observeErrors { errors.hear($0) }
    try file.overwrite("{")
    let error = try #require(throws: KeyValueStoreError.self) { try port.load() }
    port.store.finishHandlers()
    #expect(error != Self.refusal && port.error == error)
    #expect(errors.all == [Self.refusal, error])
    // The newest failure is that of the set.
    port.wrappedValue = 70000
    #expect(port.error == Self.refusal)
    observation.cancel()
  }

  /// Another thread may read the file before the store adopts what it has written.
  @Test(arguments: [false, true])
  func refusedSaveOutlastsItsTransaction(isReadFirst: Bool) throws {
    let reading = Lock<KeyValueStore?>(nil)
    let base = FileBackend(path: file.path, format: .json)
    let store = KeyValueStore(
      HookedBackend(
        base: base,
        didWrite: {
          do {
            try reading.withLock { $0 }?.load()
          } catch {
            Issue.record(error)
          }
        }))
    let port = port(in: store)
    #expect(port.wrappedValue == 80)
    // The transaction begins with contents that others have changed.
    let other = file.open()
    try other.set(1, for: "other")
    if isReadFirst { reading.withLock { $0 = store } }
    try store.transaction {
      port.wrappedValue = 81
      #expect(throws: Self.refusal) { try port.save(0) }
    }
    reading.withLock { $0 = nil }
    store.finishHandlers()
    #expect(port.wrappedValue == 81 && port.error == Self.refusal)
    // Any other value ends it.
    try store.set(443, for: "port")
    #expect(port.wrappedValue == 443 && port.error == nil)
  }

  @Test func mistakeEndsTheErrorOfASetBeforeAnyGet() throws {
    let store = file.openUnobserved()
    try store.load()
    let port = port(in: store)
    port.wrappedValue = 70000
    #expect(port.error == Self.refusal)
    try file.overwrite("{\"port\": 0}")
    try store.load()
    #expect(port.error == mistake(found: "0"))
  }

  @Test(arguments: ["", "."]) func emptyMessageIsReplaced(_ message: String) throws {
    let port = StoredValue(
      wrappedValue: 8080, "port", in: file.open(), validating: { $0 > 0 ? nil : message })
    let error = try #require(throws: KeyValueStoreError.self) { try port.save(0) }
    #expect(
      error.description
        == "A value of type Int cannot be stored under \"port\": the property's check refuses it.")
  }

  @Test(arguments: [false, true])
  func editEndsTheErrorOfARefusedSet(isMistake: Bool) throws {
    let port = port(in: file.openUnobserved())
    // Nothing was read before, so what is read first is no change.
    port.wrappedValue = 70000
    #expect(try port.load() == 80 && port.error == Self.refusal)
    let errors = Heard<KeyValueStoreError?>()
    let observation = port.observeErrors { errors.hear($0) }
    try file.overwrite("{\"port\": \(isMistake ? 0 : 443)}")
    try port.store.load()
    port.store.finishHandlers()
    let error = isMistake ? mistake(found: "0") : nil
    #expect(port.error == error)
    #expect(errors.all == [Self.refusal, error])
    observation.cancel()
  }

  @Test func inPlaceChangeOfARefusedEditIsRefused() throws {
    try file.overwrite("{\"port\": 70000}")
    let port = port(in: file.open())
    port.wrappedValue += 1
    #expect(port.wrappedValue == 8080)
    #expect(port.error == mistake(found: "70000", at: file.place(1, 10)))
    #expect(try file.text == "{\"port\": 70000}")
    port.wrappedValue = 1
    #expect(port.wrappedValue == 1 && port.error == nil)
  }

  /// A property without a check may store what another one refuses.
  @Test func propertyWithoutTheCheckHasItsOwnValue() throws {
    let store = file.open()
    let (checked, other) = (port(in: store), StoredValue(wrappedValue: 1, "port", in: store))
    #expect(checked.wrappedValue == 80 && other.wrappedValue == 80)
    let writes: [() throws -> Void] = [
      { other.wrappedValue = 70000 }, { try store.set(70000, for: "port") },
    ]
    for write in writes {
      try write()
      store.finishHandlers()
      #expect(checked.wrappedValue == 80 && other.wrappedValue == 70000)
      #expect(checked.error == mistake(found: "70000", at: file.place(2, 11)))
      #expect(other.error == nil)
      checked.wrappedValue = 80
      #expect(checked.error == nil && other.wrappedValue == 80)
    }
  }

  @Test func laterPropertySharesTheValueAndTheFirstCheck() throws {
    let store = file.openUnobserved()
    #expect(port(in: store).wrappedValue == 80)
    try file.overwrite("{\"port\": 70000}")
    #expect(throws: KeyValueStoreError.self) { try port(in: store).load() }
    let later = StoredValue(wrappedValue: 70000, "port", in: store, validating: { _ in nil })
    #expect(later.wrappedValue == 80)
    later.wrappedValue = 70000
    #expect(later.error == Self.refusal)
    #expect(store.state.withLock { $0.declarations.all.count } == 1)
  }

  @Test func refusedDefaultIsAMisuse() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = StoredValue<Int?>("port", in: KeyValueStore(), validating: { _ in "Must be set." })
    }
    #expect(
      message(of: result)
        .contains("The default value of the setting port is refused by its check: Must be set."))
  }

  private struct Server: Codable, Equatable, Sendable {
    var host = ""
    var port = 8443
  }

  @Test func completedStructureIsChecked() throws {
    let checked = Lock([Server]())
    let store = file.openUnobserved()
    let server = StoredValue(wrappedValue: Server(), "server", in: store) { server in
      checked.withLock { $0.append(server) }
      return server.host == "localhost" ? "a remote host is required" : nil
    }
    for (host, isValid) in [("h", true), ("localhost", false)] {
      try file.overwrite("{\"server\": {\"host\": \"\(host)\"}}")
      #expect((try? server.load()) == (isValid ? Server(host: "h") : nil))
      #expect(server.wrappedValue == Server(host: "h"))
    }
    #expect(
      server.error
        == .undecodable(
          UndecodableValue(
            key: "server", type: "Server", reason: "a remote host is required",
            found: "a dictionary")))
    // The default value, and each stored one once.
    #expect(checked.withLock { $0 } == [Server(), Server(host: "h"), Server(host: "localhost")])
  }

  /// The text would be nil in a second attempt to decode it.
  @Test func refusedTextIsNotReadAsNil() throws {
    let file = try TestFile(.xml)
    try file.overwrite("<plist><dict><key>name</key><string>$null</string></dict></plist>")
    let name = StoredValue<String?>("name", in: file.open(), validating: { $0.map { _ in "no" } })
    guard case .undecodable(let value)? = name.error else {
      Issue.record("\(String(describing: name.error))")
      return
    }
    #expect(value.found == "\"$null\"" && value.reason == "no")
  }

  @Test func longMessageIsShortened() throws {
    try file.overwrite("{\"port\": 7}")
    let text = "\u{1B}[31m" + String(repeating: "x", count: 1_000_000)
    let shown = "\u{FFFD}[31m" + String(repeating: "x", count: 195) + "…"
    let port = StoredValue(wrappedValue: 0, "port", in: file.open()) { $0 == 0 ? nil : text }
    guard case .undecodable(let value)? = port.error else {
      Issue.record("\(String(describing: port.error))")
      return
    }
    #expect(value.reason == shown)
    let error = KeyValueStoreError.unencodable(key: "port", type: "Int", reason: shown)
    #expect(throws: error) { try port.save(1) }
  }

  /// It would wait for itself under the lock of the store's state.
  @Test func checkMayUseTheStore() throws {
    let store = file.open()
    let limit = StoredValue(wrappedValue: 65535, "limit", in: store)
    let calls = Lock(0)
    let port = StoredValue(wrappedValue: 8080, "port", in: store) { number in
      calls.withLock { $0 += 1 }
      return number <= limit.wrappedValue ? nil : "too large"
    }
    let observation = port.observe { _, _ in }
    store.declare(port)
    #expect(port.wrappedValue == 80)
    let changes: [() throws -> Void] = [
      { port.wrappedValue = 1 }, { port.wrappedValue += 1 }, { try port.save(3) },
      { try store.set(4, for: "port") }, { try file.overwrite("{\"port\": 5}") },
      { try store.transaction { port.wrappedValue += 1 } },
    ]
    for change in changes {
      let before = calls.withLock { $0 }
      try change()
      _ = try port.load()
      store.finishHandlers()
      #expect(calls.withLock { $0 } > before)
    }
    #expect(port.wrappedValue == 6 && port.error == nil)
    observation.cancel()
  }
}
