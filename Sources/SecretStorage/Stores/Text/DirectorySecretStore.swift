import Concurrency
public import FoundationEssentials
import StorageInternals

/// A store of the files in a directory, each of which is a secret that another program supplies.
///
/// Such directories are the credentials of a systemd service, `/run/secrets` in a container, and
/// volumes of Secrets in Kubernetes. See <doc:SuppliedSecrets>. The store can only be read. A
/// secret is text, which a property decodes by its type: a file `8443` is the integer 8443. A
/// property of type `Data` or ``Secret`` has the bytes of the file.
///
/// **Items.** An ``ItemNaming`` gives each file its identity. Files whose names begin with a period
/// are not items. Both dates of an item are the modification date of its file.
///
/// **Changes.** Each access searches the directory, so it sees a completed change immediately. A
/// volume of Kubernetes is replaced as a whole; a reader never finds a part of one version, and
/// never misses a file that is in both. Other writers should replace a file by renaming, because a
/// file that is written in place can be read when it is incomplete.
///
/// **Limits.** The directory has at most 4,096 entries, and a file at most 16 MiB, which is
/// ``ItemLimits/secretSize``. Reading a larger file, anything other than a regular file, or a
/// symbolic link that leads out of the directory throws. Owners and permissions are not checked:
/// any program that can write the directory chooses the secrets.
///
/// - Complexity: An access is linear in the number of files, with a call of the kernel for each.
public final class DirectorySecretStore: SynchronouslyObservedStore {
  private struct Entry: Sendable {
    let item: SecretItem
    let file: SecretFile
  }

  private struct Content: Sendable {
    let found: SecretFiles
    let revision: UInt64
    var entries: [SecretItem.ID: Entry] = [:]
  }

  private struct State: Sendable {
    /// The content after the last search that succeeded.
    var content: Content?
    // A forked child must not reuse a revision of the parent.
    var revision = UInt64(Fork.generation) << 48
  }

  let directory: SecretDirectory
  /// The reason why the directory is unknown; nil if it is known, or known not to exist.
  private let problem: SecretStoreError?
  private let state = Lock(State(), inForkedChild: { State() })
  let observers = ChangeObservers()
  let sharedWatch = SharedObservation()
  /// The result of the search after which the observers were last notified.
  let notifiedResult = Lock(Result<UInt64, SecretStoreError>?.none, inForkedChild: { nil })

  /// Creates a store of the files in a directory, without accessing it.
  ///
  /// If the directory does not exist or cannot be read, each access throws
  /// ``SecretStoreError/unavailable(_:)``.
  ///
  /// - Parameters:
  ///   - directory: The directory, which may be a symbolic link.
  ///   - naming: The identities of the files.
  ///   - keepsTrailingNewline: Whether a line break at the end of a file, `\n` or `\r\n`, is a part
  ///     of the secret. By default one is removed, because editors and `echo` add it. Keep it if
  ///     the secrets are binary.
  public convenience init(
    directory: URL, naming: ItemNaming = .serviceAndAccount, keepsTrailingNewline: Bool = false
  ) {
    self.init(
      SecretDirectory(
        path: directory.path, naming: naming, keepsTrailingNewline: keepsTrailingNewline))
  }

  /// Creates a store of the systemd credentials of this service, without accessing them.
  ///
  /// The directory is the value that `$CREDENTIALS_DIRECTORY` has now. If the variable is not set,
  /// the store is empty. If the directory cannot be read, each access throws
  /// ``SecretStoreError/unavailable(_:)``.
  ///
  /// - Parameters:
  ///   - naming: The identities of the credentials.
  ///   - keepsTrailingNewline: Whether a line break at the end of a credential, `\n` or `\r\n`, is
  ///     a part of the secret. Keep it if the credentials are binary.
  public convenience init(
    credentials naming: ItemNaming, keepsTrailingNewline: Bool = false
  ) {
    self.init(
      credentials: naming, keepsTrailingNewline: keepsTrailingNewline,
      environment: ProcessInfo.processInfo.environment)
  }

  convenience init(
    credentials naming: ItemNaming, keepsTrailingNewline: Bool, environment: [String: String]
  ) {
    let variable = "CREDENTIALS_DIRECTORY"
    let path = ApplicationDirectories.credentials(environment: environment)
    let isInvalid = path == nil && environment[variable] != nil
    self.init(
      SecretDirectory(path: path, naming: naming, keepsTrailingNewline: keepsTrailingNewline),
      problem: isInvalid
        ? .unavailable("$\(variable) is not an absolute path. Unset it, or set it to a directory.")
        : nil)
  }

  init(_ directory: SecretDirectory, problem: SecretStoreError? = nil) {
    self.directory = directory
    self.problem = problem
  }

