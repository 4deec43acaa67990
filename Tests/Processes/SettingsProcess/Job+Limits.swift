import CLibrary
import KeyValueStorage

// Work without new threads, under a held lock, and up to a busy end.
extension Job {
  /// `user`: performs each operation as another user, who cannot create threads, and prints a line.
  func withoutThreads() throws {
    try become(uid_t(try number(0)))
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    // The C library's constant is an enumeration's in Glibc, and a number in Musl.
    #if canImport(Glibc)
      let code = unsafe setrlimit(__rlimit_resource_t(6), &limit)
    #else
      let code = unsafe setrlimit(RLIMIT_NPROC, &limit)
    #endif
    guard code == 0, try !Self.canMakeAThread() else { throw Misuse() }
    KeyValueStore.onFailure = { printLine("report\t\($0)") }
    let store = try open()
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    number.wrappedValue = 1
    printLine("set\t\(number.error?.description ?? "-")")
    printLine("get\t\(number.wrappedValue)")
    number.wrappedValue += 1
    printLine("change\t\(number.error?.description ?? "-")")
    printLine("load\t\(outcome(store.load))")
    printLine("save\t\(outcome { try number.save(3) })")
    try store.transaction { number.wrappedValue += 1 }
    printLine("keys\t\(try store.keys().joined(separator: ","))")
    let observations = [number.observe { _, _ in }, store.observe { _ in }]
    number.wrappedValue = 5
    printLine("observed\t\(number.error?.description ?? "-")")
    withExtendedLifetime(observations) {}
    let other = try open(.coalesced(within: .milliseconds(1)))
    StoredValue(wrappedValue: 0, "synchronized", in: other).wrappedValue = 1
    printLine("synchronize\t\(outcome(other.synchronize))")
    // Changes of another store are visible although no thread observes the file.
    printLine("get\t\(StoredValue(wrappedValue: 0, "synchronized", in: store).wrappedValue)")
    let last = try open(.coalesced(within: .seconds(100_000)))
    // Never released, like an app's store, which usually is a static constant.
    _ = unsafe Unmanaged.passRetained(last)
    StoredValue(wrappedValue: 0, "atExit", in: last).wrappedValue = 1
    printLine("over")
    exit(0)
  }

  private static func canMakeAThread() throws -> Bool {
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    // The thread uses no memory of this one.
    return unsafe pthread_create(&thread, nil, { _ in nil }, nil) == 0
  }

  /// Begins a transaction, prints `ready`, and stays in it.
  func hold() throws {
    let store = try open()
    try store.transaction {
      StoredValue(wrappedValue: 0, "held", in: store).wrappedValue = 1
      printLine("ready")
      while true { pause() }
    }
  }

  /// Sets keys, and ends while another process has the lock; prints what goes to standard error.
  func endBusy() throws {
    dup2(STDOUT_FILENO, STDERR_FILENO)
    for number in 0..<3 {
      let store = try open(.coalesced(within: .seconds(100_000)))
      _ = unsafe Unmanaged.passRetained(store)
      StoredValue(wrappedValue: 0, "key \(number)", in: store).wrappedValue = number
    }
    printLine("ready")
  }
}
