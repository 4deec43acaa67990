import Validation

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The sign-up as a form on the terminal, drawn again at each key.
///
/// It waits on the main actor, which no task of the checks needs.
@MainActor
final class SignUpForm {
  // In milliseconds: enough for the rest of a key's bytes on a slow line, and too short to notice.
  private static let escapeTime: Int32 = 250
  private static let spinnerTime: Int32 = 100

  private let site: String
  private let texts: SignUpTexts
  private let model: SignUpModel
  private let wake: WakingPipe
  private var screen: Screen
  private var fields = SignUpField.allCases.map { _ in TextField() }
  private var focus = SignUpField.userName
  private var isShown = false
  private var isSubmitted = false
  private var notice: String?
  private var offer: String?
  private var step = 0

  init(
    site: String, texts: SignUpTexts, model: SignUpModel, appearance: Appearance
  ) throws(Failure) {
    self.site = site
    self.texts = texts
    self.model = model
    wake = try WakingPipe()
    screen = Screen(appearance)
  }

  /// Runs the form until it is complete, or was cancelled; then false.
  func fill() throws -> Bool {
    let observation = model.form.observe(wake.wake)
    defer { observation.cancel() }
    return try RawTerminal.perform { terminal in
      screen.forget()
      return try turn(terminal)
    }
  }

  private func turn(_ terminal: borrowing RawTerminal) throws -> RawTerminal.Ending<Bool> {
    var decoder = KeyDecoder()
    while true {
      if isSubmitted, let isComplete = submit() { return .done(isComplete) }
      let size = ScreenSize.ofStandardOutput
      try Output.write(screen.update(to: frame(for: size), size: size))
      let isPending = model[.userName].report.checks.contains { $0.state == .pending }
      let events = try terminal.wait(
        for: wake.reader,
        milliseconds: decoder.isUndecided ? Self.escapeTime : isPending ? Self.spinnerTime : -1)
      wake.drain()
      if let signal = events.signal {
        if signal != SIGWINCH { return .signal(signal) }
        continue
      }
      step += 1
      let keys =
        events.isTimeOut ? decoder.timeOut().map { [$0] } ?? [] : decoder.decode(events.bytes)
      for key in keys where !take(key) { return .done(false) }
    }
  }

  /// Does what a key stands for; false when it cancels.
  private func take(_ key: Key) -> Bool {
    notice = nil
    // A key that is typed while the answer is awaited takes the submission back.
    isSubmitted = false
    switch key {
    case .escape, .control("d"): return false
    case .enter: enter()
    case .tab, .down: go(to: focus.next ?? .userName)
    case .backTab, .up: go(to: focus.previous ?? .repetition)
    case .control("r"): isShown.toggle()
    case .control("g"): acceptOffer()
    case .unreadable: notice = texts.unreadable
    default: edit(key)
    }
    return true
  }

  private func edit(_ key: Key) {
    switch fields[focus.rawValue].take(key) {
    case .changed: changed(focus)
    case .full: notice = texts.full
    case .moved, .ignored: break
    }
  }

  private func changed(_ field: SignUpField) {
    model[field].value = fields[field.rawValue].text
    // The offer must not contain the new user name.
    if field == .userName { offer = nil }
  }

  private func go(to field: SignUpField) {
    model[focus].touch()
    focus = field
    if field == .password, offer == nil { offer = model.suggestion() }
  }

  private func enter() {
    if let next = focus.next, !enterSubmits {
      go(to: next)
    } else {
      model.form.touchAll()
      if model.form.state == .undetermined { model.askAgain() }
      isSubmitted = true
    }
  }

  /// Whether the enter key submits the form, instead of going to the next field.
  private var enterSubmits: Bool { focus.next == nil || model.form.isValid }

  /// Whether the form can be handed over; nil when it cannot, or not yet.
  private func submit() -> Bool? {
    switch model.form.state {
    case .valid: return true
    case .pending: return nil
    case .invalid, .pristine: notice = texts.incomplete
    case .undetermined: notice = texts.undetermined
    }
    isSubmitted = false
    if let attention = model.attention { go(to: attention) }
    return nil
  }

  private func acceptOffer() {
    guard let password = offer ?? model.suggestion() else { return }
    for field in SignUpField.allCases where field.isSecret {
      fields[field.rawValue].set(password)
      changed(field)
    }
    // The next acceptance takes another one.
    offer = model.suggestion()
    go(to: .repetition)
  }

  private func frame(for size: ScreenSize) -> Frame {
    FormLayout(content: content, size: size, appearance: screen.appearance, step: step).frame()
  }

  private var content: FormContent {
    FormContent(
      title: texts.title(site),
      fields: SignUpField.allCases.map { field in
        FormContent.Field(
          label: texts.label(field), text: fields[field.rawValue],
          isHidden: field.isSecret && !isShown,
          checks: model[field].report.shown(in: texts.language),
          offer: field == .password ? offer.map(texts.offer) : nil)
      },
      focus: focus.rawValue, progress: model.form.progress, notice: notice, hints: hints)
  }

  private var hints: [String] {
    [
      "Enter \(enterSubmits ? texts.submit : texts.next)", "Tab \(texts.next)",
      "Shift-Tab \(texts.back)", "Ctrl-R \(isShown ? texts.hide : texts.show)",
      "Ctrl-G \(texts.accept)", "Esc \(texts.cancel)",
    ]
  }
}
