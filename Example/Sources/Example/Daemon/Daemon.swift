import Dispatch
import FoundationEssentials
import KeyValueStorage
import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A whole daemon: it follows its settings and tells of mistakes in them, keeps a token in a vault
/// that locks by itself, and ends at SIGTERM.
///
/// ```
/// Example daemon --settings daemon.json --vault secrets.vault --state state
/// ```
enum Daemon {
  /// What the daemon says: at `debug` also the keys of changed settings.
  private enum Level: String, Codable, CaseIterable { case info, debug }

  static func run(_ options: Options) async throws {
    // Before any question, so that a mistake in the settings is known first.
    let store = settings(options["settings"])
    @StoredValue("greeting", in: store) var greeting = "Hello"
    @StoredValue("lockAfter", in: store) var lockAfter = 300.0
    @StoredValue("starts", in: store) var starts = 0
    // A constant, because closures on other threads use it.
    let level = StoredValue(wrappedValue: Level.info, "level", in: store)
    _ = try $starts.load()
    // Mistakes in the values are printed on standard error, now and after each later edit.
    store.declare($greeting, $lockAfter, $starts, level)

    let vault = vault(options)
    try await unlock(vault)
    // After the question, which Ctrl-C ends together with the process.
    let ending = Ending()
    vault.automaticLocking = AutomaticLocking(afterIdle: .seconds(lockAfter))
    @GenericPassword(service: "daemon", account: "token", in: vault) var token: String?
    if try await $token.load() == nil {
      token = String(UInt128.random(in: .min ... .max), radix: 36)
      try await $token.save()
    }

    // The observations end when they are released, which is after the last line of this function.
    let observations = [
      $greeting.observe { old, new in say("greeting: \(old) → \(new)") },
      level.observe { old, new in say("level: \(old) → \(new)") },
      level.observeErrors { error in
        say(error == nil ? "level: valid again" : "level: still \(level.value)")
      },
      store.observe { key in
        if level.value == .debug { say("changed: \(key)") }
      },
      $lockAfter.observe { old, new in
        say("lockAfter: \(old) → \(new)")
        vault.automaticLocking = AutomaticLocking(afterIdle: .seconds(new))
      },
    ]
    let locking = vault.observeChanges {
      do {
        if try vault.isLocked { say("The vault is locked.") }
      } catch {
        say("\(error)")
      }
    }
    defer { withExtendedLifetime((observations, locking)) {} }

    store.reportUnknownKeys()
    // One atomic change in memory, which the store writes within its period.
    starts += 1
    say("\(greeting)! Start \(starts), with a token of \(token?.count ?? 0) characters.")
    let number = await ending.first()
    // Writes the coalesced changes now. An error is thrown, and the exit status is 1.
    try store.synchronize()
    say("Signal \(number): the settings are written.")
  }

  /// The settings of a file, or those of this user.
  private static func settings(_ path: String?) -> KeyValueStore {
    guard let path else { return .standard }
    return KeyValueStore(json: URL(filePath: path), writes: .coalesced(within: .seconds(60)))
  }

  /// The vault of the options, or that of this user.
  static func vault(_ options: Options) -> SecretVault {
    guard let path = options["vault"] else { return SecretVault() }
    return SecretVault(
      fileURL: URL(filePath: path),
      stateDirectory: options["state"].map { URL(filePath: $0, directoryHint: .isDirectory) })
  }

  /// Opens the vault with a passphrase, unless it has opened by itself.
  ///
  /// It does that with this device's key, or with a credential that systemd has put into
  /// `$CREDENTIALS_DIRECTORY` (`LoadCredentialEncrypted=`), if the vault has a slot for it. A
  /// service has no terminal, and fails where neither fits.
  static func unlock(_ vault: SecretVault, attempts: Int = 3) async throws {
    guard try vault.isLocked else { return }
    let conversation = TerminalConversation()
    for attempt in 1...attempts {
      let passphrase = try await conversation.ask(.hidden("Passphrase of the vault: "))
      do {
        return try vault.unlock(with: .passphrase(passphrase))
      } catch {
        guard case SecretStoreError.wrongPassphrase = error, attempt < attempts else { throw error }
      }
      try await conversation.show(.error("The passphrase is wrong."))
    }
  }

  /// Writes a line for the journal, also where nothing reads standard output any more.
  private static func say(_ text: String) {
    do {
      try Output.line(text)
    } catch {
      // A daemon outlives the reader of its output.
    }
  }
}

/// The signals that end a daemon, which have no other effect from now on.
private final class Ending {
  private let signals: AsyncStream<Int32>
  private let sources: [any DispatchSourceSignal]

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    signals = stream
    let isRegistered = DispatchSemaphore(value: 0)
    sources = [SIGTERM, SIGINT].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(number) }
      // Before the registration, the signal ends the process.
      source.setRegistrationHandler { isRegistered.signal() }
      source.activate()
      return source
    }
    for _ in sources { isRegistered.wait() }
  }

  deinit {
    for source in sources { source.cancel() }
  }

  /// Waits for the first signal.
  func first() async -> Int32 {
    for await number in signals { return number }
    return 0
  }
}
