/// What a store looks like from here: where it is, what state it is in, and what is wrong with it.
///
/// It is made for a person, to read or to paste into a report of a problem: it has the paths of
/// files, but no secret, and no service, server or account.
public struct Diagnosis: Hashable, Sendable {
  /// One thing that was looked at.
  public struct Finding: Hashable, Sendable {
    /// What was looked at, such as "Vault file".
    public let subject: String
    /// What was found; if that is a problem, also what to do about it.
    public let text: String
    /// Whether something must be done before the store works as it should.
    public let isProblem: Bool
  }

  /// Everything that was looked at, in the order of a report.
  public private(set) var findings: [Finding] = []

  init() {}

  /// What something must be done about; empty when all is well.
  public var problems: [Finding] { findings.filter(\.isProblem) }

  /// Whether there is no problem.
  public var isHealthy: Bool { problems.isEmpty }

  mutating func note(_ subject: String, _ text: String) {
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
  /// A line for each finding, those that are problems marked, and a last line that counts these.
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
