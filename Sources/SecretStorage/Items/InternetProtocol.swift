/// The protocol of an internet password, identified by a four-character code.
public struct InternetProtocol: RawRepresentable, Hashable, Sendable {
  /// The four-character code, padded with spaces.
  public let rawValue: String

  /// Creates a protocol from a four-character code, which may be unknown.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  // The codes are those of `kSecAttrProtocol…` in Apple's Security framework.
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public static let ftp = Self(rawValue: "ftp "), ftpAccount = Self(rawValue: "ftpa"),
    ftps = Self(rawValue: "ftps"), ftpProxy = Self(rawValue: "ftpx"),
    http = Self(rawValue: "http"), https = Self(rawValue: "htps"),
    httpProxy = Self(rawValue: "htpx"), httpsProxy = Self(rawValue: "htsx"),
    irc = Self(rawValue: "irc "), ircs = Self(rawValue: "ircs"),
    nntp = Self(rawValue: "nntp"), nntps = Self(rawValue: "ntps"),
    pop3 = Self(rawValue: "pop3"), pop3s = Self(rawValue: "pops"),
    imap = Self(rawValue: "imap"), imaps = Self(rawValue: "imps"),
    ldap = Self(rawValue: "ldap"), ldaps = Self(rawValue: "ldps"),
    telnet = Self(rawValue: "teln"), telnets = Self(rawValue: "tels"),
    rtsp = Self(rawValue: "rtsp"), rtspProxy = Self(rawValue: "rtsx"),
    smtp = Self(rawValue: "smtp"), socks = Self(rawValue: "sox "),
    ssh = Self(rawValue: "ssh "), smb = Self(rawValue: "smb "),
    afp = Self(rawValue: "afp "), appleTalk = Self(rawValue: "atlk"),
    daap = Self(rawValue: "daap"), eppc = Self(rawValue: "eppc"), ipp = Self(rawValue: "ipp ")
}

/// The authentication type of an internet password, identified by a four-character code.
public struct InternetAuthenticationType: RawRepresentable, Hashable, Sendable {
  /// The four-character code.
  public let rawValue: String

  /// Creates an authentication type from a four-character code, which may be unknown.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  // The codes are those of `kSecAttrAuthenticationType…` in Apple's Security framework.
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public static let ntlm = Self(rawValue: "ntlm"), msn = Self(rawValue: "msna"),
    dpa = Self(rawValue: "dpaa"), rpa = Self(rawValue: "rpaa"),
    httpBasic = Self(rawValue: "http"), httpDigest = Self(rawValue: "httd"),
    htmlForm = Self(rawValue: "form"), `default` = Self(rawValue: "dflt")
}
