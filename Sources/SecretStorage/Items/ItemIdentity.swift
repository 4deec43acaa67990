/// The attributes that tell the items of one class apart.
///
/// Two items of a store never have equal identities; a part that is absent counts as a value of its
/// own. Texts compare as Swift strings do, by canonical equivalence, so that "é" is one name however
/// it was typed.
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
  /// The way of authentication of an internet password.
  public internal(set) var authenticationType: InternetAuthenticationType?
  /// The port of an internet password.
  public internal(set) var port: UInt16?
  /// The path of an internet password.
  public internal(set) var path: String?

  private init(itemClass: Class, account: String?) {
    self.itemClass = itemClass
    self.account = account
  }

  /// Names a generic password.
  public static func generic(service: String? = nil, account: String? = nil) -> ItemIdentity {
    var identity = ItemIdentity(itemClass: .generic, account: account)
    identity.service = service
    return identity
  }

  /// Names an internet password.
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

  /// Tells whether every part that a pattern has is the same here, whatever the pattern leaves out.
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

/// Which items a search is for.
public enum ItemQuery: Hashable, Sendable {
  /// Every item of the store.
  case all
  /// The items that have every part that the pattern has, whatever it leaves out.
  case matching(ItemIdentity)
  /// The one item with exactly this identity, a part that is left out meaning that it is absent.
  case exactly(ItemIdentity)

  /// Tells whether an item of an identity is meant.
  public func includes(_ identity: ItemIdentity) -> Bool {
    switch self {
    case .all: true
    case .matching(let pattern): identity.matches(pattern)
    case .exactly(let wanted): identity == wanted
    }
  }
}
