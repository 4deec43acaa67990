import FoundationEssentials
import SecretStorage
import TestSupport

/// A vault in a directory of its own.
final class VaultDirectory: Sendable {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  var path: String { directory("secrets.vault") }
  var statePath: String { directory("state") }

  /// Another object for the vault, as in another process.
  func open(authenticator: (any Authenticator)? = nil) -> SecretVault {
    SecretVault(
      fileURL: URL(filePath: path), stateDirectory: URL(filePath: statePath),
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
