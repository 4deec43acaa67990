import SecretStorage

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
