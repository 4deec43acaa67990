import Dispatch
import KeyValueStorage
import SerializedAccess

extension Command {
  static let watchSettings = Command(
    name: "settings watch",
    summary: "Prints each change of a setting as it happens, whoever makes it, until Ctrl-C.",
    options: [.settingsFile],
    notes: """
      Each line is the key, a tab, and the new value, as `settings list` prints them, or the key alone
      when the setting was removed. Of changes that follow one another at once, the last one counts.
      While the file cannot be read, standard error says why, and the watching goes on.
      """
  ) { arguments in
    let settings = try arguments.settings()
    try beginToWatch(settings, arguments)
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
    Program.report("Watching; Ctrl-C ends it.")
    end.wait()
    observation.cancel()
    if let failure = failure.wrappedValue { throw failure }
    return .done
  }

  /// Reads the settings, and makes sure that changes of them will be heard of.
  private static func beginToWatch(
    _ settings: KeyValueStore, _ arguments: Arguments
  ) throws(KeyValueStoreError) {
    let obstacle = Serialized<KeyValueStoreError?>(nil)
    KeyValueStore.onFailure = { error in
      if error.isOfContent {
        Program.report(error.text(for: arguments))
      } else {
        obstacle.wrappedValue = error
      }
    }
    do {
      try settings.load()
    } catch {
      // What is in the file may be mended, which is what to watch for.
      guard error.isOfContent else { throw error }
      Program.report(error.text(for: arguments))
    }
    if let obstacle = obstacle.wrappedValue { throw obstacle }
    KeyValueStore.onFailure = { Program.report($0.text(for: arguments)) }
  }

  /// What to print of a setting that changed; nil for a value that cannot be shown, of which
  /// `onFailure` has heard.
  private static func line(for key: String, of settings: KeyValueStore) -> String? {
    // What the store has in memory: the file may have become unreadable again.
    let setting = StoredValue<JSONValue?>(key, in: settings)
    if let value = setting.wrappedValue { return "\(key.asListedKey)\t\(value.json)" }
    guard setting.isSet else { return key.asListedKey }
    if setting.error?.isOfValue ?? false { return nil }
    return "\(key.asListedKey)\t\(JSONValue.null.json)"
  }
}
