// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, OneVariableDeclarationPerLine

// The classes and attributes of passwords, with the names and values of the Security framework.

@available(*, deprecated, message: "Use the case or part of `ItemIdentity` of this name.")
public let
  kSecClass: CFString = "class",
  kSecClassGenericPassword: CFString = "genp",
  kSecClassInternetPassword: CFString = "inet",
  kSecAttrAccount: CFString = "acct",
  kSecAttrService: CFString = "svce",
  kSecAttrServer: CFString = "srvr",
  kSecAttrSecurityDomain: CFString = "sdmn",
  kSecAttrProtocol: CFString = "ptcl",
  kSecAttrAuthenticationType: CFString = "atyp",
  kSecAttrPort: CFString = "port",
  kSecAttrPath: CFString = "path"

@available(*, deprecated, message: "Use the member of `ItemAttributes`, such as `itemDescription`.")
public let
  kSecAttrDescription: CFString = "desc",
  kSecAttrComment: CFString = "icmt",
  kSecAttrCreator: CFString = "crtr",
  kSecAttrType: CFString = "type",
  kSecAttrLabel: CFString = "labl",
  kSecAttrIsInvisible: CFString = "invi",
  kSecAttrAccessControl: CFString = "accc",
  kSecAttrAccessible: CFString = "pdmn"

@available(*, deprecated, message: "Use the member of `SecretItem` or `SecretReading`.")
public let
  kSecAttrCreationDate: CFString = "cdat",
  kSecAttrModificationDate: CFString = "mdat",
  kSecValueData: CFString = "v_Data"

@available(*, unavailable, message: "Stores have no such attribute.")
public let
  kSecAttrAccessGroup: CFString = "",
  kSecAttrSynchronizable: CFString = "",
  kSecAttrGeneric: CFString = "",
  kSecAttrIsNegative: CFString = ""

/// A string, under its Core Foundation name.
@available(*, deprecated, renamed: "String")
public typealias CFString = String

/// A number, under its Core Foundation name.
@available(*, deprecated, renamed: "Int")
public typealias CFNumber = Int
