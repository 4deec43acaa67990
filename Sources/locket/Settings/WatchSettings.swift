import Dispatch
import KeyValueStorage
import SerializedAccess
import ValueFormats

extension Command {
  static let watchSettings = Command(
    name: "settings watch",
    summary: "Prints each change of a setting, including those of other programs, until Ctrl-C.",
    options: Option.settingsLayers,
    fields: [
      Field("key", "the key of the setting"),
      Field("value", "the new value, unless it was removed"),
    ],
    notes: """
      Each line contains the key, a tab, and the new value, as in `settings list`, or only the key if
      the setting was removed. If changes follow each other quickly, only the last one is printed. Another
      notation of the same value, such as 1.0 for 1, is no change. If the file cannot be read, the reason
      is printed on standard error, and watching continues.

      \(layerNotes) The variables are those at the start. A change of a member that a higher layer hides
      prints the setting again.
      """
  ) { arguments in
    let settings = try arguments.layeredSettings()
    let failure = Serialized<Failure?>(nil)
    let end = DispatchSemaphore(value: 0)
    let observation = try observe(settings, arguments) { key in
      do throws(Failure) {
        try print(key, of: settings, arguments)
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

  /// Reads and observes the settings, and throws if their changes cannot be observed.
  private static func observe(
    _ settings: KeyValueStore, _ arguments: Arguments,
    _ observer: @escaping @Sendable (_ key: String) -> Void
  ) throws -> KeyValueObservation {
    let obstacle = Serialized<KeyValueStoreError?>(nil)
    KeyValueStore.onFailure = { error in
      // The content of the file may be repaired while it is watched.
      if error.isOfContent || error.isOfPolling {
        Program.report(error.text(for: arguments))
      } else {
        obstacle.wrappedValue = error
      }
    }
    let observation = settings.observe(observer)
    if let obstacle = obstacle.wrappedValue { throw obstacle }
    KeyValueStore.onFailure = { Program.report($0.text(for: arguments)) }
    return observation
  }

  /// Prints a changed setting, unless its value is invalid, which `onFailure` reports.
  private static func print(
    _ key: String, of settings: KeyValueStore, _ arguments: Arguments
  ) throws(Failure) {
    // From the store's memory: the file may have become unreadable again.
    let setting = StoredValue<JSONValue?>(key, in: settings)
    if setting.error?.isOfValue ?? false { return }
    let value = setting.wrappedValue ?? (setting.isSet ? .null : nil)
    try arguments.list(
      value.map { "\(key.asListedKey)\t\($0.json)" } ?? key.asListedKey,
      [("key", .string(key)), ("value", value?.tree)])
  }
}
