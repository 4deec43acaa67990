import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct VaultObservingTests {
  private let vault = TestVault()

  /// Waits for an imminent change; the test's time limit ends a hang.
  private func wait(
    for stream: AsyncStream<Void>, until condition: () throws -> Bool
  ) async throws {
    if try condition() { return }
    for await _ in stream where try condition() { return }
  }

  @Test(.timeLimit(.minutes(30)))
  func anotherProcessIsHeard() async throws {
    let object = vault.open()
    let changes = object.changes
    try ChildProcess("write", on: vault, ["1", "1", "p"], journal: vault.path("journal")).wait()
    try await wait(for: changes) { try !object.items(matching: .all).isEmpty }
    #expect(try object.verify().isSound)
  }

  @Test(.timeLimit(.minutes(30)))
  func cancelledObserverHearsNothing() async throws {
    let object = vault.open()
    let calls = Lock(0)
    let cancelled = object.observeChanges { calls.withLock { $0 += 1 } }
    cancelled.cancel()
    let changes = object.changes
    try vault.open().add("value", account: "account")
    try await wait(for: changes) { try !object.items(matching: .all).isEmpty }
    #expect(calls.withLock { $0 } == 0)
    withExtendedLifetime(cancelled) {}
  }

  @Test(.timeLimit(.minutes(30)))
  func propertyReadsAgainWhatAnotherProcessWrote() async throws {
    let object = vault.open()
    try object.add("0", account: "counter")
    let item = PasswordItem<String>(
      .generic(service: "campaign", account: "counter"), refreshPolicy: .onChange, in: object)
    #expect(item.value == "0")
    let changes = object.changes
    try ChildProcess("increment", on: vault, ["5"], journal: vault.path("journal")).wait()
    try await wait(for: changes) { item.value == "5" }
  }

  /// A read may find another process's change before the kernel reports it; observers must be
  /// notified all the same.
  @Test(.timeLimit(.minutes(30)))
  func changeThatAReaderMetFirstIsStillHeard() async throws {
    let object = vault.open()
    let other = vault.open()
    for round in 0..<20 {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let observation = object.observeChanges { continuation.yield() }
      try other.add("value", account: "\(round)")
      // At once, so that the read often comes before the kernel's report.
      _ = try object.items(matching: .all)
      for await _ in stream { break }
      withExtendedLifetime(observation) {}
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func compactionByAnotherIsHeardAndReadsTheSame() async throws {
    let object = vault.open()
    let other = vault.open()
    for number in 0..<10 { try other.add("value \(number)", account: "\(number)") }
    let before = try object.texts()
    let changes = object.changes
    let revision = try object.revision()
    try other.compact()
    try await wait(for: changes) { try object.revision() != revision }
    #expect(try object.texts() == before)
  }

  @Test(.timeLimit(.minutes(30)))
  func vaultThatIsNotThereYetIsHeardOf() async throws {
    let object = vault.open()
    #expect(try object.items(matching: .all) == [])
    let changes = object.changes
    try vault.open().add("value", account: "a")
    try await wait(for: changes) { try object.text("a") == "value" }
  }

  @Test func lockingAndUnlockingIsHeard() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let heard = Heard<Bool>()
    let observation = object.observeChanges {
      heard.hear(object.contents.withLock { $0.keys.isLockedByApp })
    }
    object.lock()
    #expect(heard.wait(for: true))
    try object.unlock()
    #expect(heard.wait(for: false))
    withExtendedLifetime(observation) {}
  }

  /// A kernel that refuses to watch the file until it is told not to.
  private func refuse(_ isRefused: Lock<Bool>) -> FileSystem {
    FileSystem { call, _ in call == .inotify && isRefused.withLock { $0 } ? EMFILE : nil }
  }

  @Test(.timeLimit(.minutes(30)))
  func propertyOfAVaultThatIsNotWatchedIsNeverStale() async throws {
    let isRefused = Lock(true)
    let object = vault.open(fileSystem: refuse(isRefused))
    let other = vault.open()
    try other.add("0", account: "account")
    let identity = ItemIdentity.generic(service: "campaign", account: "account")
    let item = PasswordItem<String>(identity, refreshPolicy: .onChange, in: object)
    let writer = PasswordItem<String>(identity, in: other)
    #expect(item.value == "0")
    for round in 1...20 {
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
    let heard = Lock(false)
    let observation = object.observeChanges { heard.withLock { $0 = true } }
    try other.add("1", account: "other")
    try await suspend { heard.withLock { $0 } }
    isRefused.withLock { $0 = false }
    try await suspend { object.fileWatch.withLock { $0.watch }?.problem == nil }
    writer.value = "watched again"
    try await wait(for: changes) { item.value == "watched again" }
    withExtendedLifetime(observation) {}
  }

  /// In a process of its own, where no other test watches a file.
  @Test func aThousandPropertiesTakeOneInstanceAndOneThread() async {
    await #expect(processExitsWith: .success) {
      let vaults = (0..<10).map { _ in TestVault() }
      let items = try vaults.flatMap { vault in
        let object = vault.open()
        try object.add("0", account: "account")
        return (0..<100).map { _ in
          PasswordItem<String>(
            .generic(service: "campaign", account: "account"), refreshPolicy: .onChange, in: object)
        }
      }
      guard items.allSatisfy({ $0.value == "0" }) else { exit(1) }
      let instances = {
        try FileSystem().targets(in: "/proc/self/fd").count { $0.contains("inotify") }
      }
      guard try instances() == 1 else { exit(2) }
      try TestSupport.wait { try FileSystem().threads(named: "locket") == ["locket-inotify"] }
      for vault in vaults {
        PasswordItem<String>(.generic(service: "campaign", account: "account"), in: vault.open())
          .value = "1"
      }
      try TestSupport.wait { items.allSatisfy { $0.value == "1" } }
      guard try instances() == 1 else { exit(3) }
      try TestSupport.wait { try FileSystem().threads(named: "locket") == ["locket-inotify"] }
    }
  }
}
