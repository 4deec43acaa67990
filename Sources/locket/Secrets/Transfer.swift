import CLibrary
import FoundationEssentials
import SecretStorage

extension Option {
  fileprivate static let exportPassphraseFile = Option(
    "export-passphrase-file", "FILE", "a file with the export's passphrase, instead of a prompt")
  fileprivate static let overwrite = Option("overwrite", nil, "replace the file if it exists")
  static let replace = Option(
    "replace", nil, "replace secrets that differ, instead of keeping them")
  static let dryRun = Option("dry-run", nil, "only print the planned changes")
}

extension Command {
  static let export = Command(
    name: "secrets export",
    parameters: [Parameter("FILE", "the file to write the export to")],
    summary: "Writes the secrets to one file, encrypted with its own passphrase.",
    options: [.exportPassphraseFile, .overwrite] + Option.openVault,
    notes: "Secrets that are bound to this device are skipped, and listed."
  ) { arguments in
    let vault = try await arguments.unlockedVault()
    let passphrase = try await Command.newPassphrase(
      from: arguments.passphrasePath(.exportPassphraseFile), option: .exportPassphraseFile,
      prompt: "New passphrase of the export: ")
    let url = URL(filePath: arguments.parameters[0])
    let report = try LongOperation.perform("Exporting") { progress in
      try vault.export(
        to: url, passphrase: passphrase, overwriting: arguments.has(.overwrite),
        reporting: progress)
    }
    try Output.line("exported: \(report.exported.count)")
    for skipped in report.omitted {
      try Output.line("skipped: \(skipped.item.identity.options) (\(skipped.reason))")
    }
    return .done
  }

  static let `import` = Command(
    name: "secrets import",
    parameters: [Parameter("FILE", "an export, or another vault that has a passphrase")],
    summary: "Adds the secrets of an export, and verifies them.",
    options: [.exportPassphraseFile, .replace, .dryRun] + Option.openVault,
    notes: """
      Each line contains the outcome for a secret, and the options that select it. If the vault has a
      different secret with these options, it is kept, unless --replace is given. The exit status is 1
      if the vault refused a secret.
      """
  ) { arguments in
    let vault = try await arguments.unlockedVault(mayBeMissing: true)
    let passphrase = try await arguments.passphrase(
      in: .exportPassphraseFile, prompt: "Passphrase of the export: ")
    let url = URL(filePath: arguments.parameters[0])
    let report = try LongOperation.perform("Importing") { progress in
      try vault.importItems(
        from: url, passphrase: passphrase,
        replacing: arguments.has(.replace), isDryRun: arguments.has(.dryRun), reporting: progress)
    }
    for entry in report.entries {
      let outcome = entry.outcome.text(replacing: arguments.has(.replace))
      let note = entry.isRedated ? " (its date was in the future)" : ""
      try Output.line("\(outcome)\(note): \(entry.identity.options)")
    }
    let isRefusing = report.entries.contains(where: \.outcome.isRefusal)
    return isRefusing && !arguments.has(.dryRun) && !locketBreak(52) ? .refused : .done
  }
}

extension ImportReport.Outcome {
  func text(replacing isReplaced: Bool) -> String {
    switch self {
    case .added: "added"
    case .identical: "identical"
    case .conflict: isReplaced ? "replaced" : "kept"
    case .converted: "converted"
    case .native: "kept (not JSON)"
    case .absent: "absent"
    case .undeclared: "refused (It was added during the migration. Run the command again.)"
    case .refused(let reason): "refused (\(reason))"
    }
  }
}
