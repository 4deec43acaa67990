import SecretStorage
import ValueFormats

/// The attributes under which a ``SecretServiceStore`` keeps its items.
public struct ItemLayout: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// Items of Locket, whose schemas begin with the name.
    case own(schema: String)
    case pythonKeyring
    case secretTool
    /// Items of any program that have the attributes.
    case existing([String: String], ForeignWrites)
  }

  let kind: Kind

  /// Locket's own items, with the schemas `com.locket.Generic` and `com.locket.Internet`.
  ///
  /// The service and the account of a generic password are the attributes `service` and `username`,
  /// which Python's `keyring` looks for as well. A secret of one line of printable ASCII is kept as
  /// it is, and any other one as a `data:` URL in base64.
  public static let locket = ItemLayout(kind: .own(schema: "com.locket"))

  /// Locket's own items, with the schemas `<name>.Generic` and `<name>.Internet`.
  ///
  /// Stores with different schemas do not see each other's items.
  public static func schema(_ name: String) -> ItemLayout { ItemLayout(kind: .own(schema: name)) }

  /// Generic passwords as Python's `keyring` reads and writes them.
  ///
  /// They need a service and an account, and have no attributes but a label. The secret is kept as
  /// it is, and refused if it has control characters.
  public static let pythonKeyring = ItemLayout(kind: .pythonKeyring)

  /// Generic passwords that `secret-tool lookup service … account …` finds.
  ///
  /// They need a service, and have no attributes but a label. The secret is kept as it is, and
  /// refused if it has control characters.
  public static let secretTool = ItemLayout(kind: .secretTool)
}

/// The writes that a store makes to items that other programs have stored.
public enum ForeignWrites: Hashable, Sendable {
  /// None: a write throws `SecretStoreError.readOnly`.
  case refused
  /// An item's secret and label are changed, and an item is removed, but none is added. A secret
  /// with control characters is refused.
  case inPlace
}

extension ItemLayout {
  /// Whether items carry Locket's identifiers, revisions and dates.
  var isOwn: Bool { if case .own = kind { true } else { false } }

  /// Returns the attributes that the matching items have at least, for the daemon's search.
  ///
  /// The result may include other items. A part that is not ASCII is left out, since the daemon
  /// tells apart strings that are canonically equivalent. An empty list means that no item can
  /// match.
  func searches(for query: ItemQuery) -> [[String: String]] {
    switch (kind, query) {
    case (.existing(let attributes, _), _): return [attributes]
    case (.own(let schema), .all):
      return ItemIdentity.Class.allCases.map { [Self.schemaKey: Self.name(schema, $0)] }
    case (.own(let schema), .matching(let identity)), (.own(let schema), .exactly(let identity)):
      var attributes = Self.parts(of: identity).filter { $0.value.utf8.allSatisfy { $0 < 128 } }
      attributes[Self.schemaKey] = Self.name(schema, identity.itemClass)
      return [attributes]
    case (.pythonKeyring, .all): return [["application": Self.pythonApplication]]
    case (.secretTool, .all): return [[Self.schemaKey: Self.genericSchema]]
    case (_, .matching(let identity)), (_, .exactly(let identity)):
      if identity.itemClass == .internet { return [] }
      let attributes = foreignParts(of: identity)
      return attributes.isEmpty ? searches(for: .all) : [attributes]
    }
  }

  /// Returns the attributes of a new item of another program's layout.
  func foreignAttributes(of identity: ItemIdentity) throws(SecretStoreError) -> [String: String] {
    if identity.itemClass == .internet { throw .unsupported("internet passwords") }
    var attributes = foreignParts(of: identity)
    switch kind {
    case .pythonKeyring:
      if identity.service == nil || identity.account == nil {
        throw .invalid("An item for Python's keyring needs a service and an account")
      }
      attributes["application"] = Self.pythonApplication
    default:
      if identity.service == nil { throw .invalid("An item for secret-tool needs a service") }
      attributes[Self.schemaKey] = Self.genericSchema
    }
    return attributes
  }

  private func foreignParts(of identity: ItemIdentity) -> [String: String] {
    var parts: [String: String] = [:]
    parts["service"] = identity.service
    parts[kind == .pythonKeyring ? "username" : "account"] = identity.account
    return parts.mapValues(Self.canonical)
  }

