import FoundationEssentials
import Testing

/// A program of the machine that a test needs.
enum Tool: String {
  case bash, fish, jq, mandoc, zsh

  /// Whether a test can run; true in CI, where it fails if the program is missing.
  var isUsable: Bool {
    let environment = ProcessInfo.processInfo.environment
    let isThere = ["/usr/bin", "/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(rawValue)")
    }
    return isThere || environment["CI"] != nil
  }

  /// The reason why a test is skipped.
  var comment: Comment { "\(rawValue) is not installed" }
}
