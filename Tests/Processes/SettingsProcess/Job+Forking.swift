import CLibrary
import Dispatch
import FoundationEssentials
import KeyValueStorage

// The uses of settings in forked children.
extension Job {
  /// The first use that a forked child makes of its parent's settings.
  private enum FirstUse: CaseIterable {
    case get, set, change, load, save, keys, transaction, synchronize, writeDefaults, observe, exit
    case nothing

    /// Whether the use is reported on standard error, because it cannot throw.
    var isReported: Bool { [.set, .change, .observe].contains(self) }
  }

  /// `count`: forks that many children, which use the settings, while its threads are busy.
  func forkChildren() throws {
    let store = try open(.coalesced(within: .seconds(100_000)))
    let settings = Settings(store)
    // Not written yet when the parent forks; it sets another value later.
    settings.unsaved.wrappedValue = 1
    // Swift's runtime instantiates generic types at their first use, under locks of its own.
    try warmUp()
    settings.keepBusy(with: try open())
    for number in 0..<(try self.number(0)) {
      let use = FirstUse.allCases[number % FirstUse.allCases.count]
      let child = Self.fork()
      if child == 0 {
        KeyValueStore.onFailure = { _ in _exit(5) }
        settings.check(use, number)
        // Ends the child like any other process.
        endProcess()
      }
      var status: Int32 = 0
      unsafe waitpid(child, &status, 0)
      printLine("\(use)\t\(number)\t\(status)")
    }
    settings.unsaved.wrappedValue = 2
    try store.synchronize()
    try forkInside(store, settings)
    printLine("over")
    _exit(0)
  }

  /// Forks in a transaction and in a change in place, which only the parent completes.
  private func forkInside(_ store: KeyValueStore, _ settings: Settings) throws {
    var isChild = false
    do {
      try store.transaction {
        isChild = Self.fork() == 0
        if !isChild { settings.unsaved.wrappedValue += 1 }
      }
      if isChild { _exit(1) }
    } catch KeyValueStoreError.forked {
      _exit(0)
    }
    _ = errorOutput { settings.unsaved.wrappedValue.change { isChild = Self.fork() == 0 } }
    if isChild { _exit(settings.unsaved.error == .forked ? 0 : 1) }
    for _ in 0..<2 {
      var status: Int32 = 0
      unsafe wait(&status)
      printLine("inside\t\(status)")
    }
    try store.synchronize()
  }

  /// Performs all operations on other settings.
  private func warmUp() throws {
    let other = Job(format: format, file: file.appendingPathExtension("warm"), parameters: [])
    try other.open().set(7, for: "known")
    let settings = Settings(try other.open(.coalesced(within: .seconds(100_000))))
    for (number, use) in FirstUse.allCases.enumerated() where use != .nothing {
      _ = errorOutput { _ = settings.isForked(use, number) }
    }
  }

  /// Swift's overlay hides `fork`, whose prototype is `pid_t fork(void)`.
  private static func fork() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    return unsafe unsafeBitCast(dlsym(nil, "fork")!, to: Fork.self)()
  }

  private struct Settings: Sendable {
    let store: KeyValueStore
    let unsaved: StoredValue<Int>
    let known: StoredValue<Int>

    init(_ store: KeyValueStore) {
      self.store = store
      unsaved = StoredValue(wrappedValue: 0, "unsaved", in: store)
      known = StoredValue(wrappedValue: 0, "known", in: store)
    }

    /// Uses two stores for the file on threads that never end; returns after each ran for a while.
    func keepBusy(with other: KeyValueStore) {
      let works: [@Sendable (Int) throws -> Void] = [
        { _ in _ = known.wrappedValue },
        { _ in _ = try store.keys() },
        { StoredValue(wrappedValue: 0, "parent", in: other).wrappedValue = $0 },
        { number in
          try other.transaction {
            StoredValue(wrappedValue: 0, "parent's", in: other).wrappedValue = number
          }
        },
        { _ in known.observe { _, _ in }.cancel() },
      ]
      let warm = DispatchGroup()
      for (number, work) in works.enumerated() {
        warm.enter()
        DispatchQueue(label: "busy \(number)").async {
          do {
            for round in 0... {
              try work(round)
              if round == 20 { warm.leave() }
            }
          } catch {
            fatalError("\(error)")
          }
        }
      }
      warm.wait()
    }

    /// Exits the child with status 0 only if nothing works, and what cannot throw is reported once.
    func check(_ use: FirstUse, _ number: Int) {
      var isForked = false
      let output = errorOutput { isForked = self.isForked(use, number) }
      let report = "\(KeyValueStoreError.forked) Values are the defaults, and changes are lost.\n"
      if !isForked { _exit(3) }
      if output != (use.isReported ? report : "") { _exit(4) }
      if use == .nothing { _exit(0) }
    }

    /// Returns whether a use has the effect that it has in a forked child.
    func isForked(_ use: FirstUse, _ number: Int) -> Bool {
      let own = StoredValue(wrappedValue: 0, "child \(number)", in: store)
      switch use {
      case .get:
        return known.wrappedValue == 0 && unsaved.wrappedValue == 0 && !unsaved.isSet
          && known.error == .forked
      case .set:
        own.wrappedValue = 1
        own.reset()
        own.wrappedValue = 2
      case .change:
        own.wrappedValue += 1
        own.wrappedValue += 2
      case .load: return throwsForked { _ = try known.load() }
      case .save: return throwsForked { try own.save(number) }
      case .keys: return throwsForked { _ = try store.keys() }
      case .transaction: return throwsForked { try store.transaction { own.wrappedValue = 1 } }
      case .synchronize: return throwsForked { try store.synchronize() }
      case .writeDefaults: return throwsForked { try store.writeDefaults() }
      case .observe: known.observe { _, _ in }.cancel()
      case .exit, .nothing: break
      }
      return own.wrappedValue == 0 && own.error == .forked
    }

    private func throwsForked(_ body: () throws -> Void) -> Bool {
      do {
        try body()
        return false
      } catch {
        return error as? KeyValueStoreError == .forked
      }
    }
  }
}

extension Int {
  fileprivate mutating func change(_ body: () -> Void) {
    body()
    self += 1
  }
}

/// Returns what a closure writes to standard error, if that is short.
private func errorOutput(of body: () -> Void) -> String {
  let original = dup(STDERR_FILENO)
  var ends: [Int32] = [-1, -1]
  // The array has room for both.
  unsafe pipe(&ends)
  dup2(ends[1], STDERR_FILENO)
  close(ends[1])
  body()
  dup2(original, STDERR_FILENO)
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = unsafe bytes.withUnsafeMutableBytes { buffer in
    unsafe readFully(ends[0], into: buffer)
  }
  close(ends[0])
  close(original)
  return String(decoding: bytes.prefix(count ?? 0), as: UTF8.self)
}

/// Ends this process like the end of `main`.
private func endProcess() -> Never { exit(0) }
