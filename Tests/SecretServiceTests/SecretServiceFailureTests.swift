import CLibrary
import Concurrency
import FoundationEssentials
import SecretStorage
import StorageInternals
import TestSupport
import Testing

@testable import SecretService

/// What accesses do while the daemon is missing, locked, stopped or killed.
@Suite(.withDaemon) struct SecretServiceFailureTests {
  private static let identity = ItemIdentity.generic(service: "mail", account: "peter")

  private func add(_ secret: String, to store: SecretServiceStore) throws -> SecretItem {
    try store.add(
      Secret(secret.utf8), identity: Self.identity, attributes: ItemAttributes())
  }

  private func expectUnavailable(
    _ part: String, _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      try body()
      Issue.record("The access succeeded.", sourceLocation: sourceLocation)
    } catch SecretStoreError.unavailable(let reason) {
      #expect(reason.contains(part), "\(reason)", sourceLocation: sourceLocation)
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
    }
  }

  @Test func withoutABusAnAccessSaysSo() throws {
    let none = SecretServiceStore(environment: [:])
    expectUnavailable("DBUS_SESSION_BUS_ADDRESS") { _ = try none.items(matching: .all) }
    let directory = try TemporaryDirectory()
    let dead = SecretServiceStore(environment: ["XDG_RUNTIME_DIR": directory.path])
    expectUnavailable("cannot be reached") { _ = try dead.items(matching: .all) }
    let program = SecretServiceStore(
      environment: ["DBUS_SESSION_BUS_ADDRESS": "unixexec:path=/bin/false"])
    expectUnavailable("not that of a Unix socket") { _ = try program.items(matching: .all) }
    let observation = dead.observeChanges {}
    observation.cancel()
  }

  @Test func withoutADaemonAnAccessSaysSoAndStartsNone() throws {
    let bus = try TestBus(password: nil)
    let store = bus.store()
    expectUnavailable("No Secret Service runs") { _ = try store.items(matching: .all) }
    expectUnavailable("No Secret Service runs") { _ = try add("secret", to: store) }
    let names = try bus.run(
      "busctl --address=\"$DBUS_SESSION_BUS_ADDRESS\" list --acquired --no-legend")
    #expect(!String(decoding: names.output, as: UTF8.self).contains("org.freedesktop.secrets"))
    // The same store works once there is one.
    try bus.startDaemon()
    let item = try add("secret", to: store)
    #expect(try store.secret(of: item.id)?.secret == Secret("secret".utf8))
  }

  @Test func withoutACollectionAnAccessSaysSo() throws {
    let bus = try TestBus(password: nil)
    try bus.startDaemon(password: "", isUnlocked: false)
    let store = bus.store()
    expectUnavailable("no default keyring") { _ = try store.items(matching: .all) }
    expectUnavailable("no default keyring") { _ = try add("secret", to: store) }
  }

  @Test func lockedIsNeverAbsent() async throws {
    let bus = try TestBus()
    let store = bus.store()
    let item = try add("secret", to: store)
    let password = PasswordItem<String>(Self.identity, in: bus.store())
    #expect(password.value == "secret")
    try store.lock()
    for fresh in [store, bus.store()] {
      #expect(throws: SecretStoreError.locked) {
        try fresh.items(matching: .exactly(Self.identity))
      }
      #expect(throws: SecretStoreError.locked) { try fresh.items(matching: .all) }
      #expect(throws: SecretStoreError.locked) { try fresh.secret(of: item.id) }
      #expect(throws: SecretStoreError.locked) { try add("other", to: fresh) }
      #expect(throws: SecretStoreError.locked) {
        try fresh.update(item.id, expecting: 1, attributes: nil, secret: Secret([1]))
      }
      #expect(throws: SecretStoreError.locked) { try fresh.remove(item.id, expecting: 1) }
    }
    #expect(password.value == nil)
    #expect(password.status == .locked)
    // Without a display, the daemon dismisses its prompt.
    await #expect {
      try await store.unlock(within: .seconds(10))
    } throws: { error in
      guard let error = error as? SecretStoreError else { return false }
      if case .denied = error { return true }
      return error == .locked
    }
  }

  @Test func keyringThatWasNeverUnlockedIsLocked() throws {
    let bus = try TestBus()
    let item = try add("secret", to: bus.store())
    bus.stopDaemon()
    try bus.startDaemon(isUnlocked: false)
    let store = bus.store()
    #expect(throws: SecretStoreError.locked) { try store.items(matching: .exactly(Self.identity)) }
    #expect(throws: SecretStoreError.locked) { try store.secret(of: item.id) }
  }

  @Test func restartOfTheDaemonIsSurvived() throws {
    let bus = try TestBus()
    let store = bus.store()
    let item = try add("secret", to: store)
    let password = PasswordItem<String>(Self.identity, in: store)
    #expect(password.value == "secret")
    for number in 1...3 {
      bus.stopDaemon()
      expectUnavailable("No Secret Service runs") { _ = try store.secret(of: item.id) }
      try bus.startDaemon()
      #expect(try store.secret(of: item.id)?.secret == Secret("secret".utf8))
      password.value = "secret"
      #expect(password.error == nil, "\(number)")
    }
  }

  @Test func stoppedDaemonEndsAnAccessInTime() throws {
    let bus = try TestBus()
    let store = bus.store(timeLimit: .seconds(1))
    let item = try add("secret", to: store)
    bus.signalDaemon(SIGSTOP)
    let start = ContinuousClock.now
    expectUnavailable("did not answer") { _ = try store.secret(of: item.id) }
    expectUnavailable("did not answer") { _ = try store.items(matching: .all) }
    #expect(throws: SecretStoreError.self) {
      try store.update(
        item.id, expecting: item.revision, attributes: nil, secret: Secret("new".utf8))
    }
    #expect(ContinuousClock.now - start < .seconds(30))
    bus.signalDaemon(SIGCONT)
    #expect(try store.secret(of: item.id)?.secret == Secret("secret".utf8))
  }

  @Test func writeThatTheDaemonMadeTooLateIsMendedByTheNextReader() throws {
    let bus = try TestBus()
    let store = bus.store()
    let item = try add("old", to: store)
    let password = PasswordItem<String>(Self.identity, refreshPolicy: .onChange, in: bus.store())
    #expect(password.value == "old")
    // What a writer leaves that is killed between the secret and the attributes.
    var path = ""
    try store.access.withDaemon(by: Deadline(after: .seconds(20))) { daemon, paths in
      path = paths[item.id] ?? ""
      let files = try WriterFiles(
        in: store.access.runtimeDirectory, busIdentifier: daemon.busIdentifier)
      let new = SecretItem(
        id: item.id, identity: item.identity, attributes: ItemAttributes(label: "New"),
        creationDate: item.creationDate, modificationDate: item.modificationDate,
        revision: item.revision + 1)
      try files.write(
        WriterFiles.Intent(
          path: path, attributes: store.layout.ownAttributes(of: new), stored: Secret("new".utf8)))
      try daemon.setSecret(Secret("new".utf8), of: path)
    }
    let reader = bus.store()
    let found = try #require(try reader.items(matching: .exactly(Self.identity)).first)
    #expect(found.revision == item.revision + 1)
    #expect(found.attributes.label == "New")
    #expect(try reader.secret(of: item.id)?.secret == Secret("new".utf8))
    try wait { password.value == "new" }
    #expect(throws: SecretStoreError.conflict) {
      try store.update(item.id, expecting: item.revision, attributes: nil, secret: Secret([1]))
    }
  }

  @Test func noteOfAChangeThatWasNotMadeChangesNothingButTheRevision() throws {
    let bus = try TestBus()
    let store = bus.store()
    let item = try add("old", to: store)
    try store.access.withDaemon(by: Deadline(after: .seconds(20))) { daemon, paths in
      let files = try WriterFiles(
        in: store.access.runtimeDirectory, busIdentifier: daemon.busIdentifier)
      let new = SecretItem(
        id: item.id, identity: item.identity, attributes: ItemAttributes(label: "New"),
        creationDate: item.creationDate, modificationDate: item.modificationDate, revision: 2)
      try files.write(
        WriterFiles.Intent(
          path: paths[item.id] ?? "", attributes: store.layout.ownAttributes(of: new),
          stored: Secret("new".utf8)))
    }
    let found = try #require(try bus.store().items(matching: .all).first)
    #expect(found.attributes == item.attributes)
    #expect(try bus.store().secret(of: item.id)?.secret == Secret("old".utf8))
  }

  /// As after a restart of the daemon, which gives the path of one item to another.
  @Test func noteOfAChangeDoesNotTouchAnotherProgramsItemAtItsPath() throws {
    let bus = try TestBus()
    _ = try bus.run("printf foreign | secret-tool store --label=F service other account peter")
    _ = try add("secret", to: bus.store())
    let store = bus.store(layout: .secretTool)
    func attributes() throws -> [String: String] {
      try store.access.withDaemon(by: Deadline(after: .seconds(20))) { daemon, _ in
        let path = try #require(try daemon.search(["service": "other"]).unlocked.first).value
        daemon.forget(path)
        let found = try daemon.record(of: path, withDetails: false).attributes
        let files = try WriterFiles(
          in: store.access.runtimeDirectory, busIdentifier: daemon.busIdentifier)
        var changed = try store.layout.foreignAttributes(of: Self.identity)
        changed[ItemLayout.revisionKey] = "7"
        try files.write(
          WriterFiles.Intent(path: path, attributes: changed, stored: Secret("new".utf8)))
        return found
      }
    }
    let before = try attributes()
    let other = ItemIdentity.generic(service: "other", account: "peter")
    #expect(try store.items(matching: .exactly(other)).count == 1)
    #expect(try attributes() == before)
  }

  @Test func duplicatesOfOtherProgramsAreHiddenAndKept() throws {
    let bus = try TestBus()
    let store = bus.store()
    let item = try add("first", to: store)
    try store.access.withDaemon(by: Deadline(after: .seconds(20))) { daemon, _ in
      let copy = SecretItem(
        id: SecretItem.ID(uuid: UUID()), identity: Self.identity, attributes: ItemAttributes(),
        creationDate: item.creationDate.addingTimeInterval(1),
        modificationDate: item.modificationDate, revision: 1)
      let collection = try #require(try daemon.defaultCollection())
      _ = try daemon.create(
        in: collection, label: "Copy", attributes: store.layout.ownAttributes(of: copy),
        secret: Secret("second".utf8))
    }
    #expect(try bus.store().items(matching: .exactly(Self.identity)) == [item])
    #expect(try bus.store().items(matching: .all) == [item])
    #expect(throws: SecretStoreError.duplicate) { try add("third", to: store) }
    let all = try bus.run("secret-tool search --all service mail 2>&1")
    #expect(String(decoding: all.output, as: UTF8.self).contains("secret = second"))
  }

  @Test func encryptedSessionHidesSecretsFromABusMonitor() throws {
    let bus = try TestBus()
    let monitor = try bus.start(
      "exec dbus-monitor --address \"$DBUS_SESSION_BUS_ADDRESS\"", output: "monitor")
    let log = { String(decoding: try content(of: bus.directory("monitor")), as: UTF8.self) }
    try wait { try log().contains("NameAcquired") }
    let store = bus.store()
    let item = try add("The Valley Wind", to: store)
    #expect(try store.secret(of: item.id)?.secret == Secret("The Valley Wind".utf8))
    let updated = try store.update(
      item.id, expecting: item.revision, attributes: ItemAttributes(label: "mark of the end"),
      secret: Secret("The Valley Storm".utf8))
    #expect(updated.revision == 2)
    try wait { try log().contains("mark of the end") }
    #expect(try log().contains("dh-ietf1024-sha256-aes128-cbc-pkcs7"))
    #expect(try !log().contains("The Valley"))
    monitor.stop()
  }

  @Test func whatTheDesktopCannotKeepIsRefused() throws {
    let bus = try TestBus()
    let store = bus.store()
    for control in [
      AccessControl(.always), AccessControl(.whenUnlockedThisDeviceOnly),
      AccessControl(flags: .userPresence), AccessControl(flags: .applicationPassword),
    ] {
      #expect {
        try store.add(
          Secret([1]), identity: Self.identity,
          attributes: ItemAttributes(accessControl: control))
      } throws: { error in
        if case .unsupported = error as? SecretStoreError { true } else { false }
      }
    }
    #expect(try store.items(matching: .all).isEmpty)
  }
}
