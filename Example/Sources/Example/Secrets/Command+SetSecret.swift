import FoundationEssentials
import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension Option {
  fileprivate static let label = Option("label", "TEXT", "the name that `secrets list` shows")
}

extension Command {
  static let setSecret = Command(
    name: "secrets set",
    summary: "Keeps a secret: a new one, or instead of the one that the options mean.",
    options: Option.identity + [.label, .require, .itemPasswordFile] + Option.openVault,
    notes: """
      The secret is asked for at the terminal, twice and without showing it, or is read from standard
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
    let vault = try arguments.unlockedVault()
    let item = try arguments.item(in: vault)
    let present = try arguments.context(for: arguments.flags(in: vault))
    try await item.load(authorizedBy: present)
    let secret = try newSecret()
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

  private static func newSecret() throws(Failure) -> Secret {
    if isatty(STDIN_FILENO) == 1 {
      guard let terminal = Terminal() else {
        throw Failure("There is no terminal to ask for the secret. Give it on standard input.")
      }
      return try terminal.askTwice("Secret: ")
    }
    let secret = try SecretInput.standardInput()
    if secret.count == 0 {
      throw Failure("Standard input was empty, and nothing was changed.")
    }
    return secret
  }
}
