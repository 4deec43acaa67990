import KeyValueStorage

extension Command {
  static let setSetting = Command(
    name: "settings set",
    parameters: ["KEY", "VALUE"],
    summary: "Sets a setting to a value, written as JSON: 0.8, true, '\"text\"', '[1, 2]'.",
    options: [.settingsFile],
    notes: "What looks like an option is taken as it is after `--`."
  ) { arguments in
    let value = try JSONValue(json: arguments.parameters[1])
    try arguments.settings().set(value, for: arguments.parameters[0])
    return .done
  }

  static let resetSetting = Command(
    name: "settings reset",
    parameters: ["KEY"],
    summary: "Removes a setting, so that the app's default holds again.",
    options: [.settingsFile]
  ) { arguments in
    let settings = try arguments.settings()
    guard try settings.keys().contains(arguments.parameters[0]) else {
      try Output.line("Example: There is no such setting.", to: .standardError)
      return .absent
    }
    try settings.remove(arguments.parameters[0])
    return .done
  }
}
