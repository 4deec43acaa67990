import Concurrency
import ValueFormats

// Writing default values into a file to start from.
extension KeyValueStore {
  /// Writes the default value of each property whose key has no value, so that a person finds all
  /// settings in the file, and returns when they are on disk.
  ///
  /// ```swift
  /// store.declare(Settings.level, Settings.port)
  /// try store.writeDefaults()
  /// ```
  ///
  /// The properties are those that the store knows; see ``declare(_:)``. A key keeps the value that
  /// it has, even an invalid one. A nil has no key. Of properties of one key and type with
  /// different default values, that of the first is written; of several types, that of the first
  /// one whose default value is not nil. All are written at once.
  ///
  /// The observer of a property is called only if its default value is another one than the one
  /// written. Observers of all keys are called in other stores and processes only. From then on, a
  /// default value that a later version of the app changes has no effect, because the old one is in
  /// the file.
  ///
  /// Within a ``transaction(_:)``, the values are written at its end. The default values are
  /// encoded, which calls the types' `Encodable` code.
  ///
  /// - Throws: ``KeyValueStoreError``, if a default value cannot be encoded, or if the file cannot
  ///   be read or written.
  public func writeDefaults() throws {
    if let substitute { return try substitute.writeDefaults() }
    try KeyValueStoreError.checkProcess()
    var defaults: [(key: StoredKey, value: EncodedValue)] = []
    var keys: Set<StoredKey> = []
    // Encoding is outside of the lock, because the types' `Encodable` code may use the store.
    for declaration in state.withLock({ $0.declarations.inOrder })
    where !keys.contains(declaration.key) {
      guard let value = try declaration.encodeDefault() else { continue }
      keys.insert(declaration.key)
      defaults.append((declaration.key, value))
    }
    try transaction { state.withLock { $0.addDefaults(defaults) } }
  }
}
