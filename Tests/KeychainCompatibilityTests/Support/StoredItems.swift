import FoundationEssentials
import KeychainCompatibility
import TestSupport

extension TemporaryDirectory {
  /// Another object for the vault of this directory, as in another process.
  func vault(authenticator: (any Authenticator)? = nil) -> SecretVault {
    SecretVault(
      fileURL: url.appending(path: "secrets.vault"), stateDirectory: url.appending(path: "state"),
      authenticator: authenticator)
  }
}

extension SecretStore {
  /// The bytes of a generic password, as text.
  func text(_ service: String, _ account: String? = nil) throws -> String? {
    try bytes(service, account).map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(
    _ service: String, _ account: String? = nil, by authorization: Authorization = .none
  ) throws -> [UInt8]? {
    let identity = ItemIdentity.generic(service: service, account: account)
    guard let item = try items(matching: .exactly(identity)).first,
      let reading = try secret(of: item.id, authorizedBy: authorization)
    else { return nil }
    // The bytes are copied inside the closure.
    return unsafe reading.secret.withUnsafeBytes { unsafe Array($0) }
  }

  /// Adds an item as a 0.x adapter wrote it.
  func add(
    json: String, _ service: String, _ account: String?,
    _ accessControl: AccessControl = AccessControl()
  ) throws {
    _ = try add(
      Secret(json.utf8), identity: .generic(service: service, account: account),
      attributes: ItemAttributes(accessControl: accessControl))
  }

  /// The services and accounts of all items.
  func names() throws -> Set<String> {
    Set(
      try items(matching: .all).map { item in
        "\(item.identity.service ?? "-")/\(item.identity.account ?? "-")"
      })
  }
}

/// Returns a migration that converts texts of the service `service`.
func converting(_ keys: [String], in store: any SecretStore) -> AdapterMigration {
  var migration = AdapterMigration(serviceIdentifier: "service", in: store)
  for key in keys { migration.convert(key, as: String.self) }
  return migration
}

extension ImportReport {
  /// The keys of an adapter's items with an outcome.
  func keys(_ outcome: Outcome) -> [String] { identities(outcome).compactMap(\.account) }
}
