import SerializedAccess

/// The ways to reach a value, each as a forked child takes it.
enum ForkOperation: String, CaseIterable, Sendable {
  case get, set, changeInPlace, access, asyncAccess, suspendingAccess, observe

  /// Does all once, so that no thread looks for a type for the first time when the process is
  /// forked: the locks of Swift's runtime stay locked in the child.
  static func warmUp() {
    for queue in ConcurrencyTests.Queue.allCases {
      for operation in allCases {
        let value = queue.wrap(1)
        _ = operation.works(on: value)
        _ = value.wrappedValue
      }
    }
  }

  /// Does it on a value of 1, and says whether it did what it does in any other process.
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
      // Nothing is left to be waited for.
      return seen.wrappedValue == 2
    case .suspendingAccess:
      let seen = Serialized(0)
      // Runs on this thread as long as it need not wait.
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
