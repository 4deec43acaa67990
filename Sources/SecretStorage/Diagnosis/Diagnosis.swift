/// A report on the location, the state and the problems of a store.
///
/// It is intended for the user, for example to include in a bug report. It contains paths of files,
/// but no secret, service, server or account.
public struct Diagnosis: Hashable, Sendable {
  /// The result of one check.
  public struct Finding: Hashable, Sendable {
    /// The subject of the check, such as "Vault file".
    public let subject: String
    /// The result; for a problem, also the remedy.
    public let text: String
    /// Whether the store does not work correctly without an action.
    public let isProblem: Bool
  }

  /// The findings, in the order of the report.
  public private(set) var findings: [Finding] = []

  init() {}

  /// The findings that are problems.
  public var problems: [Finding] { findings.filter(\.isProblem) }

  /// Whether there are no problems.
  public var isHealthy: Bool { problems.isEmpty }

  mutating func record(_ subject: String, _ text: String) {
    findings.append(Finding(subject: subject, text: text.harmless(), isProblem: false))
  }

  mutating func problem(_ subject: String, _ text: String) {
    findings.append(Finding(subject: subject, text: text.harmless(), isProblem: true))
  }

  mutating func problem(_ subject: String, _ error: SecretStoreError) {
    problem(subject, error.description)
  }
}

extension Diagnosis: CustomStringConvertible {
  /// A text with a line for each finding, marked if it is a problem, and the number of problems.
  public var description: String {
    let width = findings.map(\.subject.count).max() ?? 0
    var lines = findings.map { finding in
      let padding = String(repeating: " ", count: width - finding.subject.count)
      return "\(finding.isProblem ? "!" : " ") \(finding.subject)\(padding)  \(finding.text)"
    }
    switch problems.count {
    case 0: lines.append("No problem was found.")
    case 1: lines.append("One problem was found; it is marked with an exclamation mark.")
    case let count: lines.append("\(count) problems were found, marked with exclamation marks.")
    }
    return lines.joined(separator: "\n")
  }
}
