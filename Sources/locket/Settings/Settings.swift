import CLibrary
import FoundationEssentials
import KeyValueStorage

extension Option {
  static let settingsFile = Option(
    "file", "FILE", "the settings, instead of this program's own: a .json or .plist file")
}

extension Parameter {
  static let key = Parameter("KEY", "the name of the setting; after `--` if it begins with `--`")
}

extension Arguments {
  /// The settings of the options.
  func settings() throws(UsageError) -> KeyValueStore {
    // Failures are thrown, and would be reported twice.
    KeyValueStore.onFailure = { _ in }
    guard let path = try path(.settingsFile) else { return .standard }
    let file = URL(filePath: path)
    if path.lowercased().hasSuffix(".json") { return KeyValueStore(json: file) }
    guard path.lowercased().hasSuffix(".plist") else {
      throw UsageError("--file needs a file whose name ends in .json or .plist.")
    }
    return KeyValueStore(propertyList: file, format: Self.isBinary(file.path) ? .binary : .xml)
  }

  /// The options that name these settings for another command, quoted for a shell.
  var settingsOptions: String {
    let option = Option.settingsFile
    return self[option].map { " \(option.spelling) \($0.quotedForShell)" } ?? ""
  }

  /// Whether the file is a binary property list, a form that it keeps.
  private static func isBinary(_ path: String) -> Bool {
    var status = stat()
    // Opening a pipe might wait. Here and below, the path is copied, and the kernel fills a
    // variable of this call; errors of the file are left to the store.
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var start = [UInt8](repeating: 0, count: 6)
    return unsafe read(descriptor, &start, start.count) == start.count
      && start == Array("bplist".utf8)
  }
}

extension Command {
  /// The notes of the commands that print values.
  private static let valueNotes = """
    Values are printed on one line. Numbers keep their value, not their spelling: 1.0 is printed as 1,
    and 1e3 as 1000. Integers have all their digits; other numbers have those of a Double. Values that
    JSON does not have are printed as text: dates of the years from 1583 to 9999 as in ISO 8601, with
    as many digits as the date has (others as seconds since 2001), data as base64, NaN and the
    infinities by their names.
    """

  static let getSetting = Command(
    name: "settings get",
    parameters: [.key],
    summary: "Prints a setting as JSON.",
    options: [.settingsFile],
    notes: valueNotes
  ) { arguments in
    let value = try arguments.settings().value(of: arguments.parameters[0], as: JSONValue.self)
    guard let value else { return reportAbsence() }
    try Output.line(value.json)
    return .done
  }

  static let listSettings = Command(
    name: "settings list",
    summary: "Prints all settings, each as its key, a tab, and its value as JSON.",
    options: [.settingsFile],
    notes: """
      A key that is empty, begins with a quotation mark, or has characters in it that do not show, is
      printed as JSON too.

      \(valueNotes)
      """
  ) { arguments in
    let settings = try arguments.settings()
    var status = ExitStatus.done
    for key in try settings.keys() {
      do {
        // Another process may have removed it in the meantime.
        guard let value = try settings.value(of: key, as: JSONValue.self) else { continue }
        try Output.line("\(key.asListedKey)\t\(value.json)")
      } catch let error as KeyValueStoreError {
        // The others are listed all the same.
        guard error.isOfValue else { throw error }
        Program.report(error.text(for: arguments))
        status = .failed
      }
    }
    return status
  }

  static func reportAbsence() -> ExitStatus {
    Program.report("There is no such setting.")
    return .absent
  }
}

extension Command {
  static let setSetting = Command(
    name: "settings set",
    parameters: [
      .key,
      Parameter("VALUE", "in JSON: 0.8, true, null, '\"text\"', '[1, 2]' or '{\"a\": 1}'"),
    ],
    summary: "Sets a setting.",
    options: [.settingsFile],
    notes: """
      The file and its directory are made if necessary. A new .plist file is XML, an existing one keeps
      its form. Numbers keep their value, not their spelling: integers exactly, others as the nearest
      Double. A binary property list refuses integers of more than 128 bits.
      """
  ) { arguments in
    let value = try JSONValue(typed: arguments.parameters[1])
    try arguments.settings().set(value, for: arguments.parameters[0])
    return .done
  }

  static let resetSetting = Command(
    name: "settings reset",
    parameters: [.key],
    summary: "Removes a setting, so that the app's default holds again.",
    options: [.settingsFile]
  ) { arguments in
    let settings = try arguments.settings()
    let key = arguments.parameters[0]
    try settings.load()
    guard StoredValue<JSONValue?>(key, in: settings).isSet else { return reportAbsence() }
    try settings.remove(key)
    return .done
  }

  static let moveSettingsAside = Command(
    name: "settings move-aside",
    summary: "Renames a settings file that cannot be read, so that a new one can begin.",
    options: [.settingsFile]
  ) { arguments in
    if let path = try arguments.settings().moveAsideUnreadableFile() {
      try Output.line("moved to \(path)")
    } else {
      try Output.line("The settings can be read, and nothing was changed.")
    }
    return .done
  }
}

extension KeyValueStoreError {
  /// The text of the error, with the command that helps where there is one.
  func text(for arguments: Arguments) -> String {
    switch self {
    case .unreadable, .empty:
      "\(self) To move it aside: `locket settings move-aside\(arguments.settingsOptions)`."
    case .undecodable(let key, _, let reason):
      "The value of \(String(reflecting: key)) cannot be shown: \(reason)."
    default: "\(self)"
    }
  }

  /// Whether the file exists, and only its content is invalid.
  var isOfContent: Bool {
    switch self {
    case .unreadable, .empty, .tooLarge: true
    default: false
    }
  }

  /// Whether the kernel does not watch the file, so that changes are printed a moment later.
  var isOfPolling: Bool {
    if case .system("inotify", _, _) = self { true } else { false }
  }

  /// Whether a single value is invalid.
  var isOfValue: Bool {
    if case .undecodable = self { true } else { false }
  }
}
