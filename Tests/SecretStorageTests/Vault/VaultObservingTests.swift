import CLibrary
import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct VaultObservingTests {
  private let vault = TestVault()

  /// Waits for a change after which a condition is true.
  private func wait(
    for stream: AsyncStream<Void>, until condition: () throws -> Bool
  ) async throws {
    for await _ in stream where try condition() { return }
    Issue.record("The stream of changes ended.")
  }

  @Test func changeByAnotherProcessIsReported() async throws {
    let object = try vault.openWithItem()
    let item = object.property("p", .onChange)
    #expect(item.value == nil)
    let changes = object.changes
    try ChildProcess("compact", on: vault, ["5", "p"], journal: vault.path("journal")).wait()
    try await wait(for: changes) { try object.text("p") == "p 4" && item.value == "p 4" }
    #expect(try object.verify().isSound)
  }

  /// In a separate process, whose events are this test's alone.
  @Test func cancelledObserverIsNotCalled() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let vault = TestVault()
        let object = vault.open()
        let calls = Lock(0)
        let cancelled = object.observeChanges { calls.withLock { $0 += 1 } }
        // Observers are called in order, so that this one would be the second.
        let counts = Heard<Int?>()
        let witness = object.observeChanges { counts.hear(try? object.items(matching: .all).count) }
        cancelled.cancel()
        for number in 1...2 {
          try vault.open().add("value", account: "\(number)")
          counts.wait(for: number)
        }
        #expect(calls.withLock { $0 } == 0)
        withExtendedLifetime((cancelled, witness)) {}
      }
    }
  }

  /// Observers are notified even if a read finds the change before the kernel reports it.
  @Test func changeThatWasReadEarlierIsReported() async throws {
    let (object, other) = (vault.open(), vault.open())
    for round in 0..<10 {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let observation = object.observeChanges { continuation.yield() }
      try other.add("value", account: "\(round)")
      // At once, so that the read often comes before the kernel's report.
      _ = try object.items(matching: .all)
      for await _ in stream { break }
      withExtendedLifetime(observation) {}
    }
  }

  @Test func creationAndCompactionAreReported() async throws {
    let object = vault.open()
    #expect(try object.items(matching: .all) == [])
    let changes = object.changes
    let other = vault.open()
    for number in 0..<10 { try other.add("value \(number)", account: "\(number)") }
    try await wait(for: changes) { try object.items(matching: .all).count == 10 }
    let before = try object.texts()
    let revision = try object.revision()
    try other.compact()
    try await wait(for: changes) { try object.revision() != revision }
    #expect(try object.texts() == before)
  }

  @Test func lockAndUnlockAreReported() throws {
    let object = try vault.openWithItem()
    let heard = Heard<Bool>()
    let observation = object.observeChanges { heard.hear(object.isLockedByApp) }
    object.lock()
    heard.wait(for: true)
    try object.unlock()
    heard.wait(for: false)
    withExtendedLifetime(observation) {}
  }

  /// Otherwise, the thread of the file's events would take the calls for made.
  @Test func changeCountsAsNotifiedAfterTheCalls() throws {
    let object = vault.open()
    let wasNotified = Lock([Bool]())
    // Without the watch of the file, only this thread notifies.
    let handler: @Sendable () -> Void = {
      object.contents.withLock { contents in
        let session = contents.session
        wasNotified.withLock { $0.append(session.notifiedChangeCount == session.changeCount) }
        // Another thread reads a further change meanwhile.
        contents.session.changeCount += 1
      }
    }
    let observation = object.observers.add(handler, isSynchronous: true)
    try object.add("value", account: "a")
    #expect(wasNotified.withLock { $0 } == [false])
    let session = object.contents.withLock { $0.session }
    #expect(session.notifiedChangeCount + 1 == session.changeCount)
    observation.cancel()
  }

  @Test func propertyOfUnwatchedVaultIsNeverStale() async throws {
    let outage = Outage(of: .inotify, code: EMFILE)
    let object = vault.open(fileSystem: outage.fileSystem)
    let other = try vault.open().adding("0", account: "account")
    let item = object.property("account", .onChange)
    let writer = other.property("account")
    #expect(item.value == "0")
    for round in 1...5 {
      writer.value = "\(round)"
      #expect(item.value == "\(round)")
      item.value?.append("!")
      #expect(writer.value == "\(round)!")
      writer.value = nil
      #expect(item.value == nil)
      writer.value = "0"
    }
    #expect(object.diagnose().problems.contains { $0.text.contains("max_user_instances") })
    // Observers are told by polling.
    let changes = object.changes
    let heard = Heard<Bool>()
    let observation = object.observeChanges { heard.hear(true) }
    try other.add("1", account: "other")
    try await suspend { !heard.all.isEmpty }
    outage.end()
    try await suspend { object.fileWatch.withLock { $0.watch }?.problem == nil }
    writer.value = "watched again"
    try await wait(for: changes) { item.value == "watched again" }
    withExtendedLifetime(observation) {}
  }

  /// In a separate process, where no other test watches a file.
  @Test func thousandPropertiesShareOneInstanceAndThread() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let vaults = (0..<10).map { _ in TestVault() }
        let items = try vaults.flatMap { vault in
          let object = try vault.openWithItem()
          return (0..<100).map { _ in object.property("a", .onChange) }
        }
        func expectOneInstanceAndThread() throws {
          let targets = try FileSystem().targets(in: "/proc/self/fd")
          #expect(targets.count { $0.contains("inotify") } == 1)
          try TestSupport.wait { try FileSystem().threads(named: "locket") == ["locket-inotify"] }
        }
        #expect(items.allSatisfy { $0.value == "value" })
        try expectOneInstanceAndThread()
        for vault in vaults { vault.open().property("a").value = "1" }
        try TestSupport.wait { items.allSatisfy { $0.value == "1" } }
        try expectOneInstanceAndThread()
      }
    }
  }

  /// In a separate process, whose threads are this test's alone.
  @Test func blockedHandlersDelayOnlyTheirObjects() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let vault = TestVault()
        try vault.open().add("value", account: "a")
        let gate = DispatchSemaphore(value: 0)
        let heard = Lock(Set<Int>())
        let count = Campaign.size(sample: 100, full: 1000)
        let observed = (0..<count + 16).map { number in
          let object = vault.open()
          let observation = object.observeChanges {
            if number < count { heard.withLock { _ = $0.insert(number) } } else { gate.wait() }
          }
          return (object, observation)
        }
        try vault.open().add("value", account: "b")
        try TestSupport.wait { heard.withLock { $0.count } == count }
        // Two pools, and the thread of inotify.
        #expect(try FileSystem().threads(named: "locket").count <= 2 * 64 + 1)
        for _ in 0..<100 { gate.signal() }
        withExtendedLifetime(observed) {}
      }
    }
  }
}
