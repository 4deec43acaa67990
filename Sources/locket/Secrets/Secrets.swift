import FoundationEssentials
import SecretStorage
import ValueFormats

extension Option {
  fileprivate static let all = Option("all", nil, "also list secrets that apps mark as invisible")
  fileprivate static let label = Option("label", "TEXT", "the name in `secrets list`")
  fileprivate static let require = Option(
    "require", "METHOD",
    "the authentication for reading it: password (its own) or presence (your login)",
    choices: ["password", "presence"])
  static let itemPasswordFile = Option(
    "item-password-file", "FILE", "a file with the secret's own password, instead of a prompt")
}

extension Command {
  static let listSecrets = Command(
    name: "secrets list",
    summary: "Lists the options that select each secret, without the secrets.",
    options: [.service, .all] + Option.openStore,
    fields: Field.item,
    notes: "Each line contains the options for other commands, a tab, and the label, oldest first."
  ) { arguments in
    let store = try await arguments.openedStore()
    let query = arguments[.service].map { ItemQuery.matching(.generic(service: $0)) } ?? .all
    for item in try store.items(matching: query) {
      if item.attributes.isInvisible == true, !arguments.has(.all) { continue }
      try arguments.list(
        "\(item.identity.options)\t\((item.attributes.label ?? "").onOneLine)", item.fields)
    }
    return .done
  }

  static let getSecret = Command(
    name: "secrets get",
    summary: "Prints a secret, followed by a newline.",
    options: Option.identity + [.itemPasswordFile] + Option.openStore,
    fields: Field.item + [
      Field("secret", "the secret, if it is text"),
      Field("secretBase64", "the secret in Base64, if it is not text"),
    ]
  ) { arguments in
    _ = try arguments.identity()
    let store = try await arguments.openedStore()
    let item = try arguments.item(in: store)
    let context = try await arguments.context(for: arguments.flags(in: store))
    guard let secret = try await item.load(authorizedBy: context) else {
      Program.report("There is no such secret.")
      return .absent
    }
    guard arguments.has(.json) else {
      try Output.write(Array(secret) + [UInt8(ascii: "\n")])
      return .done
    }
    let text = String(validating: secret, as: UTF8.self)
    let found = try arguments.items(in: store).first
    try arguments.list(
      "",
      (found?.fields ?? []) + [
        ("secret", .text(text)),
        ("secretBase64", text == nil ? .string(secret.base64EncodedString()) : nil),
      ])
    return .done
  }

  static let setSecret = Command(
    name: "secrets set",
    summary: "Adds a secret, or replaces the one with these options.",
    options: Option.identity + [.label, .require, .itemPasswordFile] + Option.openStore,
    notes: """
      The terminal prompts for the secret twice and does not show it. If standard input is not a
      terminal, the secret is read from it, without a newline at the end. An app reads it as a String
      or Data.
      """,
    excessArgument: """
      A secret is not accepted as an argument, where every user of the machine can read it. Omit it \
      to get a prompt, or pass it on standard input.
      """
  ) { arguments in
    _ = try arguments.identity()
    let requirement = try arguments.requirement()
    let store = try await arguments.openedStore()
    let item = try arguments.item(in: store)
    let current = try await arguments.context(for: arguments.flags(in: store))
    try await item.load(authorizedBy: current)
    let secret = try await newSecret()
    // The bytes are copied inside the closure.
    item.value = unsafe secret.withUnsafeBytes { unsafe Data($0) }
    if let label = arguments[.label] { item.attributes.label = label }
    if let requirement {
      item.attributes.accessControl.flags = requirement.flags
      try await item.save(authorizedBy: arguments.context(for: requirement.flags, isNew: true))
    } else {
      try await item.save(authorizedBy: current)
    }
    return .done
  }

  private static func newSecret() async throws -> Secret {
    if SecretInput.isStandardInputATerminal {
      return try await SecretInput.askTwice(
        "Secret: ",
        withoutTerminal: "There is no terminal for a prompt. Pass the secret on standard input.")
    }
    let secret = try SecretInput.standardInput()
    if secret.count == 0 { throw Failure("Standard input was empty. Nothing was changed.") }
    return secret
  }

  static let deleteSecret = Command(
    name: "secrets delete",
    summary: "Removes a secret.",
    options: Option.identity + Option.openStore
  ) { arguments in
    _ = try arguments.identity()
    let item = try await arguments.item(in: arguments.openedStore())
    guard try item.matchCount > 0 else {
      Program.report("There is no such secret.")
      return .absent
    }
    try await item.remove()
    return .done
  }
}

extension Field {
  fileprivate static let item =
    identity + [
      Field("label", "the name for people"),
      Field("created", "the date when it was added, in ISO 8601"),
      Field("modified", "the date of the last change, in ISO 8601"),
      Field("isProtected", "whether reading it needs an authentication"),
    ]
}

extension SecretItem {
  /// The fields of a listing, which do not include the secret.
  fileprivate var fields: FieldValues {
    identity.fields + [
      ("label", .text(attributes.label)), ("created", .text(creationDate)),
      ("modified", .text(modificationDate)),
      ("isProtected", .bool(!attributes.accessControl.flags.isEmpty)),
    ]
  }
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
  func context(
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
