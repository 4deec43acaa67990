import SerializedAccess

/// The ways to access a value, each as a forked child uses it.
enum ForkOperation: String, CaseIterable, Sendable {
  case get, set, changeInPlace, access, asyncAccess, suspendingAccess, observe, values

  /// Performs all once: locks that Swift's runtime takes at the first use of a type would stay
  /// locked in a child.
  static func warmUp() {
    for queue in ConcurrencyTests.Queue.allCases {
      for operation in allCases {
        let value = queue.wrap(1)
        operation.perform(on: value)
        _ = value.wrappedValue
      }
    }
  }

  func perform(on value: Serialized<Int>) {
    switch self {
    case .get: _ = value.wrappedValue
    case .set: value.wrappedValue = 2
    case .changeInPlace: value.wrappedValue += 1
    case .access: value.access { $0 += 1 }
    case .asyncAccess: value.asyncAccess { $0 += 1 }
    // Runs on this thread while it need not wait.
    case .suspendingAccess: Task.immediate { try await value.access { $0 += 1 } }
    case .observe: value.observe { _, _ in }.cancel()
    case .values: _ = value.values
    }
  }
}
