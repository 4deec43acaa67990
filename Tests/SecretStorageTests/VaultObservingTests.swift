import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct VaultObservingTests {
  private let vault = TestVault()

  /// Waits for a change that is on its way; a test that waits for ever is stopped by its limit.
  private func wait(
    for stream: AsyncStream<Void>, until condition: () throws -> Bool
  ) async throws {
    if try condition() { return }
    for await _ in stream where try condition() { return }
  }

  @Test(.timeLimit(.minutes(10)))
  func anotherProcessIsHeard() async throws {
    let object = vault.open()
    let changes = object.changes
    try ChildProcess("write", on: vault, ["1", "1", "p"], journal: vault.path("journal")).wait()
    try await wait(for: changes) { try !object.items(matching: .all).isEmpty }
    #expect(try object.verify().isSound)
  }

  @Test(.timeLimit(.minutes(10)))
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

  /// A read may meet another's change before the kernel's report of it does; who observes must hear
  /// of the change all the same.
  @Test(.timeLimit(.minutes(10)))
  func changeThatAReaderMetFirstIsStillHeard() async throws {
    let object = vault.open()
    let other = vault.open()
    for round in 0..<20 {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let observation = object.observeChanges { continuation.yield() }
      try other.add("value", account: "\(round)")
      // At once, so that it comes before the report as often as not.
      _ = try object.items(matching: .all)
      for await _ in stream { break }
      withExtendedLifetime(observation) {}
    }
  }

  @Test(.timeLimit(.minutes(10)))
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

  @Test(.timeLimit(.minutes(10)))
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
}
