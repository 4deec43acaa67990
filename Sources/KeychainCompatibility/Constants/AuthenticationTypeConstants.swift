// How the account of an internet password proves itself, as the Security framework names it; each is
// its four-character code.

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetAuthenticationType.ntlm`.")
public let kSecAttrAuthenticationTypeNTLM = InternetAuthenticationType.ntlm.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetAuthenticationType.msn`.")
public let kSecAttrAuthenticationTypeMSN = InternetAuthenticationType.msn.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetAuthenticationType.dpa`.")
public let kSecAttrAuthenticationTypeDPA = InternetAuthenticationType.dpa.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetAuthenticationType.rpa`.")
public let kSecAttrAuthenticationTypeRPA = InternetAuthenticationType.rpa.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetAuthenticationType.httpBasic`.")
public let kSecAttrAuthenticationTypeHTTPBasic = InternetAuthenticationType.httpBasic.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetAuthenticationType.httpDigest`.")
public let kSecAttrAuthenticationTypeHTTPDigest = InternetAuthenticationType.httpDigest.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetAuthenticationType.htmlForm`.")
public let kSecAttrAuthenticationTypeHTMLForm = InternetAuthenticationType.htmlForm.rawValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `InternetAuthenticationType.default`.")
public let kSecAttrAuthenticationTypeDefault = InternetAuthenticationType.default.rawValue
