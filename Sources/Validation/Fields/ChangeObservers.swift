/// Those who hear of changes of a report, in the order in which they came.
struct ChangeObservers: Sendable {
  struct Observer: Sendable {
    fileprivate let number: UInt64
    let changed: @Sendable () -> Void
    /// Called when nothing will change any more.
    let ended: @Sendable () -> Void
  }

  private(set) var all: [Observer] = []
  private var last: UInt64 = 0

  /// Adds an observer, and returns its number.
  mutating func add(
    changed: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void
  ) -> UInt64 {
    last += 1
    all.append(Observer(number: last, changed: changed, ended: ended))
    return last
  }

  /// Removes an observer, and returns it, to be released outside of the lock.
  mutating func remove(_ number: UInt64) -> Observer? {
    all.firstIndex { $0.number == number }.map { all.remove(at: $0) }
  }
}
