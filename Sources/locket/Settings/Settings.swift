import KeyValueStorage
import ValueFormats

extension Option {
  fileprivate static let sources = Option(
    "sources", nil,
    "also print the place of each value, after another tab, and the variables that set no setting")
}

extension Parameter {
  static let key = Parameter(
    "KEY", "the name of the setting; write `--` before a name that begins with `--`")
}

extension Command {
  /// The notes of the commands that print values.
  private static let valueNotes = """
    Values are printed on one line. Numbers keep their value, not their notation: 1.0 is printed as 1,
    and 1e3 as 1000. Integers are exact; other numbers have the precision of a Double. Values that JSON
    does not support are printed as strings: dates of the years 1 to 9999 in ISO 8601 with all their
    digits (others as seconds since 2001), data as base64, NaN and the infinities by name.
    """

  static let getSetting = Command(
    name: "settings get",
    parameters: [.key],
    summary: "Prints a setting as JSON.",
    options: Option.settingsLayers,
    notes: "\(layerNotes)\n\n\(valueNotes)"
  ) { arguments in
    let settings = try arguments.layeredSettings()
    let value = try settings.value(of: arguments.parameters[0], as: JSONValue.self)
    guard let value else { return reportAbsence() }
    try Output.line(value.json)
    return .done
  }

  static let listSettings = Command(
    name: "settings list",
    summary: "Prints all settings, each as its key, a tab, and its value as JSON.",
    options: Option.settingsLayers + [.sources],
    fields: [
      Field("key", "the key of the setting"), Field("value", "its value"),
      Field("source", "the place of the value"),
      Field("unused", "with --sources, a variable that sets no setting"),
    ],
    notes: """
      A key that is empty, begins with a quotation mark, or contains invisible characters is also printed
      as JSON.

      \(layerNotes)

      \(valueNotes)
      """
  ) { arguments in
    let settings = try arguments.layeredSettings()
    let keys = try settings.keys()
    var status = ExitStatus.done
    for error in settings.declare(keys) {
      Program.report("\(error)".onOneLine)
      status = .failed
    }
    for key in keys {
      do {
        // Another process may have removed the setting meanwhile.
        guard let value = try settings.value(of: key, as: JSONValue.self) else { continue }
        var line = "\(key.asListedKey)\t\(value.json)"
        if arguments.has(.sources) { line += "\t\("\(settings.source(of: key))".onOneLine)" }
        try arguments.list(
          line,
          [
            ("key", .string(key)), ("value", value.tree),
            ("source", .string("\(settings.source(of: key))")),
          ])
      } catch let error as KeyValueStoreError {
        // An invalid value does not prevent listing the others.
        guard error.isOfValue else { throw error }
        Program.report(error.text(for: arguments))
        status = .failed
      }
    }
    if arguments.has(.sources) {
      // An empty key would be printed as JSON.
      for name in settings.unusedNames() {
        try arguments.list("\t\t\(name.unused)", [("unused", .string(name.unused))])
      }
    }
    return status
  }

  static func reportAbsence() -> ExitStatus {
    Program.report("There is no such setting.")
    return .absent
  }

  static let setSetting = Command(
    name: "settings set",
    parameters: [
      .key,
      Parameter("VALUE", "text, or JSON: 0.8, true, null, '\"text\"', '[1, 2]' or '{\"a\": 1}'"),
    ],
    summary: "Sets a setting.",
    options: Option.settingsPlace,
    notes: """
      A value that is not JSON is text. It is refused if it begins like a JSON string, array or object,
      or if a value of another type is stored: then it is probably a mistake. As a JSON string,
      '"text"', any text is accepted; '"8080"' is text and not a number.

      The file and its directory are created if necessary. A new .plist file is XML; an existing one
      keeps its format. Numbers keep their value, not their notation: integers exactly, others as the
      nearest Double. A binary property list cannot contain integers of more than 128 bits.
      """
  ) { arguments in
    let key = arguments.parameters[0]
    let text = arguments.parameters[1]
    let settings = try arguments.settings()
    if let value = try JSONValue(argument: text) {
      try settings.set(value, for: key)
    } else {
      try settings.transaction {
        if let type = try settings.value(of: key, as: JSONValue.self)?.typeUnlikeText {
          throw Failure(
            """
            VALUE is not valid JSON, and the stored value is \(type). To store text instead, enclose \
            it in quotation marks: '"text"'.
            """)
        }
        try settings.set(text, for: key)
      }
    }
    return .done
  }

  static let resetSetting = Command(
    name: "settings reset",
    parameters: [.key],
    summary: "Removes a setting, which restores the app's default.",
    options: Option.settingsPlace
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
    summary: "Renames a settings file that cannot be read, so that a new one can be created.",
    options: Option.settingsPlace
  ) { arguments in
    if let path = try arguments.settings().moveAsideUnreadableFile() {
      try Output.line("moved to \(path)")
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
    case .unreadable(let file): "\(self) \(Self.advice(for: file.path, arguments))"
    case .empty(let path): "\(self) \(Self.advice(for: path, arguments))"
    case .undecodable(let value): "\(value.summary), so it cannot be shown."
    default: "\(self)"
    }
  }

  private static func advice(for path: String, _ arguments: Arguments) -> String {
    "To move it aside: `locket settings move-aside\(arguments.options(of: path))`."
  }

  /// Whether the file exists, but its content as a whole is invalid.
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
