import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import TestSupport
import Testing
import ValueFormats

@testable import KeyValueStorage

/// The asynchronous methods, which wait on threads of the store.
struct AsynchronousAccessTests {
  /// A store in memory whose writes wait until the test permits them.
  private final class GatedBackend: KeyValueBackend {
    let format = KeyValueFormat.json
    let name = "a gated store"
    private let backend = MemoryBackend()
    private let gate = DispatchSemaphore(value: 0)
    private let writers = Lock([ThreadIdentity]())

    /// The thread of each write.
    var writingThreads: [ThreadIdentity] { writers.withLock { $0 } }

    /// Permits this write and all later ones.
    func open() { gate.signal() }

    func load() -> KeyValueContents { backend.load() }
    func hasChanged(since revision: Int64) -> Bool { backend.hasChanged(since: revision) }
    func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
      backend.observe(handler)
    }
    func moveAside() -> String? { "moved" }

    func update(
      _ changes: (KeyValueContents) -> KeyValueChanges
    ) throws(KeyValueStoreError) -> KeyValueContents {
      writers.withLock { $0.append(.current) }
      if gate.wait(timeout: .now() + .seconds(600)) == .timedOut {
        throw .unavailable("The gate was never opened.")
      }
      gate.signal()
      let changes = changes(load())
      if changes.all.contains(where: { $0.key == "large" }) {
        throw .tooLarge(path: "here", limit: 1)
      }
      return backend.update { _ in changes }
    }
  }

  @Test(arguments: [WritePolicy.durable, .coalesced(within: .seconds(100_000))])
  func aSetAfterTheCallOfSaveWins(_ writes: WritePolicy) async throws {
    let backend = GatedBackend()
    let store = KeyValueStore(backend, writes: writes)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let other = StoredValue(wrappedValue: 0, "other", in: store)
    // A save before the set waits for the first write, and is written after the set.
    async let first: Void = other.save(1)
    try await suspend { backend.writingThreads.count == 1 }
    async let saved: Void = number.save(5)
    try await suspend { store.openBatch.withLock { $0?.saves.count == 1 } }
    // In a durable store, the set waits for its write.
    let set = Task.detached { await runBlocking { number.wrappedValue = 7 } }
    try await suspend { store.state.withLock { $0.isUnsaved(StoredKey("number")) } }
    backend.open()
    try await first
    try await saved
    #expect(number.wrappedValue == 7)
    try await store.synchronize()
    #expect(backend.load()["number"].map { Array($0) } == Array("7".utf8))
    await set.value
  }

  @Test(arguments: KeyValueFormat.allCases)
  func asynchronousMethodsDoWhatTheSynchronousOnesDo(_ format: KeyValueFormat) async throws {
    let file = try TestFile(format)
    let store = file.open(.coalesced(within: .seconds(100_000)))
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    #expect(try await number.load() == 0)
    try await number.save(1)
    try await store.set(2, for: "other")
    #expect(try await store.keys() == ["number", "other"])
    #expect(try await store.value(of: "other") == 2)
    let sum = try await store.transaction {
      number.wrappedValue += 2
      try store.remove("other")
      return number.wrappedValue
    }
    #expect(sum == 3)
    number.wrappedValue = 4
    #expect(try await file.open().value(of: "number") == 3)
    try await store.synchronize()
    try await file.open().set(5, for: "number")
    try await store.load()
    #expect(number.wrappedValue == 5)
    try await store.remove("number")
    #expect(try await file.open().keys() == [])
  }

  @Test func errorsAreThrown() async throws {
    let file = try TestFile()
    try file.overwrite("{")
    let store = file.open()
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    await #expect(throws: KeyValueStoreError.self) { try await store.load() }
    await #expect(throws: KeyValueStoreError.self) { try await number.load() }
    await #expect(throws: KeyValueStoreError.self) { try await number.save(1) }
    await #expect(throws: KeyValueStoreError.self) { try await store.set(1, for: "number") }
    await #expect(throws: KeyValueStoreError.self) { try await store.transaction {} }
    let moved = try #require(try await store.moveAsideUnreadableFile())
    #expect(moved.hasPrefix("\(file.path).unreadable-"))
    try await store.set(1, for: "number")
    await #expect(throws: CancellationError.self) {
      try await store.transaction {
        number.wrappedValue = 2
        throw CancellationError()
      }
    }
    #expect(try await number.load() == 1)
  }

  /// More tasks than the cooperative pool has threads wait, while another task opens the gate.
  @Test func waitingTasksBlockNoThreadOfThePool() async throws {
    let backend = GatedBackend()
    let store = KeyValueStore(backend)
    try await withThrowingTaskGroup { group in
      for number in 0..<1_000 {
        group.addTask {
          switch number % 4 {
          case 0: try await store.set(number, for: "\(number)")
          case 1: try await StoredValue(wrappedValue: 0, "\(number)", in: store).save(number)
          case 2: try await store.transaction { try store.set(number, for: "\(number)") }
          default: try await store.synchronize()
          }
        }
      }
      group.addTask {
        while backend.writingThreads.isEmpty { await Task.yield() }
        // A read does not wait for the write.
        try await store.load()
        #expect(try await store.keys() == [])
        backend.open()
      }
      try await group.waitForAll()
    }
    #expect(try await store.keys().count == 750)
    #expect(Set(backend.writingThreads).count == 1)
  }

  @Test func savesOfManyTasksShareWrites() async throws {
    let backend = GatedBackend()
    let store = KeyValueStore(backend)
    try await withThrowingTaskGroup { group in
      group.addTask { try await store.set(0, for: "0") }
      while backend.writingThreads.isEmpty { await Task.yield() }
      for number in 1..<1_000 { group.addTask { try await store.set(number, for: "\(number)") } }
      group.addTask {
        while store.openBatch.withLock({ $0?.saves.count ?? 0 }) < 999 { await Task.yield() }
        backend.open()
      }
      try await group.waitForAll()
    }
    #expect(try await store.keys().count == 1_000)
    #expect(backend.writingThreads.count == 2)
  }

  @Test func saveThatIsRefusedFailsAlone() async throws {
    let backend = GatedBackend()
    let store = KeyValueStore(backend)
    try await withThrowingTaskGroup { group in
      for number in 0..<50 {
        group.addTask {
          if number == 25 {
            await #expect(throws: KeyValueStoreError.tooLarge(path: "here", limit: 1)) {
              try await store.set(number, for: "large")
            }
          } else {
            try await store.set(number, for: "\(number)")
          }
        }
      }
      while backend.writingThreads.isEmpty { await Task.yield() }
      backend.open()
      try await group.waitForAll()
    }
    #expect(try await store.keys().count == 49)
  }

  /// The main actor starts its tasks in order, and each runs until its call.
  @MainActor @Test func writesHappenInTheOrderOfTheCalls() async throws {
    let backend = GatedBackend()
    let store = KeyValueStore(backend)
    let order = StoredValue(wrappedValue: [Int](), "order", in: store)
    let last = StoredValue(wrappedValue: -1, "last", in: store)
    let tasks = (0..<200).map { number in
      Task {
        if number % 4 == 3 {
          try await store.transaction { order.wrappedValue.append(last.wrappedValue) }
        } else {
          try await last.save(number)
        }
      }
    }
    // Runs when all calls have been made.
    await Task { backend.open() }.value
    for task in tasks { try await task.value }
    #expect(order.wrappedValue == (0..<50).map { $0 * 4 + 2 })
  }

  @TaskLocal private static var name = "none"

  @Test func transactionIsPartOfTheTask() async throws {
    let store = KeyValueStore()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await Self.$name.withValue("scope") {
        try await store.transaction { (Self.name, Task.isCancelled) }
      }
    }
    task.cancel()
    #expect(try await task.value == ("scope", true))
  }

  @Test func cancelledTaskCanStillSave() async throws {
    let file = try TestFile()
    let store = file.open(.coalesced(within: .seconds(100_000)))
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    number.wrappedValue = 1
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await store.synchronize()
      try await store.set(2, for: "other")
    }
    task.cancel()
    try await task.value
    #expect(try await file.open().keys() == ["number", "other"])
  }

  @Test(.forks) func forkedChildNeedsNoThread() async throws {
    let file = try TestFile()
    await #expect(processExitsWith: .success) { [path = file.path as String] in
      let store = KeyValueStore(json: URL(filePath: path))
      try await store.set(1, for: "parent")
      guard let child = try ForkedChild.fork() else {
        do {
          try await store.set(2, for: "child")
          let number = try await store.transaction { try store.value(of: "parent") ?? 0 }
          _exit(number == 1 ? 0 : 1)
        } catch {
          _exit(2)
        }
      }
      try child.wait()
      try await store.set(3, for: "later")
    }
    #expect(try await file.open().keys() == ["child", "later", "parent"])
  }
}
