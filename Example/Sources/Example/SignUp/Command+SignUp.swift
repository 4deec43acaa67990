import FoundationEssentials
import PasswordRules
import SecretStorage
import Validation

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension Option {
  fileprivate static let site = Option("site", "HOST", "where the account is made")
  fileprivate static let rules = Option(
    "rules", "DESCRIPTOR", "what the site demands of a password, such as `minlength: 12`")
  fileprivate static let language = Option(
    "language", "CODE", "instead of the locale's: one of \(SignUpTexts.codes)")
}

extension Command {
  fileprivate static let site = "example.com"
  fileprivate static let rules =
    "required: upper; required: lower; required: digit; allowed: ascii-printable; minlength: 12; "
    + "max-repeating: 2;"

  static let signUp = Command(
    name: "signup",
    summary: "Makes an account: asks for a user name and a strong password, and keeps them.",
    options: [.site, .rules, .language] + Option.openVault,
    notes: """
      On a terminal, it is a form that says at each key what is missing. Where standard input or output
      is no terminal, or TERM is dumb, it asks line by line: user name, password and the password again;
      an empty line for the password takes a generated one.
      Without --site, the account is at \(site), and without --rules the password follows
      `\(rules)`.
      The exit status is 0 when the password is kept, 1 when it is not, for the reason on standard error,
      and 2 when the arguments are wrong.
      """,
    refusal: """
      A password is never taken from the arguments, where every user of the machine can read it. Leave \
      it out, and it is asked for.
      """
  ) { arguments in
    let texts = try arguments.texts()
    let site = try arguments.signUpSite()
    let rules = try arguments.passwordRules()
    let generator = try arguments.generator(of: rules)
    do {
      return try await signUp(at: site, rules, generator, texts, arguments)
    } catch let error as UsageError {
      throw error
    } catch let error as Failure {
      Program.report(error.reason)
    } catch {
      Program.report("\(error)")
    }
    return .absent
  }
}

extension Command {
  @MainActor
  private static func signUp(
    at site: String, _ rules: PasswordRuleSet, _ generator: PasswordGenerator, _ texts: SignUpTexts,
    _ arguments: Arguments
  ) async throws -> ExitStatus {
    // Whatever is in the way of saving is said before the person types anything.
    let vault = try await arguments.vaultToSaveIn()
    let model = SignUpModel(
      rules: rules, generator: generator, service: NameService(site: site, vault: vault))
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    if isTerminal, Appearance.canMoveCursor(environment) {
      let form = try SignUpForm(
        site: site, texts: texts, model: model, appearance: Appearance(environment))
      guard try form.fill() else {
        Program.report(texts.cancelled)
        return .absent
      }
    } else {
      try await SignUpDialogue(site: site, texts: texts, model: model).fill()
    }
    let account = NewAccount(
      site: site, name: model[.userName].value, password: model[.password].value)
    try await account.save(in: vault, texts)
    try Output.line(texts.saved(account.name.onOneLine, site))
    try account.readBack(arguments.wordsForVault)
    try Output.line(texts.verified)
    return .done
  }
}

extension Arguments {
  fileprivate func texts() throws(UsageError) -> SignUpTexts {
    let environment = ProcessInfo.processInfo.environment
    if let code = self[.language] {
      guard let texts = SignUpTexts.named(code) else {
        throw UsageError("--language needs one of \(SignUpTexts.codes).")
      }
      return texts
    }
    // What the terminal could not show is of no use.
    guard Appearance(environment).isUnicode else { return .english }
    return .preferred(environment.locale(of: "LC_MESSAGES"))
  }

  fileprivate func signUpSite() throws(UsageError) -> String {
    guard let site = self[.site] else { return Command.site }
    let isHost =
      !site.isEmpty
      && !site.unicodeScalars.contains { $0.isInvisible || $0.properties.isWhitespace }
    guard isHost else { throw UsageError("--site needs the name of a host.") }
    return site.lowercased()
  }

  fileprivate func passwordRules() throws(UsageError) -> PasswordRuleSet {
    do throws(DescriptorSyntaxError) {
      return try PasswordRuleSet(self[.rules] ?? Command.rules)
    } catch {
      throw UsageError("--rules: \(error)")
    }
  }

  fileprivate func generator(of rules: PasswordRuleSet) throws(UsageError) -> PasswordGenerator {
    do throws(PasswordRulesError) {
      return try PasswordGenerator(rules)
    } catch {
      throw UsageError("--rules: \(error)")
    }
  }

  /// The vault that is meant, unlocked, and proved to keep what is saved: a full disk, for one, shows
  /// in nothing but an attempt.
  fileprivate func vaultToSaveIn() async throws -> SecretVault {
    let vault = try unlockedVault()
    let trial = PasswordItem<Bool>(
      .generic(service: "signup", account: "\(UInt64.random(in: .min ... .max))"), match: .exact,
      refreshPolicy: .manual, in: vault)
    trial.value = true
    try await trial.save()
    try await trial.remove()
    return vault
  }

  /// The options that another process needs to open the same vault.
  fileprivate var wordsForVault: [String] {
    Option.openVault.filter(has).flatMap { option in
      option.placeholder == nil ? ["--\(option.name)"] : ["--\(option.name)", self[option] ?? ""]
    }
  }
}
