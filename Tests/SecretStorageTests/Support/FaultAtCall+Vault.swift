import CLibrary
import SecretStorage
import TestSupport
import Testing

// The check that an error names the failed call.
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
