import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import KeyValueStorage

// The uses of settings in forked children.
extension Job {
  /// The first use that a forked child makes of its parent's settings.
  private enum FirstUse: CaseIterable {
    case get, set, change, save, keys, transaction, synchronize, observe, exit, nothing
  }

  /// See ``Mode/fork``.
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
        KeyValueStore.onFailure = { printLine("report\t\(number)\t\($0)") }
        settings.use(use, number)
        // Ends the child like any other process.
        endProcess()
      }
      var status: Int32 = 0
      unsafe waitpid(child, &status, 0)
      printLine("\(use)\t\(number)\t\(status)")
    }
    settings.unsaved.wrappedValue = 2
    try store.synchronize()
    printLine("over")
    _exit(0)
  }

  /// Performs all operations on other settings.
  private func warmUp() throws {
    let other = Job(format: format, file: file.appendingPathExtension("warm"), parameters: [])
    try other.open().set(7, for: "known")
    let settings = Settings(try other.open(.coalesced(within: .seconds(100_000))))
    for (number, use) in FirstUse.allCases.enumerated() where use != .nothing {
      settings.use(use, number)
    }
  }

  /// Swift's overlay hides `fork`, whose prototype is `pid_t fork(void)`.
  private static func fork() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    let function = unsafe unsafeBitCast(dlsym(nil, "fork")!, to: Fork.self)
    return function()
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

    /// Uses this store and another one for the file on threads that never end, and returns when
    /// each thread has done so for a while.
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
        { _ in
          let observation = known.observe { _, _ in }
          observation.cancel()
        },
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

    /// Exits the child with a non-zero status unless the settings work as in a new process.
    func use(_ use: FirstUse, _ number: Int) {
      let own = StoredValue(wrappedValue: 0, "child \(number)", in: store)
      do {
        switch use {
        case .get:
          try require(known.wrappedValue == 7 && known.error == nil)
          try require(unsaved.wrappedValue == 0)
        case .set: own.wrappedValue = number
        case .change: own.wrappedValue += number
        case .save: try own.save(number)
        case .keys: try require(try store.keys().contains("known"))
        case .transaction:
          try store.transaction {
            try require(unsaved.wrappedValue == 0)
            own.wrappedValue = number
          }
        case .synchronize: try store.synchronize()
        case .observe:
          let observation = known.observe { _, _ in _exit(5) }
          try require(known.wrappedValue == 7)
          observation.cancel()
        case .exit, .nothing: break
        }
        if use == .nothing { _exit(0) }
        if [.set, .change, .save, .transaction].contains(use) {
          // The value is on disk, and visible without a thread that observes the file.
          try require(own.wrappedValue == number && own.error == nil)
          let fresh = try store.value(of: own.key, as: Int.self)
          try require(fresh == number)
        }
      } catch {
        printLine("\(use)\t\(error)")
        _exit(3)
      }
    }

    private func require(_ isTrue: Bool) throws {
      if !isTrue { throw Misuse() }
    }
  }
}

/// Ends this process like the end of `main`.
private func endProcess() -> Never { exit(0) }
