import FoundationEssentials

/// The identities of the items in files or variables, which have a name only.
///
/// The name of a file is its path in the directory, such as `github` or `github/token`. The name of
/// a variable has no prefix, and its letters are lowercase: with the prefix `APP_`, it is
/// `github__token` for `APP_GITHUB__TOKEN`.
public struct ItemNaming: Sendable {
  /// Whether files in a subdirectory can be items.
  let searchesSubdirectories: Bool
  private let identify: @Sendable (String) -> ItemIdentity?

  /// The service of a generic password or, separated by `/` or by the first `__`, its service and
  /// its account.
  ///
  /// A file `github` is the password of a service `github` without an account. A file
  /// `github/token`, a file `github__token` and a variable `APP_GITHUB__TOKEN` with the prefix
  /// `APP_` have the service `github` and the account `token`.
  public static let serviceAndAccount = ItemNaming(searchesSubdirectories: true) { name in
    let separator = name.utf8.contains(UInt8(ascii: "/")) ? "/" : "__"
    guard let range = name.firstRange(of: separator), range.lowerBound != name.startIndex,
      range.upperBound != name.endIndex
    else { return .generic(service: name) }
    return .generic(
      service: String(name[..<range.lowerBound]), account: String(name[range.upperBound...]))
  }

  /// The service of a generic password without an account; subdirectories are not searched.
  public static let service = ItemNaming(searchesSubdirectories: false) { .generic(service: $0) }

  /// Returns a naming by the app; names that it does not list are not items.
  ///
  /// ```swift
  /// .mapping(["github-token": .generic(service: "github", account: "token")])
  /// ```
  public static func mapping(_ identities: [String: ItemIdentity]) -> ItemNaming {
    mapping { identities[$0] }
  }

  /// Returns a naming by the app, which returns nil for a name that is not an item.
  ///
  /// The closure is called at each access for each file. It must return equal identities for equal
  /// names.
  public static func mapping(
    _ identify: @escaping @Sendable (String) -> ItemIdentity?
  ) -> ItemNaming {
    ItemNaming(searchesSubdirectories: true, identify)
  }

  private init(
    searchesSubdirectories: Bool, _ identify: @escaping @Sendable (String) -> ItemIdentity?
  ) {
    self.searchesSubdirectories = searchesSubdirectories
    self.identify = identify
  }

  func identity(of name: String) -> ItemIdentity? { identify(name) }
}

extension SecretItem.ID {
  /// Creates the identifier of a named item: the same in each process for the same place and name.
  ///
  /// This is the hash FNV-1a with 128 bits, in which different names practically never collide.
  init(place: String, name: String) {
    var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
    for bytes in [Array(place.utf8), [0], Array(name.utf8)] {
      for byte in bytes {
        hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
      }
    }
    var bytes = (0..<16).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt128($0))) }
    // Version 8 of RFC 9562, for identifiers of a vendor's own.
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.init(bytes[...])
  }
}

extension Secret {
  /// A copy without one line break, `\n` or `\r\n`, at the end.
  var withoutTrailingNewline: Secret {
    unsafe withUnsafeBytes { bytes in
      guard unsafe bytes.last == UInt8(ascii: "\n") else { return self }
      let line = unsafe bytes.dropLast()
      return unsafe Secret(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
  }
}
