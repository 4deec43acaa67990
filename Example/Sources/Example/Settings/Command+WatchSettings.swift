import Dispatch
import KeyValueStorage
import SerializedAccess

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension Command {
  static let watchSettings = Command(
    name: "settings watch",
    summary: "Prints each change of a setting as it happens, whoever makes it, until Ctrl-C.",
    options: [.settingsFile],
    notes: """
      Each line is the key, a tab, and the new value as JSON, or nothing after the key when the setting
      was removed.
      """
  ) { arguments in
    let settings = try arguments.settings()
    KeyValueStore.onFailure = { error in
      do {
        try Output.line("Example: \(error)", to: .standardError)
      } catch {
        // Standard error is closed or full: the next change is printed all the same.
      }
    }
    // A reader that goes away, such as `head`, ends the watching as a failed write.
    signal(SIGPIPE, SIG_IGN)
    let failure = Serialized<(any Error)?>(nil)
    let end = DispatchSemaphore(value: 0)
    let observation = settings.observe { key in
      do {
        let value = try settings.value(of: key, as: JSONValue.self)
        try Output.line(try value.map { "\(key.onOneLine)\t\(try $0.json)" } ?? key.onOneLine)
      } catch let error as KeyValueStoreError {
        KeyValueStore.onFailure(error)
      } catch {
        failure.wrappedValue = error
        end.signal()
      }
    }
    try settings.load()
    try Output.line("Watching. Ctrl-C ends it.", to: .standardError)
    end.wait()
    observation.cancel()
    if let error = failure.wrappedValue { throw error }
    return .done
  }
}
