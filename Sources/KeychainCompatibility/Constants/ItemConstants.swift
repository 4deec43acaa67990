// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The classes and attributes of passwords, with the names and values of the Security framework.

@available(*, deprecated, message: "It is the case of an `ItemIdentity`.")
public let kSecClass: CFString = "class"
@available(*, deprecated, message: "Use `ItemIdentity.generic(service:account:)`.")
public let kSecClassGenericPassword: CFString = "genp"
@available(*, deprecated, message: "Use `ItemIdentity.internet(server:)`.")
public let kSecClassInternetPassword: CFString = "inet"

@available(*, deprecated, message: "Use `account` of an `ItemIdentity`.")
public let kSecAttrAccount: CFString = "acct"
@available(*, deprecated, message: "Use `service` of an `ItemIdentity`.")
public let kSecAttrService: CFString = "svce"
@available(*, deprecated, message: "Use `server` of an `ItemIdentity`.")
public let kSecAttrServer: CFString = "srvr"
@available(*, deprecated, message: "Use `securityDomain` of an `ItemIdentity`.")
public let kSecAttrSecurityDomain: CFString = "sdmn"
@available(*, deprecated, message: "Use `protocol` of an `ItemIdentity`.")
public let kSecAttrProtocol: CFString = "ptcl"
@available(*, deprecated, message: "Use `authenticationType` of an `ItemIdentity`.")
public let kSecAttrAuthenticationType: CFString = "atyp"
@available(*, deprecated, message: "Use `port` of an `ItemIdentity`.")
public let kSecAttrPort: CFString = "port"
@available(*, deprecated, message: "Use `path` of an `ItemIdentity`.")
public let kSecAttrPath: CFString = "path"

@available(*, deprecated, message: "Use `itemDescription` of `ItemAttributes`.")
public let kSecAttrDescription: CFString = "desc"
@available(*, deprecated, message: "Use `comment` of `ItemAttributes`.")
public let kSecAttrComment: CFString = "icmt"
@available(*, deprecated, message: "Use `creator` of `ItemAttributes`.")
public let kSecAttrCreator: CFString = "crtr"
@available(*, deprecated, message: "Use `type` of `ItemAttributes`.")
public let kSecAttrType: CFString = "type"
@available(*, deprecated, message: "Use `label` of `ItemAttributes`.")
public let kSecAttrLabel: CFString = "labl"
@available(*, deprecated, message: "Use `isInvisible` of `ItemAttributes`.")
public let kSecAttrIsInvisible: CFString = "invi"
@available(*, deprecated, message: "Use `accessControl` of `ItemAttributes`.")
public let kSecAttrAccessControl: CFString = "accc"
@available(*, deprecated, message: "Use `accessControl.accessibility` of `ItemAttributes`.")
public let kSecAttrAccessible: CFString = "pdmn"
@available(*, deprecated, message: "Use `creationDate` of a `SecretItem`.")
public let kSecAttrCreationDate: CFString = "cdat"
@available(*, deprecated, message: "Use `modificationDate` of a `SecretItem`.")
public let kSecAttrModificationDate: CFString = "mdat"
@available(*, deprecated, message: "Use the `Secret` of a `SecretStore`.")
public let kSecValueData: CFString = "v_Data"
@available(*, unavailable, message: "Stores have no such attribute.")
public let kSecAttrAccessGroup: CFString = ""
@available(*, unavailable, message: "Stores have no such attribute.")
public let kSecAttrSynchronizable: CFString = ""
@available(*, unavailable, message: "Stores have no such attribute.")
public let kSecAttrGeneric: CFString = ""
@available(*, unavailable, message: "Stores have no such attribute.")
public let kSecAttrIsNegative: CFString = ""

/// A string, under its Core Foundation name.
@available(*, deprecated, renamed: "String")
public typealias CFString = String

/// A number, under its Core Foundation name.
@available(*, deprecated, renamed: "Int")
public typealias CFNumber = Int
