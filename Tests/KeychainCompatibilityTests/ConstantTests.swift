import KeychainCompatibility
import TestSupport
import Testing

/// The constants, whose values are those that items in keychains have.
struct ConstantTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case protocolsAreFourCharacterCodes
    case authenticationTypesAreFourCharacterCodes
    case accessibilitiesAreTheTextsOfKeychains
    case flagsHaveTheBitsOfTheSecurityFramework
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension ConstantTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .protocolsAreFourCharacterCodes: protocolsAreFourCharacterCodes()
    case .authenticationTypesAreFourCharacterCodes: authenticationTypesAreFourCharacterCodes()
    case .accessibilitiesAreTheTextsOfKeychains: accessibilitiesAreTheTextsOfKeychains()
    case .flagsHaveTheBitsOfTheSecurityFramework: flagsHaveTheBitsOfTheSecurityFramework()
    }
  }

  private func protocolsAreFourCharacterCodes() {
    let constants: [(CFString, String)] = [
      (kSecAttrProtocolFTP, "ftp "),
      (kSecAttrProtocolFTPAccount, "ftpa"),
      (kSecAttrProtocolHTTP, "http"),
      (kSecAttrProtocolIRC, "irc "),
      (kSecAttrProtocolNNTP, "nntp"),
      (kSecAttrProtocolPOP3, "pop3"),
      (kSecAttrProtocolSMTP, "smtp"),
      (kSecAttrProtocolSOCKS, "sox "),
      (kSecAttrProtocolIMAP, "imap"),
      (kSecAttrProtocolLDAP, "ldap"),
      (kSecAttrProtocolAppleTalk, "atlk"),
      (kSecAttrProtocolAFP, "afp "),
      (kSecAttrProtocolTelnet, "teln"),
      (kSecAttrProtocolSSH, "ssh "),
      (kSecAttrProtocolFTPS, "ftps"),
      (kSecAttrProtocolHTTPS, "htps"),
      (kSecAttrProtocolHTTPProxy, "htpx"),
      (kSecAttrProtocolHTTPSProxy, "htsx"),
      (kSecAttrProtocolFTPProxy, "ftpx"),
      (kSecAttrProtocolSMB, "smb "),
      (kSecAttrProtocolRTSP, "rtsp"),
      (kSecAttrProtocolRTSPProxy, "rtsx"),
      (kSecAttrProtocolDAAP, "daap"),
      (kSecAttrProtocolEPPC, "eppc"),
      (kSecAttrProtocolIPP, "ipp "),
      (kSecAttrProtocolNNTPS, "ntps"),
      (kSecAttrProtocolLDAPS, "ldps"),
      (kSecAttrProtocolTelnetS, "tels"),
      (kSecAttrProtocolIMAPS, "imps"),
      (kSecAttrProtocolIRCS, "ircs"),
      (kSecAttrProtocolPOP3S, "pops"),
    ]
    #expect(constants.count == 31)
    for (constant, code) in constants {
      #expect(constant as String == code)
      #expect(code.utf8.count == 4)
    }
  }

  private func authenticationTypesAreFourCharacterCodes() {
    let constants: [(CFString, String)] = [
      (kSecAttrAuthenticationTypeNTLM, "ntlm"),
      (kSecAttrAuthenticationTypeMSN, "msna"),
      (kSecAttrAuthenticationTypeDPA, "dpaa"),
      (kSecAttrAuthenticationTypeRPA, "rpaa"),
      (kSecAttrAuthenticationTypeHTTPBasic, "http"),
      (kSecAttrAuthenticationTypeHTTPDigest, "httd"),
      (kSecAttrAuthenticationTypeHTMLForm, "form"),
      (kSecAttrAuthenticationTypeDefault, "dflt"),
    ]
    for (constant, code) in constants { #expect(constant as String == code) }
  }

  private func accessibilitiesAreTheTextsOfKeychains() {
    let constants: [(CFString, String)] = [
      (kSecAttrAccessibleWhenUnlocked, "ak"),
      (kSecAttrAccessibleAfterFirstUnlock, "ck"),
      (kSecAttrAccessibleAlways, "dk"),
      (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "akpu"),
      (kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku"),
      (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "cku"),
      (kSecAttrAccessibleAlwaysThisDeviceOnly, "dku"),
    ]
    #expect(constants.count == Accessibility.allCases.count)
    for (constant, text) in constants { #expect(constant as String == text) }
    for option in AccesibleOption.allCases {
      #expect(AccesibleOption(rawValue: option.rawValue) == option)
    }
    #expect(AccesibleOption(rawValue: kSecAttrAccessibleAlways) == nil)
  }

  private func flagsHaveTheBitsOfTheSecurityFramework() {
    let flags: [(SecAccessControlCreateFlags, UInt)] = [
      (.userPresence, 1), (.biometryAny, 2), (.touchIDAny, 2), (.biometryCurrentSet, 8),
      (.touchIDCurrentSet, 8), (.devicePasscode, 16), (.watch, 32), (.or, 0x4000), (.and, 0x8000),
      (.privateKeyUsage, 0x4000_0000), (.applicationPassword, 0x8000_0000),
    ]
    for (flag, bits) in flags { #expect(flag.rawValue == bits) }
  }
}
