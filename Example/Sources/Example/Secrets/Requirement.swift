import SecretStorage

/// What a person must prove to read a secret, as `--require` names it.
enum Requirement: String, CaseIterable {
  /// A password of this one secret.
  case password
  /// That somebody is there who can log in.
  case presence

  var flags: AccessFlags {
    switch self {
    case .password: .applicationPassword
    case .presence: .userPresence
    }
  }
}

extension Option {
  static let require = Option(
    "require", "PROOF", "what reading it takes: password, one of its own; or presence, your login")
  static let itemPasswordFile = Option(
    "item-password-file", "FILE", "a file with the secret's own password, asked for otherwise")
}

extension Arguments {
  func requirement() throws(UsageError) -> Requirement? {
    guard let name = self[.require] else { return nil }
    guard let requirement = Requirement(rawValue: name) else {
      throw UsageError("--require needs `password` or `presence`.")
    }
    return requirement
  }

  /// How to ask for what reading a secret with these flags takes; a new password is asked for twice.
  func context(for flags: AccessFlags, isNew: Bool = false) throws -> AuthenticationContext {
    guard flags.contains(.applicationPassword) else {
      return AuthenticationContext(reason: "A secret that needs you is to be read.")
    }
    let password: Secret
    if isNew, try passphrasePath(.itemPasswordFile) == nil {
      guard let terminal = Terminal() else {
        throw Failure(
          """
          There is no terminal to ask for the secret's password. Name a file that has it with \
          --item-password-file.
          """)
      }
      password = try terminal.askTwice("New password of this secret: ")
    } else {
      password = try passphrase(in: .itemPasswordFile, prompt: "Password of this secret: ")
    }
    return AuthenticationContext(
      reason: "A secret that needs you is to be read.", applicationPassword: password)
  }
}
