import PasswordRules
import SerializedAccess

/// What the person has filled in so far, and what is right and missing in it.
final class SignUpModel: Sendable {
  enum Standing {
    case complete
    /// An answer is awaited.
    case pending
    /// Something could not be checked.
    case undetermined
    case incomplete
  }

  private struct State {
    var texts = Array(repeating: "", count: SignUpField.allCases.count)
    var touched: Set<SignUpField> = []
    var availability = ShownCheck.State.waiting
    var revision = 0
    var task: Task<Void, Never>?

    /// An answer about a name that was typed over says nothing.
    mutating func take(_ answer: ShownCheck.State, _ revision: Int) {
      if revision == self.revision { availability = answer }
    }
  }

  private static let shortestName = 3
  private static let longestName = 64
  private static let attempts = 100

  private let rules: PasswordRuleSet
  private let generator: PasswordGenerator
  private let texts: SignUpTexts
  private let service: NameService
  private let onChange: @Sendable () -> Void
  private let state = Serialized(State())

  init(
    rules: PasswordRuleSet, texts: SignUpTexts, service: NameService,
    onChange: @escaping @Sendable () -> Void
  ) throws(PasswordRulesError) {
    self.rules = rules
    self.texts = texts
    self.service = service
    self.onChange = onChange
    generator = try PasswordGenerator(rules)
  }

  /// Takes what a field has now.
  func set(_ text: String, for field: SignUpField) {
    state.access { state in
      guard state.texts[field.rawValue] != text else { return }
      state.texts[field.rawValue] = text
      state.touched.insert(field)
    }
    if field == .userName { askForName() }
  }

  /// Notes that the person has left a field.
  func touch(_ field: SignUpField) {
    state.access { state in _ = state.touched.insert(field) }
  }

  /// Asks again for what could not be checked.
  func retry() { askForName() }

  func text(of field: SignUpField) -> String { state.wrappedValue.texts[field.rawValue] }

  func checks(of field: SignUpField) -> [ShownCheck] {
    let state = state.wrappedValue
    let name = state.texts[SignUpField.userName.rawValue]
    let password = state.texts[SignUpField.password.rawValue]
    switch field {
    case .userName:
      return localChecks(of: name)
        + [ShownCheck(text: texts.taken(service.site), state: state.availability)]
    case .password:
      let report = rules.check(password)
      let contains = name.count >= Self.shortestName && password.contains(name)
      return report.checks.map { ShownCheck(text: "\($0.rule)", state: .init($0.state)) }
        + [ShownCheck(text: "without the user name", state: contains ? .broken : .satisfied)]
    case .repetition:
      let repetition = state.texts[SignUpField.repetition.rawValue]
      let isSame = repetition == password && !password.isEmpty
      return [
        ShownCheck(
          text: "the same as the password",
          state: isSame ? .satisfied : password.hasPrefix(repetition) ? .notYet : .broken)
      ]
    }
  }

  private func localChecks(of name: String) -> [ShownCheck] {
    [
      ShownCheck(
        text: "at least \(Self.shortestName) characters",
        state: name.count >= Self.shortestName ? .satisfied : .notYet),
      ShownCheck(
        text: "at most \(Self.longestName) characters",
        state: name.count <= Self.longestName ? .satisfied : .broken),
      ShownCheck(
        text: "without blanks",
        state: name.contains(where: \.isWhitespace) ? .broken : .satisfied),
    ]
  }

  /// The share of the checks that hold, 0 to 1.
  var progress: Double {
    let checks = SignUpField.allCases.flatMap(checks)
    return Double(checks.count { $0.state == .satisfied }) / Double(checks.count)
  }

  var standing: Standing {
    let states = SignUpField.allCases.flatMap(checks).map(\.state)
    if states.contains(.notYet) || states.contains(.broken) { return .incomplete }
    if states.contains(.pending) { return .pending }
    return states.allSatisfy { $0 == .satisfied } ? .complete : .undetermined
  }

  /// The first field that the person has to do something about.
  var attention: SignUpField? {
    SignUpField.allCases.first { !checks(of: $0).allSatisfy { $0.state == .satisfied } }
  }

  /// A password that satisfies every check; nil when the user name leaves none.
  func suggestion() -> String? {
    let name = text(of: .userName)
    for _ in 0..<Self.attempts {
      let password = generator.password()
      if name.count < Self.shortestName || !password.contains(name) { return password }
    }
    return nil
  }

  /// Waits until no answer is awaited.
  func settle() async {
    await state.wrappedValue.task?.value
  }

  private func askForName() {
    state.access { state in
      state.revision += 1
      state.task?.cancel()
      state.task = nil
      let name = state.texts[SignUpField.userName.rawValue]
      guard localChecks(of: name).allSatisfy({ $0.state == .satisfied }) else {
        return state.availability = .waiting
      }
      state.availability = .pending
      state.task = Task.detached { [revision = state.revision] in
        await self.answer(for: name, revision)
      }
    }
  }

  private func answer(for name: String, _ revision: Int) async {
    let answer: ShownCheck.State
    do {
      answer = try await service.isTaken(name) ? .broken : .satisfied
    } catch {
      answer = .unavailable
    }
    state.wrappedValue.take(answer, revision)
    onChange()
  }
}

extension ShownCheck.State {
  fileprivate init(_ state: PasswordReport.State) {
    switch state {
    case .satisfied: self = .satisfied
    case .notYet: self = .notYet
    case .broken: self = .broken
    }
  }
}
