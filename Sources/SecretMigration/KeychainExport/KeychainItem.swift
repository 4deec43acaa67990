import FoundationEssentials
import SecretStorage

/// An item as a keychain describes it, by the names that `SecItemCopyMatching` gives to attributes.
struct KeychainItem: Decodable {
  enum CodingKeys: String, CodingKey {
    case itemClass = "class"
    case acct, svce, srvr, sdmn, path, port, ptcl, atyp
    case labl, icmt, desc, crtr, type, invi, pdmn, cdat
    case data = "v_Data"
  }

  let itemClass: String
  let acct, svce, srvr, sdmn, path: KeychainText?
  let port: Int?
  let ptcl, atyp, crtr, type: KeychainCode?
  let labl, icmt, desc: KeychainText?
  let invi: KeychainFlag?
  let pdmn: String?
  let cdat: Date?
  let data: Data

  /// Why an item cannot be taken over.
  enum Failure: Error {
    case malformed(String)
    case unsupported(String)

    func error(path: String, place: String) -> MigrationError {
      switch self {
      case .malformed(let reason): .malformed(path: path, reason: "\(place): \(reason)")
      case .unsupported(let reason): .unsupported(path: path, reason: "\(place): \(reason)")
      }
    }
  }

  func foreignSecret(at place: String) throws(Failure) -> ForeignSecret {
    ForeignSecret(
      place: place, identity: try identity(), attributes: try attributes(), secret: Secret(data))
  }

  private func identity() throws(Failure) -> ItemIdentity {
    switch itemClass {
    case "genp":
      return .generic(service: svce?.nonempty, account: acct?.nonempty)
    case "inet":
      // A keychain answers 0 and empty texts for what is absent.
      let number = port ?? 0
      guard let port = UInt16(exactly: number) else {
        throw .malformed("the port is not a number up to 65535")
      }
      return .internet(
        server: srvr?.nonempty, account: acct?.nonempty, securityDomain: sdmn?.nonempty,
        protocol: ptcl?.text.map(InternetProtocol.init(rawValue:)),
        authenticationType: atyp?.text.map(InternetAuthenticationType.init(rawValue:)),
        port: port == 0 ? nil : port, path: path?.nonempty)
    default:
      throw .unsupported("it is neither a generic nor an internet password")
    }
  }

  private func attributes() throws(Failure) -> ItemAttributes {
    ItemAttributes(
      label: labl?.nonempty, comment: icmt?.nonempty, itemDescription: desc?.nonempty,
      creator: crtr?.number, type: type?.number, isInvisible: invi?.isSet,
      accessControl: AccessControl(try accessibility()))
  }

  /// The values of `kSecAttrAccessible…`.
  private func accessibility() throws(Failure) -> Accessibility {
    switch pdmn {
    case nil, "ak": .whenUnlocked
    case "ck": .afterFirstUnlock
    case "dk": .always
    case "akpu": .whenPasscodeSetThisDeviceOnly
    case "aku": .whenUnlockedThisDeviceOnly
    case "cku": .afterFirstUnlockThisDeviceOnly
    case "dku": .alwaysThisDeviceOnly
    default: throw .unsupported("its accessibility is not known")
    }
  }
}
