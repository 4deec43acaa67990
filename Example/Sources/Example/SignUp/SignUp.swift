import FoundationEssentials
import PasswordRules
import SecretStorage
import Validation

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A whole sign-up: it asks for a user name and a password, checks them at each key, and keeps the
/// password in a vault.
///
/// On a terminal, it is a form. Where standard input or output is no terminal, or TERM is dumb, it
/// asks line by line: user name, password and the password again; an empty line for the password
/// takes a generated one.
enum SignUp {
  static let options = ["site", "rules", "language"] + vaultOptions
  fileprivate static let vaultOptions = ["vault", "state", "passphrase-file"]

  private static let defaultSite = "example.com"
  private static let defaultRules =
    "required: upper; required: lower; required: digit; allowed: ascii-printable; minlength: 12; "
    + "max-repeating: 2;"

  static func run(_ options: Options) async throws {
    let texts = try texts(options)
    let site = try site(options)
    let generator: PasswordGenerator
    let rules: PasswordRuleSet
    do {
      rules = try PasswordRuleSet(options["rules"] ?? defaultRules)
      generator = try PasswordGenerator(rules)
    } catch {
      throw UsageError("--rules: \(error)")
    }
    let vault = try await vaultToSaveIn(options)
    let model = SignUpModel(
      rules: rules, generator: generator, service: NameService(site: site, vault: vault))
    let account = try await fill(model, for: site, texts)
    try await account.save(in: vault, texts)
    try Output.line(texts.saved(account.name.onOneLine, site))
    // Another process reads the password, which is compared without showing it.
    let read = try OwnProcess.run(
      [SignUpReader.name, "--site", site, "--account", account.name]
        + options.words(vaultOptions))
    guard read == account.password else {
      throw Failure("A second process read another password than was saved.")
    }
    try Output.line(texts.verified)
  }

  @MainActor
  private static func fill(
    _ model: SignUpModel, for site: String, _ texts: SignUpTexts
  ) async throws -> NewAccount {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    if isTerminal, Appearance.canMoveCursor(environment) {
      let form = try SignUpForm(
        site: site, texts: texts, model: model, appearance: Appearance(environment))
      guard try form.fill() else { throw Failure(texts.cancelled) }
    } else {
      try await SignUpDialogue(site: site, texts: texts, model: model).fill()
    }
    return NewAccount(
      site: site, name: model[.userName].value, password: model[.password].value)
  }

  private static func texts(_ options: Options) throws(UsageError) -> SignUpTexts {
    let environment = ProcessInfo.processInfo.environment
    if let code = options["language"] {
      guard let texts = SignUpTexts.named(code) else {
        throw UsageError("--language needs one of \(SignUpTexts.codes).")
      }
      return texts
    }
    // Texts that the terminal cannot show are of no use.
    guard Appearance(environment).isUnicode else { return .english }
    return .preferred(environment.locale(of: "LC_MESSAGES"))
  }

  private static func site(_ options: Options) throws(UsageError) -> String {
    let site = options["site"] ?? defaultSite
    let isHost =
      !site.isEmpty && site.onOneLine == site
      && !site.unicodeScalars.contains(where: \.properties.isWhitespace)
    guard isHost else { throw UsageError("--site needs the name of a host.") }
    return site.lowercased()
  }

  /// The vault of the options, unlocked, after a trial that it keeps what is saved: a full disk,
  /// for one, shows only in an attempt, which must not fail after everything was typed.
  private static func vaultToSaveIn(_ options: Options) async throws -> SecretVault {
    let vault = try await vault(options)
    let trial = PasswordItem<Bool>(
      .generic(service: "signup", account: "\(UInt64.random(in: .min ... .max))"), match: .exact,
      refreshPolicy: .manual, in: vault)
    trial.value = true
    try await trial.save()
    try await trial.remove()
    return vault
  }

  /// The vault of the options, unlocked.
  fileprivate static func vault(_ options: Options) async throws -> SecretVault {
    let vault = Daemon.vault(options)
    guard let path = options["passphrase-file"] else {
      try await Daemon.unlock(vault)
      return vault
    }
    var content = try Data(contentsOf: URL(filePath: path))
    guard try vault.isLocked else { return vault }
    // The line may end with LF or CR LF.
    if content.last == UInt8(ascii: "\n") {
      content.removeLast()
      if content.last == UInt8(ascii: "\r") { content.removeLast() }
    }
    try vault.unlock(with: .passphrase(Secret(content)))
    return vault
  }
}

/// The account that was filled in.
private struct NewAccount {
  let site: String
  let name: String
  let password: String

  func save(in vault: SecretVault, _ texts: SignUpTexts) async throws {
    @InternetPassword(
      server: site, account: name, match: .exact, refreshPolicy: .manual, in: vault)
    var stored: String?
    // Another process may have taken the name, and its password must not be lost.
    if try await $stored.load() != nil { throw Failure(texts.lost(name.onOneLine, site)) }
    stored = password
    $stored.attributes.label = site
    try await $stored.save()
  }
}

/// The second process of the sign-up, which prints the password of an account.
enum SignUpReader {
  static let name = "signup-reader"
  static let options = ["site", "account"] + SignUp.vaultOptions

  static func run(_ options: Options) async throws {
    let vault = try await SignUp.vault(options)
    @InternetPassword(
      server: options["site"] ?? "", account: options["account"] ?? "", match: .exact, in: vault)
    var password: String?
    try Output.line(try await $password.load() ?? "")
  }
}

extension String {
  /// The text on one line, with no character that moves a terminal's cursor.
  var onOneLine: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            "\u{FFFD}"
          default: scalar
          }
        }))
  }
}
