import FoundationEssentials
import SecretStorage

extension Option {
  static let itemClass = Option(
    "class", "CLASS", "generic or internet, for a secret with neither service nor server")
  static let service = Option("service", "NAME", "the service of a generic password")
  static let server = Option("server", "HOST", "the server of an internet password")
  static let account = Option("account", "NAME", "the account of either kind")
  static let domain = Option("domain", "NAME", "the security domain of an internet password")
  static let `protocol` = Option("protocol", "NAME", "its protocol, such as https or ssh")
  static let authentication = Option(
    "authentication", "NAME", "its authentication type, such as httpBasic or htmlForm")
  static let port = Option("port", "NUMBER", "its port")
  static let path = Option("path", "PATH", "its path")
  static let id = Option(
    "id", "ID", "the ID that `secrets list` shows for it, or at least the first 8 digits")
  static let exact = Option("exact", nil, "match only a secret with exactly these parts")
  static let partial = Option(
    "any", nil, "if there is no such secret, match one that has omitted parts too")

  fileprivate static let internetParts = [domain, `protocol`, authentication, port, path]
  fileprivate static let parts = [itemClass, service, server, account] + internetParts
  static let identity = parts + [id]
}

extension Arguments {
  /// Returns the identity from the options; nil if they have an ID instead.
  func identity() throws(UsageError) -> ItemIdentity? {
    if let id = self[.id] {
      if let option = Option.parts.first(where: has) {
        throw UsageError("--id and \(option.flag) cannot be used together.")
      }
      if id.utf8.count < 8 {
        throw UsageError("--id needs at least the first 8 digits of the ID in `secrets list`.")
      }
      return nil
    }
    switch try itemClass() {
    case .generic:
      if let option = Option.internetParts.first(where: has) {
        throw UsageError("\(option.flag) needs --server.")
      }
      return .generic(service: self[.service], account: self[.account])
    case .internet:
      return .internet(
        server: self[.server], account: self[.account], securityDomain: self[.domain],
        protocol: try code(.protocol, InternetProtocol.named),
        authenticationType: try code(.authentication, InternetAuthenticationType.named),
        port: try port(), path: self[.path])
    }
  }

  private func itemClass() throws(UsageError) -> ItemIdentity.Class {
    if has(.service), has(.server) {
      throw UsageError("--service and --server cannot be used together.")
    }
    let implied: ItemIdentity.Class? = has(.service) ? .generic : has(.server) ? .internet : nil
    guard let name = self[.itemClass] else {
      guard let implied else {
        throw UsageError("Specify the secret with --service, --server, --class or --id.")
      }
      return implied
    }
    guard let named = ItemIdentity.Class(rawValue: name) else {
      throw UsageError("--class needs `generic` or `internet`.")
    }
    guard implied == nil || implied == named else {
      throw UsageError("A password with --service is generic, and one with --server is internet.")
    }
    return named
  }

  /// Returns the item of the options; nil if there is none.
  ///
  /// If there is no item with exactly the identity, one with more parts may match, which is then
  /// reported.
  func item(in vault: SecretVault, allowingMoreParts: Bool) throws -> SecretItem? {
    guard let identity = try identity() else { return try vault.item(withID: self[.id] ?? "") }
    if let item = try vault.items(matching: .exactly(identity)).first { return item }
    let found = allowingMoreParts ? try vault.items(matching: .matching(identity)) : []
    // A property uses the oldest of several items, but a command must not guess.
    if found.count > 1 {
      throw Failure(
        "\(found.count) secrets match. Specify more options, as `secrets list --all` shows them.")
    }
    if let item = found.first { Program.report("The secret that matches is \(item.options).") }
    return found.first
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

extension ItemIdentity {
  private var parts: [(option: Option, value: String?)] {
    let isNamed = (itemClass == .generic ? service : server) != nil
    return [
      (.itemClass, isNamed ? nil : itemClass.rawValue),
      (.service, service), (.server, server), (.account, account), (.domain, securityDomain),
      (.protocol, `protocol`?.name), (.authentication, authenticationType?.name),
      (.port, port.map(String.init)), (.path, path),
    ]
  }

  /// The options that select this item, quoted for a shell.
  var options: String {
    parts.compactMap { option, value in
      guard let value else { return nil }
      // A separate word such as `-h` would be an option itself.
      let separator = value.hasPrefix("-") ? "=" : " "
      return "\(option.flag)\(separator)\(value.quotedForShell)"
    }.joined(separator: " ")
  }

  /// The password with exactly this identity.
  func password(in vault: SecretVault) -> PasswordItem<Data> {
    PasswordItem(self, match: .exact, refreshPolicy: .manual, in: vault)
  }

  /// Whether the options can be arguments of a process, and mean this identity.
  fileprivate var hasOptions: Bool {
    parts.allSatisfy { !($0.value?.utf8.contains(0) ?? false) }
      && `protocol` == `protocol`.flatMap { .named($0.name) }
      && authenticationType == authenticationType.flatMap { .named($0.name) }
  }
}

extension SecretItem {
  fileprivate var idText: String { id.uuid.uuidString.lowercased() }

  /// The options that select this item, quoted for a shell.
  var options: String { identity.hasOptions ? identity.options : "\(Option.id.flag) \(idText)" }
}

extension SecretVault {
  /// Returns the item whose ID begins with some digits; nil if there is none.
  fileprivate func item(withID start: String) throws -> SecretItem? {
    let found = try items(matching: .all).filter { $0.idText.hasPrefix(start.lowercased()) }
    if found.count > 1 {
      throw Failure("\(found.count) secrets have an ID that begins like this. Specify more of it.")
    }
    return found.first
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

  /// Returns the type with a Swift name or a four-character code; nil for other text.
  static func named(_ name: String) -> InternetAuthenticationType? {
    if let known = names.first(where: { $0.0 == name }) { return known.1 }
    return name.utf8.count == 4 ? InternetAuthenticationType(rawValue: name) : nil
  }

  var name: String { Self.names.first { $0.1 == self }?.0 ?? rawValue }
}
