import Synchronization

/// A flag that indicates whether an authentication context has ended.
///
/// It is separate from the context, so that loaded values do not retain the context's passwords.
final class ContextEnd: Sendable {
  private let isSet = Atomic(false)

  var isOver: Bool { isSet.load(ordering: .acquiring) }

  func set() {
    isSet.store(true, ordering: .releasing)
  }
}
