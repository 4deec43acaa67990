import Concurrency
import KeychainCompatibility
import Testing

/// Migrations that end before they are complete.
struct AdapterMigrationInterruptionTests {
  /// A text that is JSON again after its conversion, so that converting it twice would show.
  private static let json = #""\"twice\"""#

  @Test(arguments: [true, false])
  func nextRunFinishesOneThatEndedAtAWrite(_ losesOnlyTheAnswer: Bool) throws {
    var writes = 0
    while true {
      let store = InMemorySecretStore()
      for key in ["a", "b"] { try store.add(json: Self.json, "service", key) }
      let interrupted = InterruptedStore(
        store, after: writes, losesOnlyTheAnswer: losesOnlyTheAnswer)
      do {
        try converting(["a", "b"], in: interrupted).run()
        break
      } catch {
        #expect(error as? SecretStoreError == InterruptedStore.interruption)
      }
      for key in ["a", "b"] {
        // The item is either unchanged or converted.
        let text = try #require(try store.text("service", key))
        #expect([Self.json, #""twice""#].contains(text))
      }
      try converting(["a", "b"], in: store).run()
      for key in ["a", "b"] { #expect(try store.text("service", key) == #""twice""#) }
      #expect(try store.names() == ["service/a", "service/b", "service.migration/-"])
      writes += 1
    }
    // For each key: the copy, the item, the note, and the removal of the copy.
    #expect(writes == 8)
  }

  /// The state after an interruption behind the write of the copy, or behind that of the item.
  private func interrupted(after writes: Int) throws -> InMemorySecretStore {
    let store = InMemorySecretStore()
    try store.add(json: Self.json, "service", "key")
    let ending = InterruptedStore(store, after: writes)
    #expect(throws: InterruptedStore.interruption) { try converting(["key"], in: ending).run() }
    return store
  }

  @Test(arguments: [1, 2])
  func changeAfterAnInterruptionIsAConflict(_ writes: Int) throws {
    let store = try interrupted(after: writes)
    let password = PasswordItem<String>(.generic(service: "service", account: "key"), in: store)
    password.value = "\"new\""
    let before = store.revision()
    let conflict = ImportReport.Outcome.refused("It was changed after an interrupted run.")
    #expect(try converting(["key"], in: store).run(isDryRun: true).keys(conflict) == ["key"])
    #expect(try converting(["key"], in: store).run().keys(conflict) == ["key"])
    #expect(store.revision() == before)
    #expect(password.value == "\"new\"")
    #expect(try store.names() == ["service/key", "service.migration/key"])
  }

  @Test(arguments: [1, 2])
  func removalAfterAnInterruptionLeavesNoCopy(_ writes: Int) throws {
    let store = try interrupted(after: writes)
    let item = try #require(
      store.items(matching: .exactly(.generic(service: "service", account: "key"))).first)
    try store.remove(item.id, expecting: item.revision)
    #expect(try converting(["key"], in: store).run().keys(.absent) == ["key"])
    #expect(try store.names() == [])
  }

  /// A run searches for the note of the key, the item, its copy, and the note again.
  @Test(arguments: 0..<6)
  func concurrentMigrationConvertsOnce(_ moment: Int) throws {
    let store = InMemorySecretStore()
    try store.add(json: Self.json, "service", "key")
    let other = converting(["key"], in: store)
    let searches = Lock(0)
    let watched = InterruptedStore(store) { () throws(SecretStoreError) in
      let number = searches.withLock { count in
        defer { count += 1 }
        return count
      }
      if number == moment { #expect(throws: Never.self) { try other.run() } }
    }
    try converting(["key"], in: watched).run()
    #expect(searches.withLock { $0 } > moment)
    #expect(try store.text("service", "key") == #""twice""#)
    #expect(try store.names() == ["service/key", "service.migration/-"])
  }

  @Test func foreignItemsInTheServiceAreAnError() throws {
    let store = InMemorySecretStore()
    try store.add(json: Self.json, "service", "key")
    try store.add(json: "strange", "service.migration", "key")
    #expect(throws: SecretStoreError.self) { try converting(["key"], in: store).run() }
    #expect(try store.text("service", "key") == Self.json)

    try store.add(json: "strange", "service.migration", nil)
    #expect(throws: SecretStoreError.self) { try converting(["other"], in: store).run() }
  }
}
