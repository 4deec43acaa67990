// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, OneVariableDeclarationPerLine

// The protocols and authentication types of internet passwords, with the names of the Security
// framework; the values are four-character codes.

@available(*, deprecated, message: "Use the `InternetProtocol` of this name, such as `.imaps`.")
public let
  kSecAttrProtocolFTP = InternetProtocol.ftp.rawValue,
  kSecAttrProtocolFTPAccount = InternetProtocol.ftpAccount.rawValue,
  kSecAttrProtocolFTPS = InternetProtocol.ftps.rawValue,
  kSecAttrProtocolFTPProxy = InternetProtocol.ftpProxy.rawValue,
  kSecAttrProtocolHTTP = InternetProtocol.http.rawValue,
  kSecAttrProtocolHTTPS = InternetProtocol.https.rawValue,
  kSecAttrProtocolHTTPProxy = InternetProtocol.httpProxy.rawValue,
  kSecAttrProtocolHTTPSProxy = InternetProtocol.httpsProxy.rawValue,
  kSecAttrProtocolIRC = InternetProtocol.irc.rawValue,
  kSecAttrProtocolIRCS = InternetProtocol.ircs.rawValue,
  kSecAttrProtocolNNTP = InternetProtocol.nntp.rawValue,
  kSecAttrProtocolNNTPS = InternetProtocol.nntps.rawValue,
  kSecAttrProtocolPOP3 = InternetProtocol.pop3.rawValue,
  kSecAttrProtocolPOP3S = InternetProtocol.pop3s.rawValue,
  kSecAttrProtocolIMAP = InternetProtocol.imap.rawValue,
  kSecAttrProtocolIMAPS = InternetProtocol.imaps.rawValue,
  kSecAttrProtocolLDAP = InternetProtocol.ldap.rawValue,
  kSecAttrProtocolLDAPS = InternetProtocol.ldaps.rawValue,
  kSecAttrProtocolTelnet = InternetProtocol.telnet.rawValue,
  kSecAttrProtocolTelnetS = InternetProtocol.telnets.rawValue,
  kSecAttrProtocolRTSP = InternetProtocol.rtsp.rawValue,
  kSecAttrProtocolRTSPProxy = InternetProtocol.rtspProxy.rawValue,
  kSecAttrProtocolSMTP = InternetProtocol.smtp.rawValue,
  kSecAttrProtocolSOCKS = InternetProtocol.socks.rawValue,
  kSecAttrProtocolSSH = InternetProtocol.ssh.rawValue,
  kSecAttrProtocolSMB = InternetProtocol.smb.rawValue,
  kSecAttrProtocolAFP = InternetProtocol.afp.rawValue,
  kSecAttrProtocolAppleTalk = InternetProtocol.appleTalk.rawValue,
  kSecAttrProtocolDAAP = InternetProtocol.daap.rawValue,
  kSecAttrProtocolEPPC = InternetProtocol.eppc.rawValue,
  kSecAttrProtocolIPP = InternetProtocol.ipp.rawValue

@available(
  *, deprecated, message: "Use the `InternetAuthenticationType` of this name, such as `.htmlForm`."
)
public let
  kSecAttrAuthenticationTypeNTLM = InternetAuthenticationType.ntlm.rawValue,
  kSecAttrAuthenticationTypeMSN = InternetAuthenticationType.msn.rawValue,
  kSecAttrAuthenticationTypeDPA = InternetAuthenticationType.dpa.rawValue,
  kSecAttrAuthenticationTypeRPA = InternetAuthenticationType.rpa.rawValue,
  kSecAttrAuthenticationTypeHTTPBasic = InternetAuthenticationType.httpBasic.rawValue,
  kSecAttrAuthenticationTypeHTTPDigest = InternetAuthenticationType.httpDigest.rawValue,
  kSecAttrAuthenticationTypeHTMLForm = InternetAuthenticationType.htmlForm.rawValue,
  kSecAttrAuthenticationTypeDefault = InternetAuthenticationType.default.rawValue
