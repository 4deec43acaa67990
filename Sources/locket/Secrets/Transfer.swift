import FoundationEssentials
import SecretStorage

extension Option {
  fileprivate static let exportPassphraseFile = Option(
    "export-passphrase-file", "FILE", "a file with the export's passphrase, instead of asking")
  fileprivate static let overwrite = Option("overwrite", nil, "replace the file if it exists")
  static let replace = Option(
    "replace", nil, "replace secrets that differ, instead of keeping them")
  static let dryRun = Option("dry-run", nil, "only print the planned changes")
}

extension Command {
  static let export = Command(
    name: "secrets export",
    parameters: [Parameter("FILE", "the file to write the export to")],
    summary: "Writes the secrets to one file, encrypted to a passphrase of its own.",
    options: [.exportPassphraseFile, .overwrite] + Option.openVault,
    notes: "Secrets that are bound to this device are left out, and listed."
  ) { arguments in
    let vault = try await arguments.unlockedVault()
    let passphrase = try await Command.newPassphrase(
      from: arguments.passphrasePath(.exportPassphraseFile), option: .exportPassphraseFile)
    let url = URL(filePath: arguments.parameters[0])
    let report = try LongWork.perform("Exporting") { progress in
      try vault.export(
        to: url, passphrase: passphrase, overwriting: arguments.has(.overwrite),
        reporting: progress)
    }
    try Output.line("exported: \(report.exported.count)")
    for left in report.leftOut {
      try Output.line("left out: \(left.item.identity.options) (\(left.reason))")
    }
    return .done
  }

  static let `import` = Command(
    name: "secrets import",
    parameters: [Parameter("FILE", "an export, or another vault that has a passphrase")],
    summary: "Adds the secrets of an export, and reads them back.",
    options: [.exportPassphraseFile, .replace, .dryRun] + Option.openVault,
    notes: """
      Each line is the outcome for a secret, and the options that name it. A secret that the vault has
      with another content is kept as it is, unless --replace. The exit status is 1 if the vault refused
      a secret.
      """
  ) { arguments in
    let vault = try await arguments.unlockedVault()
    let passphrase = try await arguments.passphrase(
      in: .exportPassphraseFile, prompt: "Passphrase of the export: ")
    let url = URL(filePath: arguments.parameters[0])
    let report = try LongWork.perform("Importing") { progress in
      try vault.importItems(
        from: url, passphrase: passphrase,
        conflicts: arguments.has(.replace) ? .replace : .keepExisting,
        isDryRun: arguments.has(.dryRun), reporting: progress)
    }
    for entry in report.entries {
      let outcome = entry.outcome.text(replacing: arguments.has(.replace))
      let note = entry.isRedated ? " (its date was in the future)" : ""
      try Output.line("\(outcome)\(note): \(entry.item.identity.options)")
    }
    let isRefusing = report.entries.contains(where: \.outcome.isRefusal)
    return isRefusing && !arguments.has(.dryRun) ? .refused : .done
  }
}

extension ImportReport.Outcome {
  func text(replacing isReplaced: Bool) -> String {
    switch self {
    case .added: "added"
    case .identical: "identical"
    case .conflict: isReplaced ? "replaced" : "kept as it is here"
    case .refused(let reason): "refused (\(reason))"
    }
  }
}
