import KeyValueStorage

extension Command {
  static let setSetting = Command(
    name: "settings set",
    parameters: [
      .key,
      Parameter("VALUE", "in JSON: 0.8, true, null, '\"text\"', '[1, 2]' or '{\"a\": 1}'"),
    ],
    summary: "Sets a setting, for this and for other programs.",
    options: [.settingsFile],
    notes: """
      The file and its directory are made if need be. A new .plist file is XML, an existing one keeps
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