  /// The path of the directory, or `$CREDENTIALS_DIRECTORY` if that is not set.
  public var name: String { directory.path ?? "$CREDENTIALS_DIRECTORY" }

  /// Only ``StoreGuarantees/readOnly`` and ``StoreGuarantees/sharedBetweenProcesses``.
  public var guarantees: StoreGuarantees { [.readOnly, .sharedBetweenProcesses] }

  /// Always nil, because no item in this store needs a proof.
  public var authenticator: (any Authenticator)? { nil }

  /// Returns a number that changes with each change to the files.
  ///
  /// Within a few milliseconds of a change, it may change more than once.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` if the directory cannot be read.
  public func revision() throws(SecretStoreError) -> StoreRevision {
    StoreRevision(try currentContent().revision)
  }

  /// Returns the files that match a query, the oldest first, without opening them.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` if the directory cannot be read or has too many
  ///   entries, ``SecretStoreError/insecure(path:reason:)`` if a link leads out of it, or
  ///   ``SecretStoreError/invalid(_:)`` if two files have the same identity.
  public func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try currentContent().entries.values.lazy.map(\.item)
      .filter { query.includes($0.identity) }
      .sorted(by: SecretItem.isOlder)
  }

  /// Returns the text of a file; nil if the file no longer exists.
  ///
  /// - Throws: The errors of ``items(matching:)``, or ``SecretStoreError/unavailable(_:)``,
  ///   ``SecretStoreError/insecure(path:reason:)`` or ``SecretStoreError/system(call:path:code:)``
  ///   if the file cannot be read.
  public func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try directory.retrying { () throws(SecretStoreError) -> SecretReading?? in
      let content = try currentContent()
      guard let entry = content.entries[item] else { return .some(nil) }
      guard let secret = try directory.read(entry.file, in: content.found) else { return nil }
      return SecretReading(
        secret: secret, itemRevision: entry.item.revision,
        storeRevision: StoreRevision(content.revision), isText: true)
    }
  }

  /// Always throws ``SecretStoreError/readOnly(_:)``.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem { throw readOnlyError }

  /// Always throws ``SecretStoreError/readOnly(_:)``.
  public func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem { throw readOnlyError }

  /// Throws ``SecretStoreError/readOnly(_:)`` if the item exists.
  public func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    if try currentContent().entries[item] != nil { throw readOnlyError }
  }

  private var readOnlyError: SecretStoreError {
    .readOnly(
      """
      The secrets in \(name) can only be read. Change them in \
      the configuration of the service, or save to another store.
      """)
  }

  /// Searches the directory; returns a new content if it may have changed.
  private func currentContent() throws(SecretStoreError) -> Content {
    if let problem { throw problem }
    let found = try directory.search()
    return try state.withLock { state throws(SecretStoreError) in
      if let content = state.content, content.found.isSettled, content.found.isEqual(to: found) {
        return content
      }
      state.revision += 1
      let content = try content(found, revision: state.revision, after: state.content)
      state.content = content
      return content
    }
  }

  private func content(
    _ found: SecretFiles, revision: UInt64, after last: Content?
  ) throws(SecretStoreError) -> Content {
    let known = last?.found.isSettled ?? false ? last?.entries ?? [:] : [:]
    var content = Content(found: found, revision: revision)
    var names: [ItemIdentity: String] = [:]
    for file in found.files {
      if let other = names.updateValue(file.name, forKey: file.identity) {
        throw .invalid(
          """
          The files \(other) and \(file.name) in \(directory.path ?? "") are the same item. Remove or \
          rename one of them
          """)
      }
      let id = SecretItem.ID(place: directory.path ?? "", name: file.name)
      let date = Date(timeIntervalSince1970: Double(file.status?.modified ?? 0) / 1e9)
      let item = SecretItem(
        id: id, identity: file.identity, attributes: ItemAttributes(), creationDate: date,
        modificationDate: date,
        revision: known[id].flatMap { $0.file == file ? $0.item.revision : nil } ?? revision)
      content.entries[id] = Entry(item: item, file: file)
    }
    return content
  }

  /// Searches the directory, and returns the number of the revision and the subdirectories.
  func currentRevision() throws(SecretStoreError) -> (number: UInt64, subdirectories: [String]) {
    let content = try currentContent()
    return (content.revision, content.found.subdirectories)
  }
}

extension DirectorySecretStore: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension SecretStore where Self == DirectorySecretStore {
  /// The systemd credentials of this service: one object for the process, which looks for
  /// `$CREDENTIALS_DIRECTORY` at the first use, and names items as
  /// ``ItemNaming/serviceAndAccount`` says.
  public static var credentials: DirectorySecretStore { sharedCredentials }
}

private let sharedCredentials = DirectorySecretStore(credentials: .serviceAndAccount)
