import StorageInternals

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
