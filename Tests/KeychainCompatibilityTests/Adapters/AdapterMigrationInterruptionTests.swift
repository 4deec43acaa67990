import CLibrary
import Concurrency
import FoundationEssentials
import KeychainCompatibility
import SecretStorage
import StorageInternals
import TestSupport
import Testing

/// Migrations that end before they are complete.
struct AdapterMigrationInterruptionTests {
  /// A text that is JSON again after its conversion, so that converting it twice would show.
  private static let json = #""\"twice\"""#

  private func migration(_ keys: [String], in store: any SecretStore) -> AdapterMigration {
    var migration = AdapterMigration(serviceIdentifier: "service", in: store)
    for key in keys { migration.convert(key, as: String.self) }
    return migration
  }

  @Test(arguments: [true, false])
  func runThatEndsAtAnyWriteIsFinishedByTheNext(_ losesOnlyTheAnswer: Bool) throws {
    var writes = 0
    while true {
      let store = InMemorySecretStore()
      for key in ["a", "b"] { try store.add(json: Self.json, "service", key) }
      let interrupted = InterruptedStore(
        store, after: writes, losesOnlyTheAnswer: losesOnlyTheAnswer)
      do {
        try migration(["a", "b"], in: interrupted).run()
        break
      } catch {
        #expect(error as? SecretStoreError == InterruptedStore.interruption)
      }
      for key in ["a", "b"] {
        // The item is either unchanged or converted.
        let text = try #require(try store.text("service", key))
        #expect([Self.json, #""twice""#].contains(text))
      }
      try migration(["a", "b"], in: store).run()
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
    let ending = InterruptedStore(store, after: writes, losesOnlyTheAnswer: false)
    #expect(throws: InterruptedStore.interruption) { try migration(["key"], in: ending).run() }
    return store
  }

  @Test(arguments: [1, 2])
  func itemThatWasChangedMeanwhileIsAConflict(_ writes: Int) throws {
    let store = try interrupted(after: writes)
    let password = PasswordItem<String>(.generic(service: "service", account: "key"), in: store)
    password.value = "\"new\""
    let before = store.revision()
    #expect(try migration(["key"], in: store).run(isDryRun: true).keys(.conflict) == ["key"])
    #expect(try migration(["key"], in: store).run().keys(.conflict) == ["key"])
    #expect(store.revision() == before)
    #expect(password.value == "\"new\"")
    #expect(try store.names() == ["service/key", "service.migration/key"])
  }

  @Test(arguments: [1, 2])
  func itemThatWasRemovedMeanwhileLeavesNoCopy(_ writes: Int) throws {
    let store = try interrupted(after: writes)
    let item = try #require(
      store.items(matching: .exactly(.generic(service: "service", account: "key"))).first)
    try store.remove(item.id, expecting: item.revision)
    #expect(try migration(["key"], in: store).run().keys(.absent) == ["key"])
    #expect(try store.names() == [])
  }

  /// A run searches for the note of the key, the item, its copy, and the note again.
  @Test(arguments: 0..<6)
  func migrationOfAnotherProcessAtAnyMomentConvertsOnce(_ moment: Int) throws {
    let store = InMemorySecretStore()
    try store.add(json: Self.json, "service", "key")
    let other = migration(["key"], in: store)
    let searches = Lock(0)
    let watched = InterruptedStore(store) { _ throws(SecretStoreError) in
      let number = searches.withLock { count in
        defer { count += 1 }
        return count
      }
      if number == moment { #expect(throws: Never.self) { try other.run() } }
    }
    try migration(["key"], in: watched).run()
    #expect(searches.withLock { $0 } > moment)
    #expect(try store.text("service", "key") == #""twice""#)
    #expect(try store.names() == ["service/key", "service.migration/-"])
  }

  @Test func strangeItemsInThePlaceOfTheMigrationsOwnAreRefused() throws {
    let store = InMemorySecretStore()
    try store.add(json: Self.json, "service", "key")
    try store.add(json: "strange", "service.migration", "key")
    #expect(throws: SecretStoreError.self) { try migration(["key"], in: store).run() }
    #expect(try store.text("service", "key") == Self.json)

    try store.add(json: "strange", "service.migration", nil)
    #expect(throws: SecretStoreError.self) { try migration(["other"], in: store).run() }
  }

  @Test func runOfAKilledProcessIsFinishedByTheNext() throws {
    let keys = (0..<60).map { "key \($0)" }
    var partial = 0
    for round in 0..<Campaign.size(sample: 5, full: 200) {
      let directory = try VaultDirectory()
      let vault = directory.open()
      for key in keys { try vault.add(json: Self.json, "service", key) }
      let journal = directory.directory("journal-\(round)")
      let child = try ChildProcess(
        executable: "VaultProcess",
        ["convert", directory.path, directory.statePath, "service"] + keys, output: journal)
      let first = directory.open()
      try wait { try child.hasEnded || first.names().contains("service.migration/-") }
      usleep(UInt32.random(in: 0..<100_000))
      child.stop()
      let status = child.end()
      #expect(status == SIGKILL || status == 0)

      let object = directory.open()
      let report = try migration(keys, in: object).run()
      let done = report.keys(.alreadyConverted).count
      if done > 0, done < keys.count { partial += 1 }
      #expect(done + report.keys(.converted).count == keys.count)
      let other = directory.open()
      for key in keys { #expect(try other.text("service", key) == #""twice""#) }
      #expect(
        try other.names() == Set(keys.map { "service/\($0)" } + ["service.migration/-"]))
      #expect(try other.items(matching: .all).count == keys.count + 1)
      #expect(try other.verify().isSound)
    }
    // A campaign that never interrupted a migration halfway would prove nothing.
    if Campaign.isFull { #expect(partial > 0) }
  }
}
