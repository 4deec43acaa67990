import Foundation
import PasswordRules

let rulesRows: [Row] = [
  Row(
    name: "rules parse", subject: RulesWorkloads.parse, baseline: RulesBaselines.decodeJSON,
    target: .ratio(atMost: 1)),
  Row(
    name: "rules parse, 1 MB at once", subject: RulesWorkloads.parseLong(times: 1),
    baseline: RulesWorkloads.parseLong(times: 100), target: .ratio(atMost: 1.3)),
  Row(
    name: "rules generate, 20 characters", subject: RulesWorkloads.generate,
    baseline: RulesBaselines.randomNumbers, target: .ratio(atMost: 20)),
  Row(
    name: "rules generate with limits on runs, 64 characters",
    subject: RulesWorkloads.generateLong(limits: [.maxRepeating(2), .maxSequential(2)]),
    baseline: RulesWorkloads.generateLong(limits: []), target: .ratio(atMost: 4)),
  Row(
    name: "rules generate with the strictest limits on runs, 64 characters",
    subject: RulesWorkloads.generateLong(limits: [.maxRepeating(1), .maxSequential(1)]),
    baseline: RulesWorkloads.generateLong(limits: []), target: .ratio(atMost: 4)),
  Row(
    name: "rules check, 20 characters", subject: RulesWorkloads.check,
    baseline: RulesBaselines.iterate, target: .ratio(atMost: 6)),
  Row(
    name: "rules check with limits on runs, 20 characters", subject: RulesWorkloads.checkRuns,
    baseline: RulesBaselines.iterate, target: .ratio(atMost: 10)),
]

private let descriptor = """
  required: upper; required: lower; required: digit; required: [-!#$%&*_]; minlength: 12; \
  maxlength: 64;
  """
private let password = "Tapqof-5nubri-hyxgek"

private enum RulesWorkloads {
  private static let rules = attempt { try PasswordRuleSet(descriptor) }
  private static let rulesWithLimits = PasswordRuleSet(
    rules.rules + [.maxRepeating(2), .maxSequential(2)])

  static let parse = Workload(name: "parse") { iterations in
    for _ in 0..<iterations { attempt { keep(try PasswordRuleSet.parse(descriptor)) } }
  }

  /// Parses a megabyte of rules in `count` descriptors of the same length.
  static func parseLong(times count: Int) -> Workload {
    let rules = String(repeating: "required: [a-é]; allowed: [b-], upper; ", count: 25_000 / count)
    return Workload(name: "in \(count) parts") { iterations in
      for _ in 0..<iterations {
        for _ in 0..<count { attempt { keep(try PasswordRuleSet.parse(rules)) } }
      }
    }
  }

  static let generate = {
    let generator = attempt { try PasswordGenerator(rules, length: 20) }
    return Workload(name: "generate") { iterations in
      for _ in 0..<iterations { keep(generator.password()) }
    }
  }()

  static func generateLong(limits: [PasswordRule]) -> Workload {
    let generator = attempt {
      try PasswordGenerator(PasswordRuleSet(rules.rules + limits), length: 64)
    }
    return Workload(name: "without the limits") { iterations in
      for _ in 0..<iterations { keep(generator.password()) }
    }
  }

  static let check = Workload(name: "check") { iterations in
    for _ in 0..<iterations { keep(rules.check(password)) }
  }

  static let checkRuns = Workload(name: "check") { iterations in
    for _ in 0..<iterations { keep(rulesWithLimits.check(password)) }
  }
}

private enum RulesBaselines {
  static let decodeJSON = {
    let json = attempt { try JSONEncoder().encode(descriptor) }
    let decoder = JSONDecoder()
    return Workload(name: "JSONDecoder, the same text") { iterations in
      for _ in 0..<iterations { attempt { keep(try decoder.decode(String.self, from: json)) } }
    }
  }()

  static let randomNumbers = Workload(name: "20 system random numbers") { iterations in
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<iterations {
      for _ in 0..<20 { keep(generator.next()) }
    }
  }

  static let iterate = Workload(name: "going through the scalars") { iterations in
    for _ in 0..<iterations {
      var sum: UInt32 = 0
      for scalar in password.unicodeScalars { sum &+= scalar.value }
      keep(sum)
    }
  }
}
