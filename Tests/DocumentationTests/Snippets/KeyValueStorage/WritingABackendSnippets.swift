import Concurrency
import Dispatch
import KeyValueStorage
import StorageTesting
import Testing

/// The code of the article "Writing a backend".
struct WritingABackendSnippets {
  /// A connection to a server that keeps one document for all machines.
  protocol DocumentServer: Sendable {
    typealias Entries = [(key: String, value: [UInt8])]

    /// Returns the document's entries and its version, which increases with each write.
    func read() throws -> (version: Int64, entries: Entries)
    func version() throws -> Int64
    /// Writes the document if it has a version; returns its new version, or nil if it has another.
    func write(_ entries: Entries, expecting version: Int64) throws -> Int64?
    /// Calls a handler on a thread of the connection after each write, until the result is called.
    func watch(_ handler: @escaping @Sendable () -> Void) throws -> @Sendable () -> Void
  }

  enum ServerFailure: Error, Equatable {
    case forbidden, standby, documentTooLarge(limit: Int), unreachable, writeUnconfirmed
  }

  final class DocumentBackend: KeyValueBackend {
    let format = KeyValueFormat.json
    let name: String
    let server: any DocumentServer

    init(_ name: String, on server: any DocumentServer) {
      self.name = name
      self.server = server
    }

    func load() throws(KeyValueStoreError) -> KeyValueContents {
      let (version, entries) = try request { try server.read() }
      return KeyValueContents(
        entries.map { (key: $0, value: ArraySlice($1)) }, revision: version)
    }

    func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
      try request { try server.version() } != revision
    }

    func update(
      _ changes: (KeyValueContents) -> KeyValueChanges
    ) throws(KeyValueStoreError) -> KeyValueContents {
      for _ in 0..<1000 {
        let base = try load()
        let changes = changes(base)
        if changes.isEmpty { return base }
        let changed = base.applying(changes, revision: base.revision + 1)
        let entries = changed.keys.map { ($0, Array(changed[$0] ?? [])) }
        let version = try request { try server.write(entries, expecting: base.revision) }
        if let version { return base.applying(changes, revision: version) }
        // Another machine has written first. Compute the changes again, from its document.
      }
      throw .unavailable("\(name) changes faster than it can be written. Try again later.")
    }

    func observe(
      _ handler: @escaping @Sendable () -> Void
    ) throws(KeyValueStoreError) -> KeyValueObservation {
      KeyValueObservation(end: try request { try server.watch(handler) })
    }

    // The server accepts no document that cannot be read.
    func moveAside() -> String? { nil }

    /// Makes a request, and converts its failure to the error that a store expects.
    private func request<Answer>(_ body: () throws -> Answer) throws(KeyValueStoreError) -> Answer {
      do {
        return try body()
      } catch ServerFailure.forbidden {
        throw .denied("This machine may not use \(name). Ask its administrator for access.")
      } catch ServerFailure.standby {
        throw .readOnly("\(name) is on a standby server. Write to the primary one.")
      } catch ServerFailure.documentTooLarge(let limit) {
        throw .tooLarge(path: nil, limit: limit)
      } catch ServerFailure.writeUnconfirmed {
        throw .uncertain("The connection to \(name) ended during a write. Read it again.")
      } catch {
        throw .unavailable("\(name) cannot be reached: \(error). Check the connection.")
      }
    }
  }

  @Test func storeOnTheBackendHasSettings() throws {
    let server = TestServer()
    let store = KeyValueStore(DocumentBackend("the document", on: server))
    let other = KeyValueStore(DocumentBackend("the document", on: server))
    let volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    volume.wrappedValue = 0.5
    #expect(try other.value(of: "volume") == 0.5)

    server.failure = .writeUnconfirmed
    #expect(throws: KeyValueStoreError.self) { try volume.save(0.3) }
    server.failure = .forbidden
    #expect(throws: KeyValueStoreError.self) { try volume.load() }
    server.failure = .documentTooLarge(limit: 5)
    #expect(throws: KeyValueStoreError.tooLarge(path: nil, limit: 5)) { try volume.save(0.2) }
    server.failure = nil
    // The write whose answer was lost had been made.
    #expect(try volume.load() == 0.3)
  }
}

private typealias DocumentBackend = WritingABackendSnippets.DocumentBackend

private let documentConformance = KeyValueBackendConformance(
  "DocumentBackend",
  makeBackend: { DocumentBackend("the document", on: TestServer()) },
  reopen: { DocumentBackend("the document", on: try server(of: $0)) },
  interrupt: { backend in
    let server = try server(of: backend)
    server.failure = .unreachable
    return { server.failure = nil }
  })

private func server(of backend: any KeyValueBackend) throws -> TestServer {
  try #require((backend as? DocumentBackend)?.server as? TestServer)
}

@Test(arguments: documentConformance.checks)
func documentBackendConforms(_ check: KeyValueBackendConformance.Check) async {
  await documentConformance.run(check)
}

/// A server within the process.
private final class TestServer: WritingABackendSnippets.DocumentServer {
  private struct State: Sendable {
    var version: Int64 = 0
    var entries: Entries = []
    var failure: WritingABackendSnippets.ServerFailure?
    var watchers: [Int: @Sendable () -> Void] = [:]
    var lastWatcher = 0
  }

  private let state = Lock(State())
  private let connection = DispatchQueue(label: "connection")

  /// The failure of each request; with `writeUnconfirmed`, writes are made, and reads succeed.
  var failure: WritingABackendSnippets.ServerFailure? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  private func answer<Answer>(_ body: (inout State) -> Answer) throws -> Answer {
    try state.withLock { state in
      if let failure = state.failure, failure != .writeUnconfirmed { throw failure }
      return body(&state)
    }
  }

  func read() throws -> (version: Int64, entries: Entries) {
    try answer { ($0.version, $0.entries) }
  }

  func version() throws -> Int64 { try answer { $0.version } }

  func write(_ entries: Entries, expecting version: Int64) throws -> Int64? {
    let watchers = try answer { state -> [@Sendable () -> Void]? in
      if state.version != version { return nil }
      state.version += 1
      state.entries = entries
      return Array(state.watchers.values)
    }
    guard let watchers else { return nil }
    connection.async { for watcher in watchers { watcher() } }
    if failure != nil { throw WritingABackendSnippets.ServerFailure.writeUnconfirmed }
    return version + 1
  }

  func watch(_ handler: @escaping @Sendable () -> Void) throws -> @Sendable () -> Void {
    let id = try answer { state in
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = handler
      return state.lastWatcher
    }
    return { self.state.withLock { $0.watchers[id] = nil } }
  }
}
