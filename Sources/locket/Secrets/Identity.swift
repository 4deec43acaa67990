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
  /// The identity that the options give.
  func identity() throws(UsageError) -> ItemIdentity {
    switch (self[.service], self[.server]) {
    case (nil, nil):
      throw UsageError("Name the secret with --service or --server.")
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

  /// The proofs that reading the item takes, if it exists.
  func flags(in vault: SecretVault) throws -> AccessFlags {
    let identity = try identity()
    let query: ItemQuery = has(.exact) ? .exactly(identity) : .matching(identity)
    return try vault.items(matching: query).first?.attributes.accessControl.flags ?? []
  }

  /// The item of the options, found as a property of an app would find it.
  func item(in vault: SecretVault) throws -> PasswordItem<Data> {
    let identity = try identity()
    let match: ItemMatch = has(.exact) ? .exact : .any
    let item = PasswordItem<Data>(identity, match: match, refreshPolicy: .manual, in: vault)
    // A property takes the oldest of several; a command asks for more options.
    let count = try item.matchCount
    if count > 1 {
      throw Failure(
        """
        \(count) secrets match; `locket secrets list` shows them. Give more options, or --exact where \
        the parts that are left out are absent.
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

extension ItemIdentity {
  /// The options that name this item, as a shell takes them.
  var options: String {
    let parts: [(Option, String?)] = [
      (.service, service), (.server, server), (.account, account), (.domain, securityDomain),
      (.protocol, `protocol`?.name), (.authentication, authenticationType?.name),
      (.port, port.map(String.init)), (.path, path),
    ]
    return parts.compactMap { option, value in
      value.map { "--\(option.name) \($0.quotedForShell)" }
    }.joined(separator: " ")
  }
}

extension InternetProtocol {
  private static let names: [(String, InternetProtocol)] = [
    ("ftp", .ftp), ("ftpAccount", .ftpAccount), ("ftps", .ftps), ("ftpProxy", .ftpProxy),
    ("http", .http), ("https", .https), ("httpProxy", .httpProxy), ("httpsProxy", .httpsProxy),
    ("irc", .irc), ("ircs", .ircs), ("nntp", .nntp), ("nntps", .nntps), ("pop3", .pop3),
    ("pop3s", .pop3s), ("imap", .imap), ("imaps", .imaps), ("ldap", .ldap), ("ldaps", .ldaps),
    ("telnet", .telnet), ("telnets", .telnets), ("rtsp", .rtsp), ("rtspProxy", .rtspProxy),
    ("smtp", .smtp), ("socks", .socks), ("ssh", .ssh), ("smb", .smb), ("afp", .afp),
    ("appleTalk", .appleTalk), ("daap", .daap), ("eppc", .eppc), ("ipp", .ipp),
  ]

  /// The protocol of a name as Swift spells it, or of a four-character code.
  static func named(_ name: String) -> InternetProtocol? {
    if let known = names.first(where: { $0.0 == name }) { return known.1 }
    return name.utf8.count == 4 ? InternetProtocol(rawValue: name) : nil
  }

  var name: String { Self.names.first { $0.1 == self }?.0 ?? rawValue }
}

extension InternetAuthenticationType {
  private static let names: [(String, InternetAuthenticationType)] = [
    ("ntlm", .ntlm), ("msn", .msn), ("dpa", .dpa), ("rpa", .rpa), ("httpBasic", .httpBasic),
    ("httpDigest", .httpDigest), ("htmlForm", .htmlForm), ("default", .default),
  ]

  /// The way of authentication of a name as Swift spells it, or of a four-character code.
  static func named(_ name: String) -> InternetAuthenticationType? {
    if let known = names.first(where: { $0.0 == name }) { return known.1 }
    return name.utf8.count == 4 ? InternetAuthenticationType(rawValue: name) : nil
  }

  var name: String { Self.names.first { $0.1 == self }?.0 ?? rawValue }
}
