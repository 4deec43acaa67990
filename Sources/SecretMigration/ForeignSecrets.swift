import SecretStorage

/// The decrypted secrets of another program.
///
/// To read them from a file, which is not changed, use ``keychainExport(at:passphrase:)``,
/// ``cryptFile(at:passphrase:skippingUnreadable:reporting:)``,
/// ``libsecretKeyring(at:passphrase:skippingUnreadable:)`` or ``environmentFile(at:service:)``. To
/// write them to a store, use ``migrate(to:conflicts:isDryRun:removingSource:reporting:)``. The
/// secrets are held in protected memory, but reading them also uses unprotected memory.
public struct ForeignSecrets: Sendable {
  /// A secret of the source that could not be read.
  public struct Unreadable: Hashable, Sendable {
    /// The position in the source, such as `line 3`.
    public let position: String
    /// The reason, as a sentence to show to the user.
    public let reason: String

    /// Creates a description of a secret that could not be read.
    public init(position: String, reason: String) {
      self.position = position
      self.reason = reason
    }
  }

  /// The secrets in the order of migration: the oldest first, if the source has dates.
  public let secrets: [ForeignSecret]
  /// The secrets that were skipped.
  public let unreadable: [Unreadable]
  /// The file of the secrets, which can be removed after the migration.
  let file: SourceFile?

  /// Creates a collection of secrets that the app has read itself.
  public init(_ secrets: [ForeignSecret], unreadable: [Unreadable] = []) {
    self.init(secrets, unreadable: unreadable, file: nil)
  }

  init(_ secrets: [ForeignSecret], unreadable: [Unreadable] = [], file: SourceFile?) {
    self.secrets = secrets
    self.unreadable = unreadable
    self.file = file
  }
}

extension ForeignSecrets {
  /// The maximum number of secrets in a file; each one uses far more memory than in the file.
  static let countLimit = 100_000

  static func checkCount(_ count: Int, of path: String) throws(MigrationError) {
    if count > countLimit {
      throw .unsupported(path: path, reason: "it has more than \(countLimit) secrets")
    }
  }
}

extension ForeignSecrets: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
