import CLibrary
import Concurrency
import Dispatch
import StorageInternals
import TestSupport

@testable import SecretStorage

// Calls that fail, and the reports of failures.
extension FileSystem {
  /// Makes every call of a kind fail on the paths with a suffix, as long as a flag is set.
  static func failing(
    _ failing: Call, on suffix: String = "", with code: Int32 = EIO,
    while isArmed: Lock<Bool>? = nil
  ) -> FileSystem {
    FileSystem { call, path in
      let fails = call == failing && path.hasSuffix(suffix) && isArmed?.withLock { $0 } != false
      return fails ? code : nil
    }
  }

  /// Calls a closure before the first call of a kind on a path with a suffix.
  static func before(
    _ first: Call, on suffix: String, _ body: @escaping @Sendable () -> Void
  ) -> FileSystem {
    let isDone = Lock(false)
    return FileSystem { call, path in
      guard call == first, path.hasSuffix(suffix) else { return nil }
      let isFirst = isDone.withLock { isDone in
        defer { isDone = true }
        return !isDone
      }
      if isFirst { body() }
      return nil
    }
  }
}

/// The calls of some kinds on the paths with a suffix.
struct CallLog: Sendable {
  private let calls = Lock([String]())
  let fileSystem: FileSystem

  init(_ kinds: FileSystem.Call..., on suffix: String = "") {
    fileSystem = FileSystem { [calls] call, path in
      if kinds.contains(call), path.hasSuffix(suffix) {
        calls.withLock { $0.append("\(call.rawValue) \(path)") }
      }
      return nil
    }
  }

  /// Returns the calls since the last time.
  func take() -> [String] { calls.exchange([]) }
}

/// Returns all reported failures, in a process of the test's own.
func hearFailures() -> Heard<SecretStorageFailure> {
  ExpectedFailures.begin()
  let heard = Heard<SecretStorageFailure>()
  SecretStores.onFailure = { heard.hear($0) }
  return heard
}

extension SecretVault {
  /// Waits until the reports and other work that are due in the background have ended.
  func finishBackgroundWork() {
    let isDone = DispatchSemaphore(value: 0)
    for queue in [background, observers.queue] {
      queue.run { isDone.signal() }
      isDone.wait()
    }
  }
}
