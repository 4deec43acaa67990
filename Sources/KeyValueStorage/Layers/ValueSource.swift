import Concurrency
import ValueFormats

/// The place that a value comes from.
public enum ValueSource: Hashable, Sendable {
  /// An option of the command line, such as `--server.port`.
  case commandLine(option: String)
  /// A variable of the environment, such as `NOTES_SERVER_PORT`.
  case environment(variable: String)
  /// A file, or another backend; the name is the path of the file, or that of the backend.
  case store(name: String)
  /// A change that is not yet written; the name is that of the store.
  case unsaved(name: String)
  /// The default value of the property, because no value is stored.
  case defaultValue
}

extension ValueSource: CustomStringConvertible {
  /// The place in words, such as `NOTES_SERVER_PORT in the environment`.
  public var description: String {
    switch self {
    case .commandLine(let option): "\(option) on the command line"
    case .environment(let variable): "\(variable) in the environment"
    case .store(let name): name
    case .unsaved(let name): "a change that is not yet written to \(name)"
    case .defaultValue: "the default value"
    }
  }
}

extension StoredValue {
  /// The place that the value comes from.
  ///
  /// For a structure whose members come from several layers, it is the highest of them. If the
  /// stored value is invalid, it is the place of the invalid value.
  ///
  /// The cost is that of reading the value for the first time, without decoding it.
  public var source: ValueSource { setting.store.source(of: setting.key) }
}

extension KeyValueStore {
  /// Returns the place that the value of a key comes from, as ``StoredValue/source`` does.
  public func source(of key: String) -> ValueSource { source(of: StoredKey(key)) }

  func source(of key: StoredKey) -> ValueSource {
    loadIfNeeded()
    return state.withLock { state in
      guard let value = state.visible(key) else { return .defaultValue }
      if let source = layering?.source(of: value) { return source }
      let isChanged = state.transaction.ofThisThread?.draft.changes[key] != nil
      return isChanged || state.isUnsaved(key) ? .unsaved(name: name) : .store(name: name)
    }
  }
}
