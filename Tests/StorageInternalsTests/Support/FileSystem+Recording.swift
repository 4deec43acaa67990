import Concurrency
import StorageInternals
import Testing

// A file system that records its calls.
extension FileSystem {
  /// A file system that runs a closure before each call, with all the earlier calls.
  ///
  /// The call fails with the code that the closure returns. An error of the closure is an issue.
  static func recording(
    _ body: @escaping @Sendable (_ call: Call, _ earlier: [Call]) throws -> Int32?
  ) -> FileSystem {
    let made = Lock([Call]())
    return FileSystem { call, _ in
      let earlier = made.withLock { made in
        defer { made.append(call) }
        return made
      }
      do { return try body(call, earlier) } catch { Issue.record(error) }
      return nil
    }
  }
}

// The replacement of files of settings, which is not copyable.
extension FileSystem {
  /// Replaces a file unless another program has changed it; returns whether it was replaced.
  func replaces(
    _ path: String, with bytes: [UInt8], expecting old: FileStatus?, hasExpectedContent: Bool = true
  ) throws(SystemError) -> Bool {
    let replacement = try replaceFile(at: path, with: bytes, expecting: old) { _ in
      hasExpectedContent
    }
    return replacement != nil
  }
}
