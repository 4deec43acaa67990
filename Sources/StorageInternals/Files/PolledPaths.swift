import CLibrary
import Concurrency
import Synchronization

/// The watches whose paths are polled, by a single thread.
package enum PolledPaths {
  private struct Member: Sendable {
    weak let watch: PathWatch?
  }

  /// The time between two checks of a path.
  package static let period = Duration.seconds(1)

  private static let thread = SerialThread(named: "locket-poll")
  private static let members = Lock([ObjectIdentifier: Member](), inForkedChild: { [:] })
  private static let isUsed = Atomic(false)

  /// Whether the process polls no path.
  package static var isEmpty: Bool { !isUsed.load(ordering: .acquiring) }

  /// Polls the path of a watch until its problem is resolved.
  static func add(_ watch: PathWatch) throws(SystemError) {
    try members.withLock { members throws(SystemError) in
      if members.isEmpty, !schedule() {
        throw SystemError(call: .thread, path: watch.path, code: EAGAIN)
      }
      members[ObjectIdentifier(watch)] = Member(watch: watch)
      isUsed.store(true, ordering: .releasing)
    }
  }

  private static func schedule() -> Bool { thread.run(after: period, poll) != nil }

  @Sendable private static func poll() {
    for member in members.withLock({ Array($0.values) }) { member.watch?.poll() }
    members.withLock { members in
      members = members.filter { $0.value.watch?.problem != nil }
      isUsed.store(!members.isEmpty, ordering: .releasing)
      if !members.isEmpty { _ = schedule() }
    }
  }
}
