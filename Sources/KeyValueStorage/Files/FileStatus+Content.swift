import StorageInternals

extension FileStatus {
  /// Returns whether the file was not written between two reads of its status.
  func hasSameContent(as other: FileStatus) -> Bool {
    isUnwritten(since: other) && changed == other.changed
  }
}
