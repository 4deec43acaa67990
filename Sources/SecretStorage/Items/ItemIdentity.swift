/// The attributes that identify an item within its class.
///
/// Two items of a store never have equal identities; an absent part counts as a value of its own.
/// Texts compare as Swift strings do, by canonical equivalence, so "é" is one name in all its
/// encodings.
public struct ItemIdentity: Hashable, Sendable {
  /// The kind of password that an identity describes.
  public enum Class: String, Hashable, Sendable, CaseIterable {
    /// A password for a service, named by the service and an account.
    case generic
    /// A password for a server, named as a URL would name it.
    case internet
  }

  /// The kind of password.
  public let itemClass: Class
  /// The service of a generic password.
  public internal(set) var service: String?
  /// The account, in both classes.
  public internal(set) var account: String?
  /// The host name or address of an internet password.
  public internal(set) var server: String?
  /// The security domain or realm of an internet password.
  public internal(set) var securityDomain: String?
  /// The protocol of an internet password.
  public internal(set) var `protocol`: InternetProtocol?
  /// The authentication type of an internet password.
  public internal(set) var authenticationType: InternetAuthenticationType?
  /// The port of an internet password.
  public internal(set) var port: UInt16?
  /// The path of an internet password.
  public internal(set) var path: String?

  private init(itemClass: Class, account: String?) {
    self.itemClass = itemClass
    self.account = account
  }

  /// Makes the identity of a generic password.
  public static func generic(service: String? = nil, account: String? = nil) -> ItemIdentity {
    var identity = ItemIdentity(itemClass: .generic, account: account)
    identity.service = service
    return identity
  }

  /// Makes the identity of an internet password.
  public static func internet(
    server: String? = nil,
    account: String? = nil,
    securityDomain: String? = nil,
    protocol: InternetProtocol? = nil,
    authenticationType: InternetAuthenticationType? = nil,
    port: UInt16? = nil,
    path: String? = nil
  ) -> ItemIdentity {
    var identity = ItemIdentity(itemClass: .internet, account: account)
    identity.server = server
    identity.securityDomain = securityDomain
    identity.protocol = `protocol`
    identity.authenticationType = authenticationType
    identity.port = port
    identity.path = path
    return identity
  }

  /// Returns whether every part that a pattern has is equal here; its absent parts match anything.
  public func matches(_ pattern: ItemIdentity) -> Bool {
    func fits<Part: Equatable>(_ part: Part?, _ wanted: Part?) -> Bool {
      wanted == nil || part == wanted
    }
    return itemClass == pattern.itemClass
      && fits(account, pattern.account) && fits(service, pattern.service)
      && fits(server, pattern.server) && fits(securityDomain, pattern.securityDomain)
      && fits(`protocol`, pattern.protocol)
      && fits(authenticationType, pattern.authenticationType)
      && fits(port, pattern.port) && fits(path, pattern.path)
  }
}

extension ItemIdentity: CustomStringConvertible, CustomReflectable {
  /// The class and the names of the parts that are present, without their values, because a
  /// description may end up in a log.
  public var description: String {
    "\(itemClass)(\(presentParts.joined(separator: ", ")))"
  }

  /// The names of the parts that are present.
  var presentParts: [String] {
    let parts: [(String, Bool)] = [
      ("service", service != nil), ("server", server != nil), ("account", account != nil),
      ("securityDomain", securityDomain != nil), ("protocol", `protocol` != nil),
      ("authenticationType", authenticationType != nil), ("port", port != nil),
      ("path", path != nil),
    ]
    return parts.filter(\.1).map(\.0)
  }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
