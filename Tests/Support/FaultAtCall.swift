import Concurrency
package import StorageInternals

/// A fault at one call of a file system, by its number from 0; counts all calls while armed.
package final class FaultAtCall: Sendable {
  private struct State {
    var places: [String] = []
    var failed: String?
    var isArmed: Bool
  }

  private let state: Lock<State>
  private let index: Int
  package let code: Int32
  private let exceptions: Set<FileSystem.Call>

  package init(
    _ index: Int, code: Int32, isArmed: Bool = true, exceptions: Set<FileSystem.Call> = []
  ) {
    self.index = index
    self.code = code
    self.exceptions = exceptions
    state = Lock(State(isArmed: isArmed))
  }

  package var calls: Int { state.withLock { $0.places.count } }
  package var happened: Bool { failed != nil }
  /// The failed call and its path.
  package var failed: String? { state.withLock { $0.failed } }

  /// Calls a closure with a disarmed fault that never happens, and then with one at each call that
  /// was counted; in a plain run, only at the first and the last one of a kind on a kind of file.
  ///
  /// Returns the number of counted calls.
  @discardableResult
  package static func atEachCall(code: Int32, _ work: (FaultAtCall) throws -> Void) throws -> Int {
    let none = FaultAtCall(.max, code: code, isArmed: false)
    try work(none)
    let places = none.state.withLock { $0.places }
    let kinds = places.map { place in
      let name = place.lastComponent
      let suffix = name.split(separator: ".").last ?? ""
      return "\(place.prefix { $0 != " " }) \(name.contains(".") ? suffix : name.prefix(6))"
    }
    for (index, kind) in kinds.enumerated()
    where Campaign.isFull || kinds.firstIndex(of: kind) == index
      || kinds.lastIndex(of: kind) == index
    {
      try work(FaultAtCall(index, code: code, isArmed: false))
    }
    return places.count
  }

  /// Calls a closure with a fault at the first call, then at the second one and so on, until there
  /// is no such call; returns the number of calls.
  ///
  /// The faults have the codes in turn.
  @discardableResult
  package static func oneAfterAnother(
    _ codes: [Int32], isArmed: Bool = true, exceptions: Set<FileSystem.Call> = [],
    _ work: (FaultAtCall) throws -> Void
  ) rethrows -> Int {
    var index = 0
    while true {
      let fault = FaultAtCall(
        index, code: codes[index % codes.count], isArmed: isArmed, exceptions: exceptions)
      try work(fault)
      if !fault.happened { return index }
      index += 1
    }
  }

  package func arm() { state.withLock { $0.isArmed = true } }

  package func disarm() { state.withLock { $0.isArmed = false } }

  package var fileSystem: FileSystem { FileSystem { self.code(of: $0, $1) } }

  /// Counts a call, and returns the code with which it fails.
  package func code(of call: FileSystem.Call, _ path: String) -> Int32? {
    if exceptions.contains(call) { return nil }
    return state.withLock { state in
      guard state.isArmed else { return nil }
      state.places.append("\(call.rawValue) \(path)")
      guard state.places.count - 1 == index else { return nil }
      state.failed = state.places.last
      return code
    }
  }
}
