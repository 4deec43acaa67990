import CLibrary
import Dispatch
import KeyValueStorage

// The ends of a process, a watch, and refused writes.
extension Job {
  private enum Ending: String {
    case `return`, exit, terminate, transaction, durableTransaction, change, changeBesideTransaction
    case wait, quickExit, exec
  }

  /// `way`: sets keys that are not due to be written for a long time, and ends.
  func end() throws {
    let way = try way(Ending.self)
    let store = try open(
      way == .durableTransaction ? .durable : .coalesced(within: .seconds(100_000)))
    // Never released, like an app's store, which usually is a static constant.
    _ = unsafe Unmanaged.passRetained(store)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let name = StoredValue(wrappedValue: "", "name", in: store)
    switch way {
    case .return, .exit, .terminate:
      number.wrappedValue = 1
      name.wrappedValue = "name"
      if way == .exit { exit(0) }
      if way == .terminate { waitForTermination() }
    case .transaction, .durableTransaction:
      if way == .transaction { StoredValue(wrappedValue: 0, "unsaved", in: store).wrappedValue = 1 }
      try store.transaction {
        number.wrappedValue = 1
        name.wrappedValue = "name"
        exit(0)
      }
    case .change:
      name.wrappedValue = "name"
      exitInside(&number.wrappedValue)
    case .changeBesideTransaction:
      dup2(STDOUT_FILENO, STDERR_FILENO)
      StoredValue(wrappedValue: 0, "unsaved", in: store).wrappedValue = 1
      let hasBegun = DispatchSemaphore(value: 0)
      let mayGoOn = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        do {
          try store.transaction {
            hasBegun.signal()
            mayGoOn.wait()
            name.wrappedValue = "name"
          }
        } catch {
          fatalError("\(error)")
        }
      }
      hasBegun.wait()
      func exitBeside(_ value: inout Int) {
        mayGoOn.signal()
        exitInside(&value)
      }
      exitBeside(&number.wrappedValue)
    case .wait:
      number.wrappedValue = 1
      printLine("ready")
      dispatchMain()
    case .quickExit:
      number.wrappedValue = 1
      quick_exit(0)
    case .exec:
      number.wrappedValue = 1
      var arguments = unsafe [strdup("true"), nil]
      // Returns only if it fails.
      unsafe execv("/bin/true", &arguments)
      throw Misuse()
    }
  }

  private func waitForTermination() -> Never {
    let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    source.setEventHandler { exit(0) }
    // Before the registration, the source does not receive signals.
    source.setRegistrationHandler { printLine("ready") }
    source.activate()
    withExtendedLifetime(source) { dispatchMain() }
  }

  private func exitInside(_ value: inout Int) -> Never {
    value = 1
    exit(0)
  }

  /// Prints each new value of the key `number`.
  func watch() throws {
    let number = StoredValue(wrappedValue: 0, "number", in: try open())
    let observation = number.observe { printLine("\($1)") }
    printLine("ready")
    withExtendedLifetime(observation) { dispatchMain() }
  }

  /// `user`: tries to write as another user, and again after the signal `USR1`.
  func refuse() throws {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGUSR1)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    try become(uid_t(try number(0)))
    // The output has the failures.
    KeyValueStore.onFailure = { _ in }
    let store = try open()
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    printLine("set\t\(outcome { try store.set(2, for: "other") })")
    number.wrappedValue = 7
    printLine("property\t\(number.wrappedValue)\t\(number.error?.description ?? "-")")
    printLine("ready")
    var received: Int32 = 0
    unsafe sigwait(&signals, &received)
    printLine("synchronize\t\(outcome(store.synchronize))")
    printLine("property\t\(number.wrappedValue)\t\(number.error?.description ?? "-")")
  }

  /// Becomes another user, if this one is root.
  func become(_ user: uid_t) throws {
    if geteuid() != 0 { return }
    guard setgid(user) == 0, setuid(user) == 0 else { throw Misuse() }
  }

  func outcome(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "-"
    } catch {
      return "\(error)"
    }
  }
}
