import CLibrary
import FoundationEssentials
import SecretStorage
import StorageInternals
import ValueFormats

/// The conversion of the items of one service.
///
/// Each item is converted in four steps: write a copy and read it back, replace the item and read
/// it back, mark the key as finished, and remove the copy. A later run can resume after any step.
struct AdapterMigrationWork {
  let store: any SecretStore
  let service: String
  let isDryRun: Bool
  /// The authorizations to read and write items, by their access control.
  var authorizations: [AccessControl: Authorization] = [:]

  private var migrationService: String { "\(service).migration" }

  func identity(of key: String) -> ItemIdentity { .generic(service: service, account: key) }

  /// Converts a key's item; throws `conflict`, for a retry, if another process changes the item.
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
    let copy: ConversionCopy
    if let copyItem = try store.item(copyIdentity) {
      copy = try decode(ConversionCopy.self, from: copyItem)
      guard bytes == copy.original || bytes == copy.converted else {
        return .refused("It was changed after an interrupted run.")
      }
    } else {
      // The finished keys are read again after the item and the copy, in this order: a process that
      // converted the item has either left the copy or marked the key as finished.
      if try finishedKeys().keys.contains(key) { return .identical }
      do throws(AdapterConversion.Refusal) {
        guard let converted = try conversion.convert(bytes, decoder) else { return .native }
        copy = ConversionCopy(original: bytes, converted: converted)
      } catch {
        return .refused(error.reason)
      }
      if !isDryRun, !locketBreak(48) { try add(copy, of: item, as: copyIdentity) }
    }
    if isDryRun { return .converted }
    if bytes == copy.original {
      let updated = try store.update(
        item.id, expecting: revision, attributes: nil, secret: Secret(copy.converted),
        authorizedBy: authorization(for: item))
      guard try read(updated).bytes == copy.converted else { throw mismatch }
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

  /// Marks a key as finished, and then removes its copy.
  private func finish(_ key: String, _ copyIdentity: ItemIdentity) throws(SecretStoreError) {
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
    // If there are no bytes, another process has removed the item.
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

/// The bytes of an item before and after its conversion, stored until the conversion is finished.
private struct ConversionCopy: Codable {
  let original: Data
  let converted: Data
}
