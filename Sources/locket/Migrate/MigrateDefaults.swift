import FoundationEssentials
import KeyValueStorage
import KeychainCompatibility
import SecretStorage

extension Option {
  fileprivate static let keepData = Option(
    "keep-data", "KEY", "do not decode the data of a key; repeatable", isRepeatable: true)
  fileprivate static let replaceSettings = Option(
    "replace", nil, "replace settings that differ, instead of keeping them")
  fileprivate static let removePropertyList = Option(
    "remove-source", nil, "remove the file if the settings contain all of its values")
}

extension Command {
  static let migrateDefaults = Command(
    name: "migrate defaults",
    parameters: [Parameter("FILE", "a property list that Foundation's UserDefaults wrote")],
    summary: "Adds the settings of Foundation's UserDefaults.",
    options: [.keepData, .settingsFile, .dryRun, .replaceSettings, .removePropertyList],
    notes: """
      The file is ~/.config/<app>.plist, or in $XDG_CONFIG_HOME.

      FTPropertyWrappers 1.x stored structures, arrays and data as binary property lists. These are
      decoded, unless --keep-data is given for their keys. All other values are unchanged.

      Each line contains the outcome for a setting, and its key. An existing setting with a different
      value is kept, unless --replace is given. The exit status is 1 if a value was refused.
      Removing a file does not erase it from backups.
      """
  ) { arguments in
    let file = URL(filePath: arguments.parameters[0])
    var migration = DefaultsMigration(into: try arguments.settings())
    migration.decodePropertyLists(except: Set(arguments.all(.keepData)))
    let report: UserDefaultsImport
    do {
      report = try LongOperation.perform("Migrating", cancelledAs: KeyValueStoreError.cancelled) {
        progress in
        try migration.run(
          propertyList: file, replacing: arguments.has(.replaceSettings),
          isDryRun: arguments.has(.dryRun), removingSource: arguments.has(.removePropertyList),
          reporting: progress)
      }
    } catch let error as KeyValueStoreError {
      throw error.ofSource(file) ?? error
    }
    try show(report, arguments)
    return report.refused.isEmpty || arguments.has(.dryRun) ? .done : .refused
  }

  private static func show(_ report: UserDefaultsImport, _ arguments: Arguments) throws {
    let outcomes = [
      ("added", report.imported), ("identical", report.unchanged),
      ("kept", report.kept), ("replaced", report.replaced),
    ]
    let decoded = Set(report.decoded)
    let refused = report.refused.map { (key: $0, text: "refused (\($1))".onOneLine) }
    let lines = outcomes.flatMap { outcome, keys in
      keys.map { (key: $0, text: decoded.contains($0) ? "\(outcome) (decoded)" : outcome) }
    }
    for line in (lines + refused).sorted(by: { $0.key < $1.key }) {
      try Output.line("\(line.text): \(line.key.asListedKey)")
    }
    guard arguments.has(.removePropertyList), !arguments.has(.dryRun) else { return }
    try Output.line(
      report.isSourceRemoved
        ? "The file was removed."
        : "The file was kept, because the settings do not contain all of its values.")
  }
}

extension KeyValueStoreError {
  /// Returns the failure to report if the source cannot be read; nil for an error of another file.
  fileprivate func ofSource(_ file: URL) -> Failure? {
    switch self {
    case .unreadable(let unreadable)
    where unreadable.place.path == file.resolvingSymlinksInPath().path:
      let place = unreadable.place.line.map { "line \($0)" } ?? "byte \(unreadable.offset)"
      return Failure(
        "\(file.path) cannot be read: \(unreadable.reason) (\(place)). Nothing was migrated.")
    case .empty(let path) where path == file.resolvingSymlinksInPath().path:
      return Failure("\(file.path) is empty. Nothing was migrated.")
    default: return nil
    }
  }
}
