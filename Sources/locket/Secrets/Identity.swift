import FoundationEssentials
import SecretStorage
import ValueFormats

extension Option {
  static let service = Option("service", "NAME", "the service of a generic password")
  static let server = Option("server", "HOST", "the server of an internet password")
  static let account = Option("account", "NAME", "the account of either kind")
  static let domain = Option("domain", "NAME", "the security domain of an internet password")
  static let `protocol` = Option(
    "protocol", "NAME", "its protocol, such as https or ssh", choices: InternetProtocol.allNames)
  static let authentication = Option(
    "authentication", "NAME", "its authentication type, such as httpBasic or htmlForm",
    choices: InternetAuthenticationType.allNames)
  static let port = Option("port", "NUMBER", "its port")
  static let path = Option("path", "PATH", "its path")
  static let exact = Option("exact", nil, "match only the item that has none of the omitted parts")

  fileprivate static let internetParts = [domain, `protocol`, authentication, port, path]
  static let identity = [service, server, account] + internetParts + [exact]
}

extension Arguments {
  /// Returns the identity from the options.
  func identity() throws(UsageError) -> ItemIdentity {
    switch (self[.service], self[.server]) {
    case (nil, nil):
      throw UsageError("Specify the secret with --service or --server.")
    case (_?, _?):
      throw UsageError("--service and --server cannot be used together.")
    case (let service?, nil):
      if let option = Option.internetParts.first(where: has) {
        throw UsageError("\(option.flag) needs --server.")
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

  /// Returns the proofs that reading the item needs, if it exists.
  func flags(in store: any SecretStore) throws -> AccessFlags {
    try items(in: store).first?.attributes.accessControl.flags ?? []
  }

  /// Returns the items that match the options.
  func items(in store: any SecretStore) throws -> [SecretItem] {
    let identity = try identity()
    return try store.items(matching: has(.exact) ? .exactly(identity) : .matching(identity))
  }

  /// Returns the item of the options; throws if several match.
  func item(in store: any SecretStore) throws -> PasswordItem<Data> {
    let identity = try identity()
    let match: ItemMatch = has(.exact) ? .exact : .any
    let item = PasswordItem<Data>(identity, match: match, refreshPolicy: .manual, in: store)
    // A property uses the oldest of several items, but a command must not guess.
    let count = try item.matchCount
    if count > 1 {
      throw Failure(
        """
        \(count) secrets match; `locket secrets list` shows them. Specify more options, or use \
        --exact to select the one without the other parts.
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
      throw UsageError("\(option.flag) needs a known name, or a four-character code.")
    }
    return code
  }
}

extension Field {
  /// The fields of an identity, with the names of its options.
  static let identity = (Option.identity.filter { $0 != .exact }).map { Field($0.name, $0.help) }
}

extension ItemIdentity {
  private var parts: [(option: Option, value: String?)] {
    [
      (.service, service), (.server, server), (.account, account), (.domain, securityDomain),
      (.protocol, `protocol`?.name), (.authentication, authenticationType?.name),
      (.port, port.map(String.init)), (.path, path),
    ]
  }

  /// The options that select this item, quoted for a shell.
  var options: String {
    parts.compactMap { option, value in
      value.map { "\(option.flag) \($0.quotedForShell)" }
    }.joined(separator: " ")
  }

  /// The same as the fields of an object.
  var fields: FieldValues {
    parts.map { option, value in
      (option.name, option == .port ? .integer(port) : .text(value))
    }
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
  fileprivate static var allNames: [String] { names.map(\.0) }

  /// Returns the protocol with a Swift name or a four-character code; nil for other text.
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
  fileprivate static var allNames: [String] { names.map(\.0) }

  /// Returns the type with a Swift name or a four-character code; nil for other text.
  static func named(_ name: String) -> InternetAuthenticationType? {
    if let known = names.first(where: { $0.0 == name }) { return known.1 }
    return name.utf8.count == 4 ? InternetAuthenticationType(rawValue: name) : nil
  }

  var name: String { Self.names.first { $0.1 == self }?.0 ?? rawValue }
}
