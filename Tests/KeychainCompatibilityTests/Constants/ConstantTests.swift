import KeychainCompatibility
import Testing

/// The constants, with the values of items in keychains.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
struct ConstantTests {
  private static let protocols: [(CFString, String)] = [
    (kSecAttrProtocolFTP, "ftp "), (kSecAttrProtocolFTPAccount, "ftpa"),
    (kSecAttrProtocolHTTP, "http"), (kSecAttrProtocolIRC, "irc "), (kSecAttrProtocolNNTP, "nntp"),
    (kSecAttrProtocolPOP3, "pop3"), (kSecAttrProtocolSMTP, "smtp"), (kSecAttrProtocolSOCKS, "sox "),
    (kSecAttrProtocolIMAP, "imap"), (kSecAttrProtocolLDAP, "ldap"),
    (kSecAttrProtocolAppleTalk, "atlk"), (kSecAttrProtocolAFP, "afp "),
    (kSecAttrProtocolTelnet, "teln"), (kSecAttrProtocolSSH, "ssh "), (kSecAttrProtocolFTPS, "ftps"),
    (kSecAttrProtocolHTTPS, "htps"), (kSecAttrProtocolHTTPProxy, "htpx"),
    (kSecAttrProtocolHTTPSProxy, "htsx"), (kSecAttrProtocolFTPProxy, "ftpx"),
    (kSecAttrProtocolSMB, "smb "), (kSecAttrProtocolRTSP, "rtsp"),
    (kSecAttrProtocolRTSPProxy, "rtsx"), (kSecAttrProtocolDAAP, "daap"),
    (kSecAttrProtocolEPPC, "eppc"), (kSecAttrProtocolIPP, "ipp "), (kSecAttrProtocolNNTPS, "ntps"),
    (kSecAttrProtocolLDAPS, "ldps"), (kSecAttrProtocolTelnetS, "tels"),
    (kSecAttrProtocolIMAPS, "imps"), (kSecAttrProtocolIRCS, "ircs"),
    (kSecAttrProtocolPOP3S, "pops"),
  ]
  static let accessibilities: [(CFString, String)] = [
    (kSecAttrAccessibleWhenUnlocked, "ak"), (kSecAttrAccessibleAfterFirstUnlock, "ck"),
    (kSecAttrAccessibleAlways, "dk"), (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "akpu"),
    (kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku"),
    (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "cku"),
    (kSecAttrAccessibleAlwaysThisDeviceOnly, "dku"),
  ]
  private static let others: [(CFString, String)] = [
    (kSecAttrAuthenticationTypeNTLM, "ntlm"), (kSecAttrAuthenticationTypeMSN, "msna"),
    (kSecAttrAuthenticationTypeDPA, "dpaa"), (kSecAttrAuthenticationTypeRPA, "rpaa"),
    (kSecAttrAuthenticationTypeHTTPBasic, "http"), (kSecAttrAuthenticationTypeHTTPDigest, "httd"),
    (kSecAttrAuthenticationTypeHTMLForm, "form"), (kSecAttrAuthenticationTypeDefault, "dflt"),
    (kSecClass, "class"), (kSecClassGenericPassword, "genp"), (kSecClassInternetPassword, "inet"),
    (kSecAttrAccount, "acct"), (kSecAttrService, "svce"), (kSecAttrServer, "srvr"),
    (kSecAttrSecurityDomain, "sdmn"), (kSecAttrProtocol, "ptcl"),
    (kSecAttrAuthenticationType, "atyp"), (kSecAttrPort, "port"), (kSecAttrPath, "path"),
    (kSecAttrDescription, "desc"), (kSecAttrComment, "icmt"), (kSecAttrCreator, "crtr"),
    (kSecAttrType, "type"), (kSecAttrLabel, "labl"), (kSecAttrIsInvisible, "invi"),
    (kSecAttrAccessControl, "accc"), (kSecAttrAccessible, "pdmn"), (kSecAttrCreationDate, "cdat"),
    (kSecAttrModificationDate, "mdat"), (kSecValueData, "v_Data"),
  ]

  @Test func stringsMatchTheFramework() {
    for (constant, text) in Self.protocols + Self.accessibilities + Self.others {
      #expect(constant as String == text)
    }
    #expect(Self.protocols.count == 31)
    #expect(Self.accessibilities.count == Accessibility.allCases.count)
    for option in AccesibleOption.allCases {
      #expect(AccesibleOption(rawValue: option.rawValue) == option)
    }
    #expect(AccesibleOption(rawValue: kSecAttrAccessibleAlways) == nil)
  }

  @Test func flagsMatchTheFramework() {
    let flags: [(SecAccessControlCreateFlags, UInt)] = [
      (.userPresence, 1), (.biometryAny, 2), (.touchIDAny, 2), (.biometryCurrentSet, 8),
      (.touchIDCurrentSet, 8), (.devicePasscode, 16), (.watch, 32), (.or, 0x4000), (.and, 0x8000),
      (.privateKeyUsage, 0x4000_0000), (.applicationPassword, 0x8000_0000),
    ]
    for (flag, bits) in flags { #expect(flag.rawValue == bits) }
  }

  @Test func resultCodesMatchTheFramework() {
    let codes: [(OSStatus, Int)] = [
      (errSecSuccess, 0), (errSecUnimplemented, -4), (errSecDiskFull, -34), (errSecIO, -36),
      (errSecParam, -50), (errSecAllocate, -108), (errSecUserCanceled, -128), (errSecBadReq, -909),
      (errSecNotAvailable, -25291), (errSecAuthFailed, -25293), (errSecDuplicateItem, -25299),
      (errSecItemNotFound, -25300), (errSecInteractionNotAllowed, -25308), (errSecDecode, -26275),
      (errSecMissingEntitlement, -34018), (errSecInvalidValue, -67694),
    ]
    for (code, number) in codes { #expect(Int(code) == number) }
  }
}
