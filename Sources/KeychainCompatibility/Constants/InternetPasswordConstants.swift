// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The protocols of internet passwords, with the names of the Security framework; the values are
// four-character codes.

@available(*, deprecated, message: "Use `InternetProtocol.ftp`.")
public let kSecAttrProtocolFTP = InternetProtocol.ftp.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.ftpAccount`.")
public let kSecAttrProtocolFTPAccount = InternetProtocol.ftpAccount.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.ftps`.")
public let kSecAttrProtocolFTPS = InternetProtocol.ftps.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.ftpProxy`.")
public let kSecAttrProtocolFTPProxy = InternetProtocol.ftpProxy.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.http`.")
public let kSecAttrProtocolHTTP = InternetProtocol.http.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.https`.")
public let kSecAttrProtocolHTTPS = InternetProtocol.https.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.httpProxy`.")
public let kSecAttrProtocolHTTPProxy = InternetProtocol.httpProxy.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.httpsProxy`.")
public let kSecAttrProtocolHTTPSProxy = InternetProtocol.httpsProxy.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.irc`.")
public let kSecAttrProtocolIRC = InternetProtocol.irc.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.ircs`.")
public let kSecAttrProtocolIRCS = InternetProtocol.ircs.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.nntp`.")
public let kSecAttrProtocolNNTP = InternetProtocol.nntp.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.nntps`.")
public let kSecAttrProtocolNNTPS = InternetProtocol.nntps.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.pop3`.")
public let kSecAttrProtocolPOP3 = InternetProtocol.pop3.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.pop3s`.")
public let kSecAttrProtocolPOP3S = InternetProtocol.pop3s.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.imap`.")
public let kSecAttrProtocolIMAP = InternetProtocol.imap.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.imaps`.")
public let kSecAttrProtocolIMAPS = InternetProtocol.imaps.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.ldap`.")
public let kSecAttrProtocolLDAP = InternetProtocol.ldap.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.ldaps`.")
public let kSecAttrProtocolLDAPS = InternetProtocol.ldaps.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.telnet`.")
public let kSecAttrProtocolTelnet = InternetProtocol.telnet.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.telnets`.")
public let kSecAttrProtocolTelnetS = InternetProtocol.telnets.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.rtsp`.")
public let kSecAttrProtocolRTSP = InternetProtocol.rtsp.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.rtspProxy`.")
public let kSecAttrProtocolRTSPProxy = InternetProtocol.rtspProxy.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.smtp`.")
public let kSecAttrProtocolSMTP = InternetProtocol.smtp.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.socks`.")
public let kSecAttrProtocolSOCKS = InternetProtocol.socks.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.ssh`.")
public let kSecAttrProtocolSSH = InternetProtocol.ssh.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.smb`.")
public let kSecAttrProtocolSMB = InternetProtocol.smb.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.afp`.")
public let kSecAttrProtocolAFP = InternetProtocol.afp.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.appleTalk`.")
public let kSecAttrProtocolAppleTalk = InternetProtocol.appleTalk.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.daap`.")
public let kSecAttrProtocolDAAP = InternetProtocol.daap.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.eppc`.")
public let kSecAttrProtocolEPPC = InternetProtocol.eppc.rawValue
@available(*, deprecated, message: "Use `InternetProtocol.ipp`.")
public let kSecAttrProtocolIPP = InternetProtocol.ipp.rawValue

// The authentication types of internet passwords, with the names of the Security framework; the
// values are four-character codes.

@available(*, deprecated, message: "Use `InternetAuthenticationType.ntlm`.")
public let kSecAttrAuthenticationTypeNTLM = InternetAuthenticationType.ntlm.rawValue
@available(*, deprecated, message: "Use `InternetAuthenticationType.msn`.")
public let kSecAttrAuthenticationTypeMSN = InternetAuthenticationType.msn.rawValue
@available(*, deprecated, message: "Use `InternetAuthenticationType.dpa`.")
public let kSecAttrAuthenticationTypeDPA = InternetAuthenticationType.dpa.rawValue
@available(*, deprecated, message: "Use `InternetAuthenticationType.rpa`.")
public let kSecAttrAuthenticationTypeRPA = InternetAuthenticationType.rpa.rawValue
@available(*, deprecated, message: "Use `InternetAuthenticationType.httpBasic`.")
public let kSecAttrAuthenticationTypeHTTPBasic = InternetAuthenticationType.httpBasic.rawValue
@available(*, deprecated, message: "Use `InternetAuthenticationType.httpDigest`.")
public let kSecAttrAuthenticationTypeHTTPDigest = InternetAuthenticationType.httpDigest.rawValue
@available(*, deprecated, message: "Use `InternetAuthenticationType.htmlForm`.")
public let kSecAttrAuthenticationTypeHTMLForm = InternetAuthenticationType.htmlForm.rawValue
@available(*, deprecated, message: "Use `InternetAuthenticationType.default`.")
public let kSecAttrAuthenticationTypeDefault = InternetAuthenticationType.default.rawValue
