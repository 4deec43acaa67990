import Validation

let validationRows: [Row] = [
  Row(
    name: "validation keystroke in each of 5 fields with 6 checks", subject: Forms.typed,
    baseline: Forms.predicates, target: .ratio(atMost: 2)),
  Row(
    name: "validation keystroke that changes nothing, 60 checks", subject: Forms.keystroke(60),
    baseline: Forms.keystroke(6), target: .ratio(atMost: 10)),
]

private enum Forms {
  /// The requirements of each field, and of the bare baseline.
  private static let demands: [@Sendable (String) -> Bool] = [
    { !$0.isEmpty },
    { $0.count >= 8 },
    { $0.count <= 64 },
    { $0.contains { $0.isUppercase } },
    { $0.contains { $0.isNumber } },
    { !$0.contains(" ") },
  ]
  /// Each differs from the previous one in one check or none.
  private static let texts = [
    "Tapqof-5nubri", "Tapqof-5nubri-", "Tapqof-5nubri h", "Tapqof-5nubri-h",
  ]

  private static func validator(_ demands: [@Sendable (String) -> Bool]) -> Validator<String> {
    let checks = demands.enumerated().map { index, demand in
      Validator<String>.custom("demand \(index)", .custom("demand \(index)"), isFulfilled: demand)
    }
    return checks.dropFirst().reduce(checks[0]) { $0 && $1 }
  }

  static let typed = Workload(name: "form") { iterations in
    let fields = (0..<5).map { _ in ValidatedField("", validator(demands)) }
    let form = ValidationForm(fields)
    for iteration in 0..<iterations {
      for field in fields { field.value = texts[iteration % texts.count] }
    }
    keep(form.isValid)
  }

  static let predicates = Workload(name: "the 30 predicates bare") { iterations in
    for iteration in 0..<iterations {
      for _ in 0..<5 {
        var isValid = true
        for demand in demands where !demand(texts[iteration % texts.count]) { isValid = false }
        keep(isValid)
      }
    }
  }

  static func keystroke(_ count: Int) -> Workload {
    let field = ValidatedField("", validator(Array(repeating: { !$0.isEmpty }, count: count)))
    return Workload(name: "the same with \(count) checks") { iterations in
      for iteration in 0..<iterations { field.value = texts[iteration % 2] }
    }
  }
}
