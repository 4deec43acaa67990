import Concurrency
import ValueFormats

extension KeyValueStore {
  /// Adopts contents that the backend has read, and checks the values of the existing properties.
  func adoptAndCheck(_ contents: KeyValueContents) {
    let (resolved, isEmpty) = state.withLock { state in
      let isEmpty = layering == nil && contents.isEmpty && state.contents?.isEmpty ?? true
      state.adopt(contents)
      return (state.takeReportedReadError(), isEmpty)
    }
    if let resolved { Self.forget(resolved) }
    cancelRefresh()
    if !isEmpty { scheduleCheck(after: Self.checkDelay) }
  }

  /// The delay of a check after contents were read, so that many writes in a row share one.
  static let checkDelay = Duration.milliseconds(50)

  /// Schedules a check of all existing properties, unless one is scheduled.
  func scheduleCheck(after delay: Duration = .zero) {
    // Properties of the standard store are added to it by the check.
    let mayHaveOthers = isStandard
    let isNeeded = state.withLock { state in
      if state.properties.isEmpty && !mayHaveOthers { return false }
      return state.scheduledChecks.insert(delay).inserted
    }
    if !isNeeded { return }
    let job = background.run(after: delay) { [weak self] in
      guard let self else { return }
      state.withLock { _ = $0.scheduledChecks.remove(delay) }
      check()
    }
    // Without a thread, each access checks its own property.
    if job == nil { state.withLock { _ = $0.scheduledChecks.remove(delay) } }
  }

  private func check() {
    let properties = properties
    let changed = state.withLock { state in
      state.hasMistakes = false
      return properties.filter { state.hasUncheckedValue($0) }
    }
    for property in changed { check(property) }
  }

  /// The existing properties that use this store.
  private var properties: [Property] {
    state.withLock { $0.properties.all } + StandardSetting.unusedProperties(of: self)
  }

  /// Reports the value of a property if it has become invalid.
  private func check(_ property: Property) {
    let encoded = state.withLock { $0[property.key] }
    layering?.declare(property.key)
    let (value, error) = decode(encoded, as: property)
    let (unreported, resolved) = state.withLock { state in
      // After another change, there is another check.
      if state[property.key] != encoded {
        return (KeyValueStoreError?.none, KeyValueStoreError?.none)
      }
      return state.recordDecoding(of: encoded, value, error, in: state.record(of: property))
    }
    if let resolved { Self.forget(resolved) }
    if let unreported { Self.report(unreported) }
  }

  /// Decodes a value; must be called without a lock, because the type's code may use the store.
  func decode(
    _ encoded: EncodedValue?, as property: Property
  ) -> (value: AnyBox?, error: KeyValueStoreError?) {
    do {
      return (try property.decode(encoded, nil), nil)
    } catch {
      return (nil, backend.undecodable(error, encoded ?? [], of: property.key))
    }
  }

  /// Reports the reason why newer contents could not be read, unless it has been reported.
  func reportReadError() {
    let (new, replaced) = state.withLock { $0.takeUnreportedReadError() }
    if let replaced { Self.forget(replaced) }
    if let new { Self.report(new) }
  }
}

extension KeyValueStore {
  /// Returns the keys in the store, and the members of stored structures, that no property reads.
  ///
  /// Such a key is often a spelling mistake, or belongs to another program. The method considers
  /// the existing ``StoredValue`` properties, so call it when all of them have been created. Keys
  /// that are read only by `value(of:as:)` are returned, too. A structure's members are those
  /// that its `Decodable` implementation requests. A value that cannot be decoded has an error
  /// instead.
  ///
  /// The method decodes all values of the properties again. In a forked child, it returns no keys.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read.
  public func unreadKeys() throws -> [UnreadKey] {
    // A forked child does not know the properties of its parent.
    if Fork.isChild { return [] }
    try load()
    guard let contents = state.withLock({ $0.contents }) else { return [] }
    let readers = Dictionary(grouping: properties, by: \.key)
    var usage: [StoredKey: [MemberUsage]] = [:]
    for (key, properties) in readers {
      guard let value = contents[key] else { continue }
      do throws(DecodingFailure) {
        usage[key] = try properties.map { property throws(DecodingFailure) in
          try property.members(of: value)
        }
      } catch {
        // The error is reported instead.
      }
    }
    let layers = (backend as? LayeredBackend)?.files(in: contents) ?? [(backend, contents)]
    return layers.flatMap { backend, contents in
      contents.entries.flatMap { entry -> [UnreadKey] in
        // In a store with a version, the key `$version` is reserved.
        if version.number != 0, entry.key == SettingsVersion.key { return [] }
        let isRead = readers[entry.key] != nil
        let unread = isRead ? backend.unread(of: entry, by: usage[entry.key] ?? []) : [ValuePath()]
        let positions = backend.positions(of: unread, in: entry.value, of: entry.key)
        return zip(unread, positions).map { path, position in
          UnreadKey(
            store: backend.name, keyPath: "\(path.inside(entry.key.string))",
            line: position?.line, column: position?.column)
        }
      }
    }
  }
}

extension KeyValueBackend {
  /// Returns the paths in a value that no property reads.
  fileprivate func unread(of entry: KeyValueEntry, by usage: [MemberUsage]) -> [ValuePath] {
    guard let first = usage.first else { return [] }
    do throws(FormatError) {
      let tree = try format.coding.decode(entry.value)
      let others = usage.dropFirst().map { Set($0.unread(in: tree)) }
      return first.unread(in: tree).filter { path in others.allSatisfy { $0.contains(path) } }
    } catch {
      return []
    }
  }
}
