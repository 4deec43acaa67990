import KeyValueStorage

extension Command {
  /// What is to be known of values that are printed.
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
        // Another process may have removed it meanwhile.
        guard let value = try settings.value(of: key, as: JSONValue.self) else { continue }
        try Output.line("\(key.asListedKey)\t\(value.json)")
      } catch let error as KeyValueStoreError {
        // The others are to be seen all the same.
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
