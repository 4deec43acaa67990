import CLibrary
import FoundationEssentials
import SecretService
import SecretStorage
import StorageTesting
import TestSupport
import Testing

@Suite(.withDaemon) struct DesktopStoreTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func store(
    on bus: TestBus, timeLimit: Duration = .seconds(25), environment: [String: String]? = nil
  ) -> DesktopStore {
    DesktopStore(
      keyring: SecretServiceStore(
        timeLimit: timeLimit, environment: environment ?? bus.environment),
      orVault: SecretVault(
        fileURL: URL(filePath: directory("vault")), stateDirectory: directory.url),
      rememberedIn: URL(filePath: directory("state/secret-store")))
  }

  @Test func keyringIsChosenAndRememberedWhileItsDaemonIsAway() throws {
    let bus = try TestBus()
    let password = PasswordItem<String>(.generic(service: "mail"), in: store(on: bus))
    password.value = "The Valley Wind"
    #expect(try store(on: bus).choice == .desktop)
    #expect(try bus.store().items(matching: .all).count == 1)
    bus.stopDaemon()
    #expect(password.value == "The Valley Wind")  // the last known value
    #expect(password.error != nil)
    #expect(throws: SecretStoreError.self) { try store(on: bus).items(matching: .all) }
    #expect(!FileManager.default.fileExists(atPath: directory("vault")))
  }

  @Test func lockedKeyringIsChosen() throws {
    let bus = try TestBus()
    try bus.store().lock()
    #expect(try store(on: bus).choice == .desktop)
  }

  @Test func vaultIsChosenAndRememberedWhenADaemonComes() throws {
    let bus = try TestBus(password: nil)
    let password = PasswordItem<String>(.generic(service: "mail"), in: store(on: bus))
    password.value = "The Valley Wind"
    #expect(password.error == nil)
    try bus.startDaemon()
    #expect(try store(on: bus).choice == .vault)
    #expect(try store(on: bus).items(matching: .all).count == 1)
    #expect(try bus.store().items(matching: .all).isEmpty)
  }

  private func expectNoDecision(_ store: DesktopStore) {
    #expect {
      try store.items(matching: .all)
    } throws: { error in
      if case .unavailable = error as? SecretStoreError { true } else { false }
    }
    #expect(!FileManager.default.fileExists(atPath: directory("state/secret-store")))
    #expect(!FileManager.default.fileExists(atPath: directory("vault")))
  }

  @Test(arguments: [true, false])
  func daemonOrBusThatDoesNotAnswerDecidesNothing(_ isDaemon: Bool) throws {
    let bus = try TestBus()
    let send = isDaemon ? bus.signalDaemon : bus.signalBus
    send(SIGSTOP)
    let stopped = store(on: bus, timeLimit: .milliseconds(500))
    expectNoDecision(stopped)
    send(SIGCONT)
    #expect(try store(on: bus).choice == .desktop)
    #expect(try stopped.items(matching: .all).isEmpty)
  }

  @Test func daemonWithoutADefaultKeyringDecidesNothing() throws {
    let bus = try TestBus(password: nil)
    try bus.startDaemon(password: "", isUnlocked: false)
    expectNoDecision(store(on: bus))
  }

  @Test func busThatNeedsAProgramDecidesNothing() throws {
    let bus = try TestBus(password: nil)
    expectNoDecision(
      store(on: bus, environment: ["DBUS_SESSION_BUS_ADDRESS": "unixexec:path=/bin/false"]))
  }

  @Test func vaultIsChosenWithoutABus() throws {
    let bus = try TestBus(password: nil)
    for environment in [[:], ["XDG_RUNTIME_DIR": directory("nowhere")]] {
      let store = store(on: bus, environment: environment)
      #expect(try store.choice == .vault)
      try FileManager.default.removeItem(atPath: directory("state/secret-store"))
    }
  }

  @Test func diagnosisDecidesNothing() throws {
    let bus = try TestBus()
    let store = store(on: bus)
    let before = Diagnosis(of: store)
    #expect(before.isHealthy && before.findings.contains { $0.text == "nothing yet" })
    #expect(!FileManager.default.fileExists(atPath: directory("state/secret-store")))
    #expect(try store.choice == .desktop)
    let after = Diagnosis(of: store)
    #expect(after.findings.contains { $0.text.hasPrefix("gnome-keyring-daemon, process ") })
    #expect(after.findings.contains { $0.text == "Login, unlocked, for new items" })
    bus.stopDaemon()
    #expect(!Diagnosis(of: store).isHealthy)
  }

  @Test func unreadableDecisionIsAnErrorAndNoDecision() throws {
    let bus = try TestBus(password: nil)
    try FileManager.default.createDirectory(
      atPath: directory("state"), withIntermediateDirectories: true)
    try Data("other\n".utf8).write(to: URL(filePath: directory("state/secret-store")))
    #expect(throws: SecretStoreError.self) { try store(on: bus).items(matching: .all) }
  }
}
