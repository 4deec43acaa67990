import FoundationEssentials
import TestSupport

/// A directory of one test, removed with everything in it when the test is over.
final class TemporaryDirectory: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appending(path: "locket-documentation-\(UUID())", directoryHint: .isDirectory)

  init() { ExpectedFailures.begin() }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      // Nothing was written.
    }
  }
}
