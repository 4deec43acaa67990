import SecretStorage
import ValueFormats

/// A decrypted item of a keyring, the GVariant `(a{ss}sttay)`.
struct LibsecretItem {
  let attributes: [String: String]
  let label: String
  /// The creation date, in seconds since 1970.
  let created: UInt64
  let secret: Secret
}

extension LibsecretItem {
  init(_ content: ArraySlice<UInt8>) throws(FormatError) {
    let (ends, body) = try content.members(ends: 2)
    var attributes: [String: String] = [:]
    for (name, value) in try body.part(0, ends[0]).entries() {
      attributes[name] = try value.string()
    }
    self.attributes = attributes
    label = try body.part(ends[0], ends[1]).string()
    let datesOffset = ends[1].aligned(to: 8)
    created = try body.integer(at: datesOffset, size: 8)
    secret = Secret(try body.part(datesOffset + 16, body.count))
  }

  /// The attributes that neither identify an item nor concern the user.
  private static let metadata: Set<String> = ["xdg:schema", "xdg:content-type"]
  private static let serviceNames = ["service", "application"]
  private static let accountNames = ["username", "account", "user"]

  /// Returns the item as a secret for a store; `names` counts items without attributes by identity.
  func foreignSecret(at position: String, names: inout [ItemIdentity: Int]) -> ForeignSecret {
    var rest = attributes.filter { !Self.metadata.contains($0.key) && !$0.value.isEmpty }
    let identity =
      if rest.isEmpty {
        name(unlike: &names)
      } else if rest["server"] != nil {
        Self.internet(&rest)
      } else {
        Self.generic(&rest)
      }
    let comment = rest.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      .joined(separator: "\n")
    return ForeignSecret(
      position: position, identity: identity,
      attributes: ItemAttributes(
        label: label.isEmpty ? nil : label, comment: comment.isEmpty ? nil : comment),
      secret: secret)
  }

  /// Returns the identity of an item without attributes: its schema, label and creation date, and a
  /// number if others have the same.
  private func name(unlike others: inout [ItemIdentity: Int]) -> ItemIdentity {
    func name(_ date: String) -> ItemIdentity {
      .generic(
        service: attributes["xdg:schema"].flatMap { $0.isEmpty ? nil : $0 },
        account: label.isEmpty ? date : "\(label) (\(date))")
    }
    let first = name("\(created)")
    var unused = first
    while others[unused] != nil {
      others[first, default: 1] += 1
      unused = name("\(created), \(others[first, default: 1])")
    }
    others[unused] = 1
    return unused
  }

  /// Removes the first of several attributes that the item has, and returns its value.
  private static func remove(_ names: [String], from rest: inout [String: String]) -> String? {
    names.first { rest[$0] != nil }.flatMap { rest.removeValue(forKey: $0) }
  }

  /// Removes the attributes that identify a generic password, and returns its identity.
  private static func generic(_ rest: inout [String: String]) -> ItemIdentity {
    let service = remove(serviceNames, from: &rest)
    var account = remove(accountNames, from: &rest)
    let hasOnlyServiceNames = service != nil && rest.keys.allSatisfy(serviceNames.contains)
    if account == nil, !rest.isEmpty, !hasOnlyServiceNames {
      // It is unknown which attributes identify the item, so the account consists of all of them.
      account = rest.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        .joined(separator: ",")
      rest = [:]
    }
    return .generic(service: service, account: account)
  }

  /// Removes the attributes that identify a network password of GNOME, and returns its identity.
  private static func internet(_ rest: inout [String: String]) -> ItemIdentity {
    let `protocol` = rest["protocol"].flatMap { protocols[$0.lowercased()] }
    if `protocol` != nil { rest["protocol"] = nil }
    let authentication = rest["authtype"].flatMap { authentications[$0.lowercased()] }
    if authentication != nil { rest["authtype"] = nil }
    let port = rest["port"].flatMap { UInt16($0) }
    if port != nil { rest["port"] = nil }
    return .internet(
      server: remove(["server"], from: &rest), account: remove(accountNames, from: &rest),
      securityDomain: remove(["domain"], from: &rest), protocol: `protocol`,
      authenticationType: authentication, port: port == 0 ? nil : port,
      path: remove(["object"], from: &rest))
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
