import SerializedAccess

/// The ways to access a value, each as a forked child uses it.
enum ForkOperation: String, CaseIterable, Sendable {
  case get, set, changeInPlace, access, asyncAccess, suspendingAccess, observe

  /// Performs all operations once: locks that Swift's runtime takes at the first use of a type
  /// would stay locked in a child.
  static func warmUp() {
    for queue in ConcurrencyTests.Queue.allCases {
      for operation in allCases {
        let value = queue.wrap(1)
        _ = operation.works(on: value)
        _ = value.wrappedValue
      }
    }
  }

  /// Performs the operation on a value of 1, and returns whether it had its usual effect.
  func works(on value: Serialized<Int>) -> Bool {
    switch self {
    case .get: return value.wrappedValue == 1
    case .set:
      value.wrappedValue = 2
      return value.wrappedValue == 2
    case .changeInPlace:
      value.wrappedValue += 1
      return value.wrappedValue == 2
    case .access:
      value.access { $0 += 1 }
      return value.access { $0 } == 2
    case .asyncAccess:
      let seen = Serialized(0)
      value.asyncAccess { $0 += 1 }
      value.asyncAccess { seen.wrappedValue = $0 }
      // There is nothing left to wait for.
      return seen.wrappedValue == 2
    case .suspendingAccess:
      let seen = Serialized(0)
      // Runs on this thread while it need not wait.
      Task.immediate { seen.wrappedValue = try await value.access { $0 + 1 } }
      return seen.wrappedValue == 2
    case .observe:
      let seen = Serialized([Int]())
      let observation = value.observe { seen.wrappedValue += [$0, $1] }
      value.wrappedValue += 1
      observation.cancel()
      value.wrappedValue += 1
      return seen.wrappedValue == [1, 2]
    }
  }
}
