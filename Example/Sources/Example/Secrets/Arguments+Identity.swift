import FoundationEssentials
import SecretStorage

extension Option {
  static let service = Option("service", "NAME", "the service of a generic password")
  static let server = Option("server", "HOST", "the server of an internet password")
  static let account = Option("account", "NAME", "the account, of either")
  static let domain = Option("domain", "NAME", "the security domain of an internet password")
  static let `protocol` = Option("protocol", "NAME", "its protocol, such as https or ssh")
  static let authentication = Option(
    "authentication", "NAME", "its way of authentication, such as httpBasic or htmlForm")
  static let port = Option("port", "NUMBER", "its port")
  static let path = Option("path", "PATH", "its path")
  static let exact = Option("exact", nil, "a part that is left out is absent, instead of any")

  private static let internetParts = [domain, `protocol`, authentication, port, path]
  static let identity = [service, server, account] + internetParts + [exact]

  fileprivate static func notOfService(in arguments: Arguments) -> Option? {
    internetParts.first { arguments.has($0) }
  }
}

extension Arguments {
  /// The parts of an item's identity that were given.
  func identity() throws(UsageError) -> ItemIdentity {
    switch (self[.service], self[.server]) {
    case (nil, nil):
      throw UsageError("--service or --server must say which secret is meant.")
    case (_?, _?):
      throw UsageError("--service and --server exclude each other.")
    case (let service?, nil):
      if let option = Option.notOfService(in: self) {
        throw UsageError("--\(option.name) needs --server.")
      }
      return .generic(service: service, account: self[.account])
    case (nil, let server?):
      return .internet(
        server: server, account: self[.account], securityDomain: self[.domain],
        protocol: try code(.protocol, InternetProtocol.named),
        authenticationType: try code(.authentication, InternetAuthenticationType.named),
        port: try port(), path: self[.path])
    }
  }

  /// What a person must prove to read the item that is meant, if there is one.
  func flags(in vault: SecretVault) throws -> AccessFlags {
    let identity = try identity()
    let query: ItemQuery = has(.exact) ? .exactly(identity) : .matching(identity)
    return try vault.items(matching: query).first?.attributes.accessControl.flags ?? []
  }

  /// The item that is meant, if there is one, as a property of an app would mean it.
  func item(in vault: SecretVault) throws -> PasswordItem<Data> {
    let identity = try identity()
    let match: ItemMatch = has(.exact) ? .exact : .any
    let item = PasswordItem<Data>(identity, match: match, refreshPolicy: .manual, in: vault)
    // A property would take the oldest of several. A person had better know.
    let count = try item.matchCount
    if count > 1 {
      throw Failure(
        """
        \(count) secrets match, and `Example secrets list` names them. Give more options, or \
        --exact to mean that the others are absent.
        """)
    }
    return item
  }

  private func port() throws(UsageError) -> UInt16? {
    guard let text = self[.port] else { return nil }
    guard let port = UInt16(text) else { throw UsageError("--port needs a number up to 65535.") }
    return port
  }

  private func code<Code>(
    _ option: Option, _ named: (String) -> Code?
  ) throws(UsageError) -> Code? {
    guard let name = self[option] else { return nil }
    guard let code = named(name) else {
      throw UsageError("--\(option.name) needs a known name, or a code of four characters.")
    }
    return code
  }
}
