/// The cached state of a file backend.
struct FileBackendState: Sendable {
  /// The document that was most recently read or written; nil if it must be read.
  var document: FileDocument? {
    didSet {
      let existed = oldValue?.status != nil
      if document?.status != nil { missingSince = nil }
      if existed, let document, document.status == nil { missingSince = .now }
    }
  }
  /// The time at which a file that existed was first found missing.
  private(set) var missingSince: ContinuousClock.Instant?
  /// The revision of the newest document.
  var revision: Int64 = 0
  /// Whether the file has ever been found with content.
  var hasSeenContent = false
  /// Whether the backend has looked for temporary files of killed writers.
  var hasLookedForStaleFiles = false
  /// Whether those files were removed, and no writer has left a new one since then.
  var hasRemovedStaleFiles = false
  /// Whether a failed write may have replaced the file without flushing it, so that its content may
  /// not survive a power failure.
  var isUncertain = false

  mutating func nextRevision() -> Int64 {
    revision += 1
    return revision
  }
}
