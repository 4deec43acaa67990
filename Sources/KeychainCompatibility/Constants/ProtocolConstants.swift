// The protocols of internet passwords, as the Security framework names them; each is its four-character
// code.

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.ftp`.")
public let kSecAttrProtocolFTP = InternetProtocol.ftp.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.ftpAccount`.")
public let kSecAttrProtocolFTPAccount = InternetProtocol.ftpAccount.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.ftps`.")
public let kSecAttrProtocolFTPS = InternetProtocol.ftps.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.ftpProxy`.")
public let kSecAttrProtocolFTPProxy = InternetProtocol.ftpProxy.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.http`.")
public let kSecAttrProtocolHTTP = InternetProtocol.http.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.https`.")
public let kSecAttrProtocolHTTPS = InternetProtocol.https.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.httpProxy`.")
public let kSecAttrProtocolHTTPProxy = InternetProtocol.httpProxy.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.httpsProxy`.")
public let kSecAttrProtocolHTTPSProxy = InternetProtocol.httpsProxy.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.irc`.")
public let kSecAttrProtocolIRC = InternetProtocol.irc.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.ircs`.")
public let kSecAttrProtocolIRCS = InternetProtocol.ircs.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.nntp`.")
public let kSecAttrProtocolNNTP = InternetProtocol.nntp.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.nntps`.")
public let kSecAttrProtocolNNTPS = InternetProtocol.nntps.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.pop3`.")
public let kSecAttrProtocolPOP3 = InternetProtocol.pop3.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.pop3s`.")
public let kSecAttrProtocolPOP3S = InternetProtocol.pop3s.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.imap`.")
public let kSecAttrProtocolIMAP = InternetProtocol.imap.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.imaps`.")
public let kSecAttrProtocolIMAPS = InternetProtocol.imaps.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.ldap`.")
public let kSecAttrProtocolLDAP = InternetProtocol.ldap.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.ldaps`.")
public let kSecAttrProtocolLDAPS = InternetProtocol.ldaps.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.telnet`.")
public let kSecAttrProtocolTelnet = InternetProtocol.telnet.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.telnets`.")
public let kSecAttrProtocolTelnetS = InternetProtocol.telnets.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.rtsp`.")
public let kSecAttrProtocolRTSP = InternetProtocol.rtsp.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.rtspProxy`.")
public let kSecAttrProtocolRTSPProxy = InternetProtocol.rtspProxy.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.smtp`.")
public let kSecAttrProtocolSMTP = InternetProtocol.smtp.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.socks`.")
public let kSecAttrProtocolSOCKS = InternetProtocol.socks.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.ssh`.")
public let kSecAttrProtocolSSH = InternetProtocol.ssh.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.smb`.")
public let kSecAttrProtocolSMB = InternetProtocol.smb.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.afp`.")
public let kSecAttrProtocolAFP = InternetProtocol.afp.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.appleTalk`.")
public let kSecAttrProtocolAppleTalk = InternetProtocol.appleTalk.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.daap`.")
public let kSecAttrProtocolDAAP = InternetProtocol.daap.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.eppc`.")
public let kSecAttrProtocolEPPC = InternetProtocol.eppc.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetProtocol.ipp`.")
public let kSecAttrProtocolIPP = InternetProtocol.ipp.rawValue
