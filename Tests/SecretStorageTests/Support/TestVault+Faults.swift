import CLibrary
import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

// Calls that fail, and the reports of failures.
extension FileSystem {
  /// Makes every call of a kind fail on the paths with a suffix.
  static func failing(_ call: Call, on suffix: String = "", with code: Int32 = EIO) -> FileSystem {
    Outage(of: call, on: suffix, code: code).fileSystem
  }

  /// Calls a closure before the first call of a kind on a path with a suffix.
  static func before(
    _ first: Call, on suffix: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () throws -> Void
  ) -> FileSystem {
    let isDone = Lock(false)
    return FileSystem { call, path in
      guard call == first, path.hasSuffix(suffix) else { return nil }
      if !isDone.exchange(true) { recordingErrors(sourceLocation: sourceLocation, body) }
      return nil
    }
  }
}

extension FaultAtCall {
  /// Returns whether work fails when the fault is armed, and expects an error to name the call.
  ///
  /// A call may fail without an error if the vault can do without it, or repeats it after EINTR.
  func causesError(in work: () throws -> Void) -> Bool {
    arm()
    defer { disarm() }
    do {
      try work()
      return false
    } catch SecretStoreError.system(let call, let path, let code) {
      #expect("\(call) \(path)" == failed && code == self.code && code != EINTR)
    } catch SecretStoreError.uncertain(let path, let code) {
      #expect("fsync \(path)" == failed && code == self.code)
    } catch {
      Issue.record("\(failed ?? "No failed call"): \(error)")
    }
    return true
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
