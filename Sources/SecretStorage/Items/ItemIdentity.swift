/// The class of an item, and the attributes that identify it within its class.
///
/// No two items of a store have equal identities; an absent part equals only an absent part.
/// Strings are compared by canonical equivalence, so all encodings of "é" are equal.
public struct ItemIdentity: Hashable, Sendable {
  /// The class of a password.
  public enum Class: String, Hashable, Sendable, CaseIterable {
    /// A password for a service, identified by the service and an account.
    case generic
    /// A password for a server, identified by the parts of a URL.
    case internet
  }

  /// The class of the password.
  public let itemClass: Class
  /// The service of a generic password.
  public internal(set) var service: String?
  /// The account of a generic or an internet password.
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

  /// Returns the identity of a generic password.
  public static func generic(service: String? = nil, account: String? = nil) -> ItemIdentity {
    ItemIdentity(itemClass: .generic, service: service, account: account)
  }

  /// Returns the identity of an internet password.
  public static func internet(
    server: String? = nil, account: String? = nil, securityDomain: String? = nil,
    protocol: InternetProtocol? = nil, authenticationType: InternetAuthenticationType? = nil,
    port: UInt16? = nil, path: String? = nil
  ) -> ItemIdentity {
    ItemIdentity(
      itemClass: .internet, account: account, server: server, securityDomain: securityDomain,
      protocol: `protocol`, authenticationType: authenticationType, port: port, path: path)
  }

  /// Returns whether the identity matches a pattern, whose absent parts match any value.
  public func matches(_ pattern: ItemIdentity) -> Bool {
    func fits<Part: Equatable>(_ part: Part?, _ expected: Part?) -> Bool {
      expected == nil || part == expected
    }
    return itemClass == pattern.itemClass && fits(account, pattern.account)
      && fits(service, pattern.service) && fits(server, pattern.server)
      && fits(securityDomain, pattern.securityDomain) && fits(`protocol`, pattern.protocol)
      && fits(authenticationType, pattern.authenticationType)
      && fits(port, pattern.port) && fits(path, pattern.path)
  }
}

extension ItemIdentity: CustomStringConvertible, CustomReflectable {
  /// The class and the names of the present parts, but no values, which must not be logged.
  public var description: String { "\(itemClass)(\(presentParts.joined(separator: ", ")))" }

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

/// A query for items.
public enum ItemQuery: Hashable, Sendable {
  /// Every item of the store.
  case all
  /// The items that match a pattern, whose absent parts match any value.
  case matching(ItemIdentity)
  /// The item with exactly the given identity, whose absent parts must be absent.
  case exactly(ItemIdentity)

  /// Returns whether the query includes an item with a given identity.
  public func includes(_ identity: ItemIdentity) -> Bool {
    switch self {
    case .all: true
    case .matching(let pattern): identity.matches(pattern)
    case .exactly(let expected): identity == expected
    }
  }
}