  /// Returns the identity of an item with another program's attributes; nil if it has none.
  ///
  /// An item that was chosen by its attributes has the identity by which the caller asks for it.
  func foreignIdentity(
    _ attributes: [String: String], for query: ItemQuery
  ) -> ItemIdentity? {
    switch (kind, query) {
    case (.existing, .matching(let identity)), (.existing, .exactly(let identity)): return identity
    case (.existing, .all):
      return .generic(
        service: attributes["service"],
        account: attributes["username"] ?? attributes["account"] ?? attributes["user"])
    default:
      // Items of Locket have another encoding.
      guard attributes[Self.idKey] == nil, let service = attributes["service"] else { return nil }
      let account = attributes[kind == .pythonKeyring ? "username" : "account"]
      if kind == .pythonKeyring && account == nil { return nil }
      return .generic(service: service, account: account)
    }
  }

  /// Returns the label under which programs list an item, which has no null characters.
  func displayedLabel(_ label: String?, of identity: ItemIdentity) -> String {
    String((label ?? defaultLabel(of: identity)).map { $0 == "\0" ? "\u{FFFD}" : $0 })
  }

  private func defaultLabel(of identity: ItemIdentity) -> String {
    let place = identity.service ?? identity.server ?? "password"
    let name = identity.account
    switch kind {
    case .pythonKeyring: return "Password for '\(name ?? "")' on '\(place)'"
    default: return name.map { "\(place): \($0)" } ?? place
    }
  }

  static let schemaKey = "xdg:schema"
  static let idKey = "locket:id"
  static let genericSchema = "org.freedesktop.Secret.Generic"
  static let pythonApplication = "Python keyring library"

  private static func name(_ schema: String, _ itemClass: ItemIdentity.Class) -> String {
    "\(schema).\(itemClass == .generic ? "Generic" : "Internet")"
  }

  /// Returns the class of an item of Locket with a schema; nil if it is not the layout's.
  func ownClass(_ schemaOfItem: String?) -> ItemIdentity.Class? {
    guard case .own(let schema) = kind else { return nil }
    return ItemIdentity.Class.allCases.first { Self.name(schema, $0) == schemaOfItem }
  }

  /// Returns the schema of an item of Locket.
  func ownSchema(_ itemClass: ItemIdentity.Class) -> String? {
    guard case .own(let schema) = kind else { return nil }
    return Self.name(schema, itemClass)
  }

  /// The parts of an identity by the names that other programs use.
  static func parts(of identity: ItemIdentity) -> [String: String] {
    var parts: [String: String] = [:]
    switch identity.itemClass {
    case .generic:
      parts["service"] = identity.service
      parts["username"] = identity.account
    case .internet:
      parts["server"] = identity.server
      parts["user"] = identity.account
      parts["domain"] = identity.securityDomain
      parts["protocol"] = identity.protocol?.rawValue
      parts["authtype"] = identity.authenticationType?.rawValue
      parts["port"] = identity.port.map { String($0) }
      parts["object"] = identity.path
    }
    return parts.mapValues(canonical)
  }

  /// Returns the identity of an item; nil if its port is not a number.
  static func identity(
    _ itemClass: ItemIdentity.Class, from attributes: [String: String]
  ) -> ItemIdentity? {
    let parts = attributes.mapValues(EscapedString.unescape)
    switch itemClass {
    case .generic: return .generic(service: parts["service"], account: parts["username"])
    case .internet:
      let port = parts["port"].map { UInt16($0) }
      if port == .some(nil) { return nil }
      return .internet(
        server: parts["server"], account: parts["user"], securityDomain: parts["domain"],
        protocol: parts["protocol"].map { InternetProtocol(rawValue: $0) },
        authenticationType: parts["authtype"].map { InternetAuthenticationType(rawValue: $0) },
        port: port ?? nil, path: parts["object"])
    }
  }

  /// Returns a string as an attribute's value.
  ///
  /// D-Bus has no null characters. Three characters outside of ASCII are canonically equivalent to
  /// characters of ASCII, and are replaced by them, so that a search for ASCII finds them.
  static func canonical(_ string: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\u{37E}": scalars.append(";")
      case "\u{1FEF}": scalars.append("`")
      case "\u{212A}": scalars.append("K")
      default: scalars.append(scalar)
      }
    }
    let result = String(scalars)
    return EscapedString.escape(result, needsEscape: result.utf8.contains(0))
  }
}
