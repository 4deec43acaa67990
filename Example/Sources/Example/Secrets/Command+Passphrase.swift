import SecretStorage

extension Option {
  fileprivate static let remove = Option("remove", nil, "let this device open the vault instead")
  static let newPassphraseFile = Option(
    "new-passphrase-file", "FILE", "a file with the new passphrase, which is asked for otherwise")
}

extension Command {
  static let passphrase = Command(
    name: "secrets passphrase",
    summary: "Gives the vault a passphrase, or another one; nothing else opens it then.",
    options: [.remove, .newPassphraseFile] + Option.openVault,
    notes: """
      Of a file, one newline at the end is left out. Secrets that need a passphrase to exist
      (whenPasscodeSetThisDeviceOnly) are removed with it.
      """,
    refusal: """
      A passphrase is never taken from the arguments, where every user of the machine can read it. \
      Leave it out, and it is asked for; or name a file that has it.
      """
  ) { arguments in
    let file = try arguments.passphrasePath(.newPassphraseFile)
    if arguments.has(.remove), file != nil {
      throw UsageError("--remove and --new-passphrase-file exclude each other.")
    }
    let vault = try arguments.unlockedVault()
    if arguments.has(.remove) {
      guard try vault.hasPassphrase else {
        Program.report("The vault has no passphrase.")
        return .absent
      }
      try vault.removePassphrase()
    } else {
      try vault.setPassphrase(newPassphrase(from: file))
    }
    return .done
  }

  static func newPassphrase(from file: String?) throws(Failure) -> Secret {
    if let file { return try SecretInput.file(file) }
    guard let terminal = Terminal() else {
      throw Failure(
        """
        There is no terminal to ask for the new passphrase. Name a file that has it with \
        --new-passphrase-file.
        """)
    }
    return try terminal.askTwice("New passphrase: ")
  }
}
