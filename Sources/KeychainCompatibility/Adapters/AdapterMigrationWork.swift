import FoundationEssentials
import SecretStorage
import StorageInternals
import ValueFormats

/// The conversion of the items of one service, each in four steps of which each can be resumed:
/// write a copy and read it back, replace the item and read it back, mark the key as finished, and
/// remove the copy.
struct AdapterMigrationWork {
  let store: any SecretStore
  let service: String
  let authorizations: [AccessControl: Authorization]
  let isDryRun: Bool

  private var migrationService: String { "\(service).migration" }

  func keys() throws(SecretStoreError) -> [String] {
    try store.items(matching: .matching(.generic(service: service))).compactMap(\.identity.account)
  }

  func identity(of key: String) -> ItemIdentity { .generic(service: service, account: key) }

  /// Nil if reading the key's item needs no authentication.
  func accessControl(of key: String) throws(SecretStoreError) -> AccessControl? {
    guard let item = try store.item(identity(of: key)) else { return nil }
    let accessControl = item.attributes.accessControl
    return accessControl.flags.isEmpty ? nil : accessControl
  }

  /// Throws `conflict` if another process changes the item; a retry then finds the result of that.
  func convert(
    _ conversion: AdapterConversion, with decoder: JSONDecoder
  ) throws(SecretStoreError) -> ImportReport.Outcome {
    let key = conversion.key
    let copyIdentity = ItemIdentity.generic(service: migrationService, account: key)
    let isFinished = try finishedKeys().keys.contains(key)
    guard !isFinished, let item = try store.item(identity(of: key)) else {
      if !isDryRun { try store.removeItems(matching: .exactly(copyIdentity)) }
      return isFinished ? .identical : .absent
    }
    let accessControl = item.attributes.accessControl
    if !accessControl.flags.isEmpty, authorizations[accessControl] == nil {
      return .refused("Reading it requires authentication: use run(authorizedBy:).")
    }
    let (bytes, revision) = try read(item)
    if let copyItem = try store.item(copyIdentity) {
      let copy = try decode(ConversionCopy.self, from: copyItem)
      if bytes == copy.original {
        if !isDryRun { try replace(item, revision, by: copy.converted) }
      } else if bytes != copy.converted {
        return .refused("It was changed after an interrupted run.")
      }
    } else {
      // Checked again after reading the item and the copy, in this order: a process that converted
      // the item has either left the copy or marked the key as finished.
      if try finishedKeys().keys.contains(key) { return .identical }
      let copy: ConversionCopy
      switch conversion.convert(bytes, decoder) {
      case .converted(let converted): copy = ConversionCopy(original: bytes, converted: converted)
      case .native: return .native
      case .refused(let reason): return .refused(reason)
      }
      if isDryRun { return .converted }
      try add(copy, of: item, as: copyIdentity)
      try replace(item, revision, by: copy.converted)
    }
    try finish(key, copyIdentity)
    return .converted
  }

  private func add(
    _ copy: ConversionCopy, of item: SecretItem, as identity: ItemIdentity
  ) throws(SecretStoreError) {
    let bytes = try encode(copy)
    let attributes = ItemAttributes(
      label: "Copy of an item that is being converted", isInvisible: true,
      accessControl: item.attributes.accessControl)
    let added = try store.add(
      Secret(bytes), identity: identity, attributes: attributes,
      authorizedBy: authorization(for: item))
    guard try read(added).bytes == Data(bytes) else { throw mismatch }
  }

  private func replace(
    _ item: SecretItem, _ revision: UInt64, by bytes: Data
  ) throws(SecretStoreError) {
    let updated = try store.update(
      item.id, expecting: revision, attributes: nil, secret: Secret(bytes),
      authorizedBy: authorization(for: item))
    guard try read(updated).bytes == bytes else { throw mismatch }
  }

  private func finish(_ key: String, _ copyIdentity: ItemIdentity) throws(SecretStoreError) {
    if isDryRun { return }
    try store.retrying { () throws(SecretStoreError) in
      var (item, keys) = try finishedKeys()
      if !keys.insert(key).inserted { return }
      let secret = Secret(try encode(keys.sorted()))
      if let item {
        _ = try store.update(item.id, expecting: item.revision, attributes: nil, secret: secret)
      } else {
        _ = try store.add(
          secret, identity: .generic(service: migrationService),
          attributes: ItemAttributes(label: "Keys that were converted", isInvisible: true))
      }
    }
    try store.removeItems(matching: .exactly(copyIdentity))
  }

  private func finishedKeys() throws(SecretStoreError) -> (item: SecretItem?, keys: Set<String>) {
    guard let item = try store.item(.generic(service: migrationService)) else { return (nil, []) }
    return (item, Set(try decode([String].self, from: item)))
  }

  private func encode(_ value: some Encodable) throws(SecretStoreError) -> [UInt8] {
    do throws(ValueCodingError) {
      return try ValueCoder().encode(value)
    } catch {
      throw .invalid("An item of the service \(migrationService) cannot be encoded")
    }
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, from item: SecretItem
  ) throws(SecretStoreError) -> Value {
    let bytes = try read(item).bytes
    do throws(ValueCodingError) {
      return try ValueCoder().decode(type, from: Array(bytes))
    } catch {
      throw .corrupted("An item of the service \(migrationService) was not written by a migration")
    }
  }

  private func read(
    _ item: SecretItem
  ) throws(SecretStoreError) -> (bytes: Data, revision: UInt64) {
    let found = try store.bytes(of: item, authorizedBy: authorization(for: item))
    // Another process has removed the item.
    guard let found else { throw .conflict }
    return found
  }

  private func authorization(for item: SecretItem) -> Authorization {
    authorizations[item.attributes.accessControl] ?? .none
  }

  private var mismatch: SecretStoreError {
    .corrupted("An item of the service \(service) differs from the one that was written")
  }
}

/// The bytes of an item before and after its conversion, stored until that is finished.
private struct ConversionCopy: Codable {
  let original: Data
  let converted: Data
}
