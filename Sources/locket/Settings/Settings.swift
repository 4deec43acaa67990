import FoundationEssentials
import KeyValueStorage
import ValueFormats

extension Option {
  static let settingsFile = Option(
    "file", "FILE", "the settings file to use instead of this program's own: .json or .plist")
}

extension Parameter {
  static let key = Parameter(
    "KEY", "the name of the setting; write `--` before a name that begins with `--`")
}

extension Arguments {
  /// Returns the settings of the options.
  func settings() throws(UsageError) -> KeyValueStore {
    // Failures are thrown; they must not be reported twice.
    KeyValueStore.onFailure = { _ in }
    guard let path = try path(.settingsFile) else { return .standard }
    let file = URL(filePath: path)
    if path.lowercased().hasSuffix(".json") { return KeyValueStore(json: file) }
    guard path.lowercased().hasSuffix(".plist") else {
      throw UsageError("--file needs a file whose name ends in .json or .plist.")
    }
    return KeyValueStore(propertyList: file, format: isFileBinary ? .binary : .xml)
  }

  /// The failure if a setting is absent, possibly with its file.
  fileprivate var noSuchSetting: Failure {
    missingFile(.settingsFile) ?? Failure("There is no such setting.", status: .absent)
  }

  /// The options that select these settings, quoted for a shell.
  var settingsOptions: String {
    let option = Option.settingsFile
    return self[option].map { " \(option.flag) \($0.quotedForShell)" } ?? ""
  }

  /// Whether the settings are in a binary property list; a set keeps this format.
  fileprivate var isFileBinary: Bool {
    do {
      return try self[.settingsFile].map(BinaryPropertyListFormat.isFormat) ?? false
    } catch {
      // The store reports errors of the file.
      return false
    }
  }
}

extension Command {
  /// The notes of the commands that print values.
  private static let valueNotes = """
    Values are printed on one line. Numbers keep their value, not their notation: 1.0 is printed as
    1, and 1e3 as 1000. All digits are kept. Values that JSON does not support are printed as
    strings: dates of the years 1 to 9999 in ISO 8601 with all their digits (others as seconds
    since 2001), data as base64, NaN and the infinities by name.
    """

  static let getSetting = Command(
    name: "settings get",
    parameters: [.key],
    summary: "Prints a setting as JSON.",
    options: [.settingsFile],
    notes: valueNotes
  ) { arguments in
    let value = try arguments.settings().value(of: arguments.parameters[0], as: JSONValue.self)
    guard let value else { throw arguments.noSuchSetting }
    try Output.line(value.json)
    return .done
  }

  static let listSettings = Command(
    name: "settings list",
    summary: "Prints all settings, each as its key, a tab, and its value as JSON.",
    options: [.settingsFile],
    notes: """
      A key that is empty, begins with a quotation mark, or contains invisible characters is also printed
      as JSON.

      \(valueNotes)
      """
  ) { arguments in
    let settings = try arguments.settings()
    let keys = try settings.keys()
    if let failure = arguments.missingFile(.settingsFile) { throw failure }
    var status = ExitStatus.done
    for (key, value) in zip(keys, try settings.values(of: keys, as: JSONValue.self)) {
      switch value {
      case .success(let value)?: try Output.line("\(key.asListedKey)\t\(value.json)")
      case .failure(let error)?:
        // An invalid value does not prevent listing the others.
        Program.report(error.text(for: arguments))
        status = .failed
      // Another process may have removed the setting meanwhile.
      case nil: break
      }
    }
    return status
  }

  static let setSetting = Command(
    name: "settings set",
    parameters: [
      .key,
      Parameter("VALUE", "in JSON: 0.8, true, null, '\"text\"', '[1, 2]' or '{\"a\": 1}'"),
    ],
    summary: "Sets a setting.",
    options: [.settingsFile],
    notes: """
      The file and its directory are created if necessary. A new .plist file is XML; an existing one
      keeps its format. Numbers keep their value with all digits, not their notation. A binary property
      list has only integers of 128 bits and Doubles; other numbers are refused there.
      """
  ) { arguments in
    let value = try JSONValue(argument: arguments.parameters[1])
    let settings = try arguments.settings()
    // The store would keep the digits as text, which other programs do not read as a number.
    if value.hasLongNumber, arguments.isFileBinary {
      throw Failure(
        """
        A number is too large or too precise for a binary property list. Round it, or set a string \
        instead, which an app also reads as a Decimal.
        """)
    }
    try settings.set(value, for: arguments.parameters[0])
    return .done
  }

  static let resetSetting = Command(
    name: "settings reset",
    parameters: [.key],
    summary: "Removes a setting, which restores the app's default.",
    options: [.settingsFile]
  ) { arguments in
    let settings = try arguments.settings()
    let key = arguments.parameters[0]
    try settings.load()
    guard StoredValue<JSONValue?>(key, in: settings).isSet else { throw arguments.noSuchSetting }
    try settings.remove(key)
    return .done
  }

  static let moveSettingsAside = Command(
    name: "settings move-aside",
    summary: "Renames a settings file that cannot be read, so that a new one can be created.",
    options: [.settingsFile]
  ) { arguments in
    if let path = try arguments.settings().moveAsideUnreadableFile() {
      try Output.line("moved to \(path.onOneLine)")
    } else if let failure = arguments.missingFile(.settingsFile) {
      throw failure
    } else {
      try Output.line("The settings can be read. Nothing was changed.")
    }
    return .done
  }
}

extension KeyValueStoreError {
  /// Returns the message of the error, with the command that resolves it, if there is one.
  func text(for arguments: Arguments) -> String {
    switch self {
    case .unreadable, .empty:
      "\(self) To move it aside: `locket settings move-aside\(arguments.settingsOptions)`."
    case .undecodable(let value):
      """
      The value of \(String(reflecting: value.key))\
      \(value.place?.position.map { " at \($0)" } ?? "") cannot be shown: \(value.reason).
      """
    default: "\(self)"
    }
  }

  /// Whether the file exists, but its content is invalid.
  var isOfContent: Bool {
    switch self {
    case .unreadable, .empty, .tooLarge: true
    default: false
    }
  }

  /// Whether the file is polled instead of watched by the kernel, so that changes appear later.
  var isOfPolling: Bool {
    if case .system("inotify", _, _) = self { true } else { false }
  }

  /// Whether a single value is invalid.
  var isOfValue: Bool {
    if case .undecodable = self { true } else { false }
  }
}
