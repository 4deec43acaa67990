import FoundationEssentials
import SecretStorage

/// An item of a keychain, with the attribute names of `SecItemCopyMatching`.
struct KeychainItem: Decodable {
  enum CodingKeys: String, CodingKey {
    case itemClass = "class"
    case acct, svce, srvr, sdmn, path, port, ptcl, atyp
    case labl, icmt, desc, crtr, type, invi, pdmn, cdat
    case data = "v_Data"
  }

  let itemClass: String
  let acct, svce, srvr, sdmn, path: KeychainString?
  let port: Int?
  let ptcl, atyp, crtr, type: KeychainCode?
  let labl, icmt, desc: KeychainString?
  let invi: KeychainFlag?
  let pdmn: String?
  let cdat: Date?
  let data: Data

  func foreignSecret(at position: String, of file: String) throws(MigrationError) -> ForeignSecret {
    let code = pdmn ?? Accessibility.whenUnlocked.keychainValue
    guard let accessibility = Accessibility.allCases.first(where: { $0.keychainValue == code })
    else { throw .unsupported(path: file, reason: "\(position): unknown accessibility") }
    return ForeignSecret(
      position: position, identity: try identity(at: position, of: file),
      attributes: ItemAttributes(
        label: labl?.nonempty, comment: icmt?.nonempty, itemDescription: desc?.nonempty,
        creator: crtr?.number, type: type?.number, isInvisible: invi?.isSet,
        accessControl: AccessControl(accessibility)),
      secret: Secret(data))
  }

  private func identity(
    at position: String, of file: String
  ) throws(MigrationError) -> ItemIdentity {
    switch itemClass {
    case "genp": return .generic(service: svce?.nonempty, account: acct?.nonempty)
    case "inet":
      // A keychain returns 0 or an empty string for an absent attribute.
      guard let port = UInt16(exactly: port ?? 0) else {
        throw .malformed(path: file, reason: "\(position): the port exceeds 65535 or is negative")
      }
      return .internet(
        server: srvr?.nonempty, account: acct?.nonempty, securityDomain: sdmn?.nonempty,
        protocol: ptcl?.string.map(InternetProtocol.init(rawValue:)),
        authenticationType: atyp?.string.map(InternetAuthenticationType.init(rawValue:)),
        port: port == 0 ? nil : port, path: path?.nonempty)
    default:
      throw .unsupported(
        path: file, reason: "\(position): it is neither a generic nor an internet password")
    }
  }
}

/// The items of an export; at most one more than the limit is decoded.
struct KeychainItems: Decodable {
  let items: [KeychainItem]

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var items: [KeychainItem] = []
    while !container.isAtEnd, items.count <= ForeignSecrets.countLimit {
      items.append(try container.decode(KeychainItem.self))
    }
    self.items = items
  }
}
