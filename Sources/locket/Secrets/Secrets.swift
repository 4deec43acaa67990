import FoundationEssentials
import SecretStorage

extension Option {
  fileprivate static let all = Option("all", nil, "also list secrets that apps mark as invisible")
  fileprivate static let label = Option("label", "TEXT", "the name in `secrets list`")
  fileprivate static let require = Option(
    "require", "METHOD",
    "the authentication for reading it: password (its own) or presence (your login)")
  fileprivate static let itemPasswordFile = Option(
    "item-password-file", "FILE", "a file with the secret's own password, instead of a prompt")
}

extension Command {
  static let listSecrets = Command(
    name: "secrets list",
    summary: "Lists the options that select each secret of the vault, without the secrets.",
    options: [.service, .all] + Option.openVault,
    notes: "Each line contains the options for other commands, a tab, and the label, oldest first."
  ) { arguments in
    let vault = try await arguments.unlockedVault()
    let query = arguments[.service].map { ItemQuery.matching(.generic(service: $0)) } ?? .all
    for item in try vault.items(matching: query) {
      if item.attributes.isInvisible == true, !arguments.has(.all) { continue }
      try Output.line("\(item.options)\t\((item.attributes.label ?? "").onOneLine)")
    }
    return .done
  }

  static let getSecret = Command(
    name: "secrets get",
    summary: "Prints a secret, followed by a newline.",
    options: Option.identity + [.exact, .secretType, .raw, .itemPasswordFile] + Option.openVault,
    notes: """
      If there is no secret with exactly these options, but one with more, that one is printed, and
      its options are printed on standard error; --exact excludes it.

      With --type, the secret is printed as an app reads it: as an integer, a boolean (true or false) or
      text (UTF-8), or as data, without a newline. On a terminal, control characters are escaped.
      """
  ) { arguments in
    _ = try arguments.identity()
    let type = try arguments.secretType()
    let vault = try await arguments.unlockedVault()
    guard let item = try arguments.item(in: vault, allowingMoreParts: !arguments.has(.exact)),
      let secret = try await item.identity.password(in: vault)
        .load(authorizedBy: arguments.context(for: item.attributes.accessControl.flags))
    else { throw Failure.noSuchSecret }
    try Output.secret(
      type?.decoded(Array(secret)) ?? Array(secret), withNewline: type != .data,
      isRaw: arguments.has(.raw))
    return .done
  }

  static let setSecret = Command(
    name: "secrets set",
    summary: "Adds a secret, or replaces the one with these options.",
    options: Option.identity + [.partial, .secretType, .label, .require, .itemPasswordFile]
      + Option.openVault,
    notes: """
      The terminal prompts for the secret twice and does not show it. If standard input is not a
      terminal, the secret is read from it, without a line end at the end.

      --type is the type of the app's property: integer, boolean (true or false), text (String), or
      data, of which each byte of standard input is kept. By default, the bytes are stored as for text.

      A secret with more parts than these options is another one, and stays as it is. With --any, it is
      replaced if there is none with exactly these options, and its options are printed on standard
      error.
      """,
    excessArgument: """
      A secret is not accepted as an argument, where every user of the machine can read it. Omit it \
      to get a prompt, or pass it on standard input.
      """
  ) { arguments in
    let identity = try arguments.identity()
    let type = try arguments.secretType()
    let requirement = try arguments.requirement()
    let vault = try await arguments.unlockedVault(mayBeMissing: true)
    let found = try arguments.item(in: vault, allowingMoreParts: arguments.has(.partial))
    guard let identity = found?.identity ?? identity else { throw Failure.noSuchSecret }
    let item = identity.password(in: vault)
    let current = try await arguments.context(
      for: found?.attributes.accessControl.flags ?? AccessFlags())
    try await item.load(authorizedBy: current)
    let secret = try await newSecret(isBinary: type == .data)
    item.value = try (type ?? .data).encoded(secret)
    if let label = arguments[.label] { item.attributes.label = label }
    if let requirement {
      item.attributes.accessControl.flags = requirement.flags
      try await item.save(authorizedBy: arguments.context(for: requirement.flags, isNew: true))
    } else {
      try await item.save(authorizedBy: current)
    }
    if type == nil, secret.looksTyped {
      Program.report(
        """
        The secret was stored as text, which an app reads as a String. If the app expects an Int or a \
        Bool, set it with --type integer or --type boolean.
        """)
    }
    return .done
  }

  private static func newSecret(isBinary: Bool) async throws -> Secret {
    if SecretInput.isStandardInputATerminal {
      return try await SecretInput.askTwice(
        "Secret: ",
        withoutTerminal: "There is no terminal for a prompt. Pass the secret on standard input.")
    }
    let secret = try SecretInput.standardInput(isBinary: isBinary)
    if secret.count == 0 { throw Failure("Standard input was empty. Nothing was changed.") }
    return secret
  }

  static let deleteSecret = Command(
    name: "secrets delete",
    summary: "Removes a secret.",
    options: Option.identity + [.partial] + Option.openVault,
    notes: """
      A secret with more parts than these options is another one, and stays. With --any, it is removed
      if there is none with exactly these options, and its options are printed on standard error.
      """
  ) { arguments in
    _ = try arguments.identity()
    let vault = try await arguments.unlockedVault()
    guard let item = try arguments.item(in: vault, allowingMoreParts: arguments.has(.partial))
    else { throw Failure.noSuchSecret }
    try await item.identity.password(in: vault).remove()
    return .done
  }
}

extension Failure {
  fileprivate static let noSuchSecret = Failure("There is no such secret.", status: .absent)
}

/// A proof that is needed to read a secret, by its name in `--require`.
private enum Requirement: String {
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
  private static let reason = "The command locket reads a protected secret."

  fileprivate func requirement() throws(UsageError) -> Requirement? {
    guard let name = self[.require] else { return nil }
    guard let requirement = Requirement(rawValue: name) else {
      throw UsageError("--require needs `password` or `presence`.")
    }
    return requirement
  }

  /// Returns the context to read a secret with these flags; prompts for a new password twice.
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
          There is no terminal for a prompt. Specify a file with the secret's password: \
          \(Option.itemPasswordFile.synopsis).
          """)
    } else {
      password = try await passphrase(in: .itemPasswordFile, prompt: "Password of this secret: ")
    }
    return AuthenticationContext(reason: Self.reason, applicationPassword: password)
  }
}
