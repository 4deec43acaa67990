import Dispatch
import KeyValueStorage
import SerializedAccess

extension Command {
  static let watchSettings = Command(
    name: "settings watch",
    summary: "Prints each change of a setting, including those of other programs, until Ctrl-C.",
    options: [.settingsFile],
    notes: """
      Each line contains the key, a tab, and the new value, as in `settings list`, or only the key if
      the setting was removed. If changes follow each other quickly, only the last one is printed. If the
      file cannot be read, the reason is printed on standard error, and watching continues.
      """
  ) { arguments in
    let settings = try arguments.settings()
    try startWatching(settings, arguments)
    let failure = Serialized<Failure?>(nil)
    let end = DispatchSemaphore(value: 0)
    let observation = settings.observe { key in
      do throws(Failure) {
        if let line = line(for: key, of: settings) { try Output.line(line) }
      } catch {
        failure.wrappedValue = error
        end.signal()
      }
    }
    Program.report("Watching for changes. Press Ctrl-C to stop.")
    end.wait()
    observation.cancel()
    if let failure = failure.wrappedValue { throw failure }
    return .done
  }

  /// Reads the settings, and throws if their changes cannot be observed.
  private static func startWatching(_ settings: KeyValueStore, _ arguments: Arguments) throws {
    let obstacle = Serialized<KeyValueStoreError?>(nil)
    KeyValueStore.onFailure = { error in
      if error.isOfContent || error.isOfPolling {
        Program.report(error.text(for: arguments))
      } else {
        obstacle.wrappedValue = error
      }
    }
    do {
      try settings.load()
    } catch let error as KeyValueStoreError where error.isOfContent {
      // The content of the file may be repaired while it is watched.
      Program.report(error.text(for: arguments))
    }
    if let obstacle = obstacle.wrappedValue { throw obstacle }
    KeyValueStore.onFailure = { Program.report($0.text(for: arguments)) }
  }

  /// Returns the line for a changed setting; nil for an invalid value, which `onFailure` reports.
  private static func line(for key: String, of settings: KeyValueStore) -> String? {
    // From the store's memory: the file may have become unreadable again.
    let setting = StoredValue<JSONValue?>(key, in: settings)
    let value = setting.wrappedValue
    // In place of an invalid value, the setting has the last valid one.
    if setting.error?.isOfValue ?? false { return nil }
    guard setting.isSet else { return key.asListedKey }
    return "\(key.asListedKey)\t\((value ?? .null).json)"
  }
}
