import KeyValueStorage

extension Command {
  static let getSetting = Command(
    name: "settings get",
    parameters: ["KEY"],
    summary: "Prints a setting as JSON.",
    options: [.settingsFile]
  ) { arguments in
    let value = try arguments.settings().value(of: arguments.parameters[0], as: JSONValue.self)
    guard let value else {
      try Output.line("Example: There is no such setting.", to: .standardError)
      return .absent
    }
    try Output.line(value.json)
    return .done
  }

  static let listSettings = Command(
    name: "settings list",
    summary: "Prints all settings, each as its key, a tab, and its value as JSON.",
    options: [.settingsFile]
  ) { arguments in
    let settings = try arguments.settings()
    for key in try settings.keys() {
      // Another process may have removed it meanwhile.
      guard let value = try settings.value(of: key, as: JSONValue.self) else { continue }
      try Output.line("\(key.onOneLine)\t\(value.json)")
    }
    return .done
  }
}
