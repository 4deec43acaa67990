import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A counter of one kind of system call.
final class CallCount: Sendable {
  private let count = Lock(0)
  let fileSystem: FileSystem

  /// Counts only the calls on one path, if it is given.
  init(of call: FileSystem.Call, on path: String? = nil) {
    fileSystem = .before(call, on: path) { [count] _ in count.withLock { $0 += 1 } }
  }

  var value: Int { count.withLock { $0 } }
}

extension FaultAtCall {
  /// Expects the error of the failed call; an interrupted call is repeated and has none.
  func expect(_ error: KeyValueStoreError?, _ comment: Comment) {
    switch error {
    case .system(let call, let path, code)? where code != EINTR,
      .readOnly(let path, .refused(let call, code))? where [EROFS, EACCES].contains(code):
      #expect("\(call) \(path)" == failed, comment)
    case .uncertain(let path, code)? where code != EINTR:
      #expect("fsync \(path)" == failed, comment)
    default: Issue.record("\(comment.rawValue): \(String(describing: error))")
    }
  }
}
