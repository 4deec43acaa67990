/// What a person fills in.
enum SignUpField: Int, CaseIterable {
  case userName, password, repetition

  var isSecret: Bool { self != .userName }

  var next: SignUpField? { SignUpField(rawValue: rawValue + 1) }
  var previous: SignUpField? { SignUpField(rawValue: rawValue - 1) }
}
