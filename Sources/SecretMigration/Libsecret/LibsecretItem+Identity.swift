import SecretStorage

extension LibsecretItem {
  /// Attributes that say how an item is stored.
  private static let technical: Set<String> = ["xdg:schema", "xdg:content-type"]
  private static let services = ["service", "application"]
  private static let accounts = ["username", "account", "user"]

  func foreignSecret(at place: String) -> ForeignSecret {
    var rest = attributes.filter { !Self.technical.contains($0.key) && !$0.value.isEmpty }
    let identity = rest["server"] != nil ? Self.internet(&rest) : Self.generic(&rest)
    let comment = rest.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      .joined(separator: "\n")
    return ForeignSecret(
      place: place, identity: identity,
      attributes: ItemAttributes(
        label: label.isEmpty ? nil : label, comment: comment.isEmpty ? nil : comment),
      secret: secret)
  }

  private static func take(_ names: [String], of rest: inout [String: String]) -> String? {
    names.first { rest[$0] != nil }.flatMap { rest.removeValue(forKey: $0) }
  }

  private static func generic(_ rest: inout [String: String]) -> ItemIdentity {
    let service = take(services, of: &rest)
    var account = take(accounts, of: &rest)
    if account == nil, !rest.isEmpty, !(service != nil && rest.keys.allSatisfy(services.contains)) {
      // Nobody knows which of them tells items apart, but all of them together do.
      account = rest.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        .joined(separator: ",")
      rest = [:]
    }
    return .generic(service: service, account: account)
  }

  /// The names are those of GNOME's network passwords.
  private static func internet(_ rest: inout [String: String]) -> ItemIdentity {
    let `protocol` = rest["protocol"].flatMap { protocols[$0.lowercased()] }
    if `protocol` != nil { rest["protocol"] = nil }
    let authentication = rest["authtype"].flatMap { authentications[$0.lowercased()] }
    if authentication != nil { rest["authtype"] = nil }
    let port = rest["port"].flatMap { UInt16($0) }
    if port != nil { rest["port"] = nil }
    return .internet(
      server: take(["server"], of: &rest), account: take(accounts, of: &rest),
      securityDomain: take(["domain"], of: &rest), protocol: `protocol`,
      authenticationType: authentication, port: port == 0 ? nil : port,
      path: take(["object"], of: &rest))
  }

  private static let protocols: [String: InternetProtocol] = [
    "http": .http, "https": .https, "ftp": .ftp, "ftps": .ftps, "ssh": .ssh, "sftp": .ssh,
    "smb": .smb, "afp": .afp, "imap": .imap, "imaps": .imaps, "pop3": .pop3, "pop3s": .pop3s,
    "smtp": .smtp, "nntp": .nntp, "nntps": .nntps, "ldap": .ldap, "ldaps": .ldaps, "irc": .irc,
    "ircs": .ircs, "telnet": .telnet, "ipp": .ipp, "socks": .socks, "rtsp": .rtsp, "daap": .daap,
  ]

  private static let authentications: [String: InternetAuthenticationType] = [
    "basic": .httpBasic, "digest": .httpDigest, "ntlm": .ntlm, "form": .htmlForm,
    "default": .default,
  ]
}
