import FoundationEssentials
import SecretStorage

extension Option {
  fileprivate static let all = Option("all", nil, "also those that apps keep out of lists")
  fileprivate static let label = Option("label", "TEXT", "the name that `secrets list` shows")
  fileprivate static let require = Option(
    "require", "PROOF", "the proof for reading it: password, its own one; or presence, your login")
  fileprivate static let itemPasswordFile = Option(
    "item-password-file", "FILE", "a file with the secret's own password, instead of asking for it")
}

extension Command {
  static let listSecrets = Command(
    name: "secrets list",
    summary: "Lists the secrets of the vault by the options that name them, without the secrets.",
    options: [.service, .all] + Option.openVault,
    notes: """
      Each line is the options for the other commands, a tab, and the label. The oldest comes first.
      """
  ) { arguments in
    let vault = try await arguments.unlockedVault()
    let query = arguments[.service].map { ItemQuery.matching(.generic(service: $0)) } ?? .all
    for item in try vault.items(matching: query) {
      if item.attributes.isInvisible == true, !arguments.has(.all) { continue }
      try Output.line("\(item.identity.options)\t\((item.attributes.label ?? "").onOneLine)")
    }
    return .done
  }
}

extension Command {
  static let getSecret = Command(
    name: "secrets get",
    summary: "Prints a secret and a newline, and nothing else.",
    options: Option.identity + [.itemPasswordFile] + Option.openVault
  ) { arguments in
    _ = try arguments.identity()
    let vault = try await arguments.unlockedVault()
    let item = try arguments.item(in: vault)
    let context = try await arguments.context(for: arguments.flags(in: vault))
    guard let secret = try await item.load(authorizedBy: context) else {
      Program.report("There is no such secret.")
      return .absent
    }
    try Output.write(Array(secret) + [UInt8(ascii: "\n")])
    return .done
  }
}

extension Command {
  static let setSecret = Command(
    name: "secrets set",
    summary: "Stores a secret, or replaces the one of these options.",
    options: Option.identity + [.label, .require, .itemPasswordFile] + Option.openVault,
    notes: """
      The secret is asked for on the terminal, twice and without showing it, or is read from standard
      input if that is no terminal; then one newline at its end is left out. An app reads it as a
      String or as Data.
      """,
    refusal: """
      A secret is never taken from the arguments, where every user of the machine can read it. Leave \
      it out, and it is asked for; or give it on standard input.
      """
  ) { arguments in
    _ = try arguments.identity()
    let requirement = try arguments.requirement()
    let vault = try await arguments.unlockedVault()
    let item = try arguments.item(in: vault)
    let present = try await arguments.context(for: arguments.flags(in: vault))
    try await item.load(authorizedBy: present)
    let secret = try await newSecret()
    // The bytes are copied inside of the closure.
    item.value = unsafe secret.withUnsafeBytes { unsafe Data($0) }
    if let label = arguments[.label] { item.attributes.label = label }
    if let requirement {
      item.attributes.accessControl.flags = requirement.flags
      try await item.save(
        authorizedBy: arguments.context(for: requirement.flags, isNew: true))
    } else {
      try await item.save(authorizedBy: present)
    }
    return .done
  }

  private static func newSecret() async throws -> Secret {
    if SecretInput.isStandardInputATerminal {
      return try await SecretInput.askTwice(
        "Secret: ",
        withoutTerminal: "There is no terminal to ask for the secret. Give it on standard input.")
    }
    let secret = try SecretInput.standardInput()
    if secret.count == 0 {
      throw Failure("Standard input was empty, and nothing was changed.")
    }
    return secret
  }
}

extension Command {
  static let deleteSecret = Command(
    name: "secrets delete",
    summary: "Removes a secret.",
    options: Option.identity + Option.openVault
  ) { arguments in
    _ = try arguments.identity()
    let item = try await arguments.item(in: arguments.unlockedVault())
    guard try item.matchCount > 0 else {
      Program.report("There is no such secret.")
      return .absent
    }
    try await item.remove()
    return .done
  }
}

/// A proof that reading a secret takes, as `--require` names it.
private enum Requirement: String, CaseIterable {
  /// A password of this one secret.
  case password
  /// The login of the user.
  case presence

  var flags: AccessFlags {
    switch self {
    case .password: .applicationPassword
    case .presence: .userPresence
    }
  }
}

extension Arguments {
  private static let reason = "A secret that needs your consent is about to be read."

  fileprivate func requirement() throws(UsageError) -> Requirement? {
    guard let name = self[.require] else { return nil }
    guard let requirement = Requirement(rawValue: name) else {
      throw UsageError("--require needs `password` or `presence`.")
    }
    return requirement
  }

  /// The context to read a secret with these flags in; a new password is asked for twice.
  fileprivate func context(
    for flags: AccessFlags, isNew: Bool = false
  ) async throws -> AuthenticationContext {
    guard flags.contains(.applicationPassword) else {
      return AuthenticationContext(reason: Self.reason)
    }
    let password: Secret
    if isNew, try passphrasePath(.itemPasswordFile) == nil {
      password = try await SecretInput.askTwice(
        "New password of this secret: ",
        withoutTerminal: """
          There is no terminal to ask for the secret's password. Name a file with it: \
          \(Option.itemPasswordFile.synopsis).
          """)
    } else {
      password = try await passphrase(in: .itemPasswordFile, prompt: "Password of this secret: ")
    }
    return AuthenticationContext(
      reason: Self.reason, applicationPassword: password)
  }
}
