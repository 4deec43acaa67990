import CLibrary
import Concurrency
public import FoundationEssentials
public import SecretStorage
import StorageInternals

/// The desktop's keyring, or a vault where there is none, decided once for an app.
///
/// ```swift
/// SecretStores.bootstrap(.desktop(orVault: .vault))
/// ```
///
/// The first access decides: for the vault if there is no session bus or no daemon on it, and for
/// the Secret Service if a daemon with a default keyring answers, even if it is locked. A daemon
/// that does not answer, or has no default keyring, decides nothing: the access throws
/// `SecretStoreError.unavailable`.
///
/// The decision is remembered in the app's state directory and never changes by itself, so that a
/// daemon that comes and goes does not split the secrets between two stores: later accesses without
/// the daemon throw as well. To decide anew, move the secrets and remove the file.
public final class DesktopStore: SynchronouslyObservedStore, LockCountingStore {
  /// A store that a desktop store can decide for.
  public enum Choice: String, Hashable, Sendable {
    /// The desktop's Secret Service.
    case desktop
    /// The vault.
    case vault
  }

  let keyring: SecretServiceStore
  let vault: SecretVault
  private let path: @Sendable () throws(SecretStoreError) -> String
  private let decided = Lock(Choice?.none, inForkedChild: { nil })
  private let fileSystem = FileSystem()

  /// Creates a store, without deciding.
  ///
  /// - Parameters:
  ///   - keyring: The store over the Secret Service.
  ///   - vault: The vault.
  ///   - file: The file that remembers the decision; nil for `secret-store` in the XDG state
  ///     directory of the executable.
  public init(
    keyring: SecretServiceStore = .secretService, orVault vault: SecretVault,
    rememberedIn file: URL? = nil
  ) {
    self.keyring = keyring
    self.vault = vault
    path = { () throws(SecretStoreError) in
      if let file { return file.path }
      do throws(ApplicationDirectoriesError) {
        return try ApplicationDirectories().state + "/secret-store"
      } catch {
        throw .unavailable("\(error)")
      }
    }
  }

  /// The store that is used, which this decides if it was not decided before.
  ///
  /// - Throws: `SecretStoreError` if a daemon or the bus does not answer, or if the decision can be
  ///   neither read nor written.
  public var choice: Choice { get throws { try decide() } }

  private func decide() throws(SecretStoreError) -> Choice {
    if let known = decided.withLock({ $0 }) { return known }
    let path = try path()
    let choice: Choice
    if let known = try rememberedChoice() {
      choice = known
    } else {
      let found: Choice = try isKeyringThere() ? .desktop : .vault
      do throws(SystemError) {
        choice = try remember(found, at: path)
      } catch {
        throw SecretStoreError(error)
      }
    }
    decided.withLock { $0 = choice }
    return choice
  }

  /// The choice that was made before; nil if there is none yet.
  func rememberedChoice() throws(SecretStoreError) -> Choice? {
    let path = try path()
    do throws(SystemError) {
      return try remembered(at: path)
    } catch {
      throw SecretStoreError(error)
    }
  }

  private func remembered(at path: String) throws(SystemError) -> Choice? {
    if try fileSystem.status(of: path) == nil { return nil }
    let bytes = try fileSystem.open(path, O_RDONLY | O_NOFOLLOW).read(from: 0, count: 64)
    let word = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first ?? ""
    guard let choice = Choice(rawValue: String(word)) else {
      throw SystemError(call: .open, path: path, code: EILSEQ)
    }
    return choice
  }

  /// Remembers a choice, or returns that of another process that has just decided.
  private func remember(_ choice: Choice, at path: String) throws(SystemError) -> Choice {
    do throws(SystemError) {
      _ = try fileSystem.makingDirectories(for: path) { () throws(SystemError) -> Bool in
        try fileSystem.replaceFile(
          at: path, with: Array("\(choice.rawValue)\n".utf8), overwriting: false)
        return true
      }
      return choice
    } catch {
      guard error.code == EEXIST, let other = try remembered(at: path) else { throw error }
      return other
    }
  }

  /// Whether the keyring can be used, now or after it is unlocked.
  ///
  /// - Throws: The error of a daemon or a bus that does not answer, which decides nothing.
  private func isKeyringThere() throws(SecretStoreError) -> Bool {
    let deadline = Deadline(after: keyring.timeLimit)
    guard try keyring.access.isServiceThere(by: deadline) else { return false }
    _ = try keyring.defaultIsLocked()
    return true
  }

  private func store() throws(SecretStoreError) -> any SecretStore {
    try decide() == .desktop ? keyring : vault
  }
}

extension DesktopStore {
  /// The name of the store that is used; that of the type if it cannot be decided.
  public var name: String { current?.name ?? "DesktopStore" }

  /// The guarantees of the store that is used; none if it cannot be decided.
  public var guarantees: StoreGuarantees { current?.guarantees ?? [] }

  /// The authenticator of the store that is used.
  public var authenticator: (any Authenticator)? { current?.authenticator }

  /// The store that is used; nil if it cannot be decided, which accesses report.
  private var current: (any SecretStore)? {
    do { return try store() } catch { return nil }
  }

  /// Returns the revision of the store that is used.
  public func revision() throws(SecretStoreError) -> StoreRevision { try store().revision() }

  /// Returns the items of the store that is used.
  public func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try store().items(matching: query)
  }

  /// Returns the secret of an item of the store that is used.
  public func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try store().secret(of: item, authorizedBy: authorization)
  }

  /// Adds an item to the store that is used.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try store().add(
      secret, identity: identity, attributes: attributes, authorizedBy: authorization)
  }

  /// Changes an item of the store that is used.
  public func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try store().update(
      item, expecting: revision, attributes: attributes, secret: secret,
      authorizedBy: authorization)
  }

  /// Removes an item of the store that is used.
  public func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try store().remove(item, expecting: revision)
  }

  /// Observes the store that is used.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    do throws(SecretStoreError) {
      return try store().observeChanges(handler)
    } catch {
      // Nothing is observed until a later call, when the store can be decided.
      return ChangeObservation(problem: { error }, end: {})
    }
  }

  package func observeChangesSynchronously(
    _ handler: @escaping @Sendable () -> Void
  ) -> ChangeObservation {
    (current as? any SynchronouslyObservedStore)?.observeChangesSynchronously(handler)
      ?? observeChanges(handler)
  }

  package func reportDelayedChanges() {
    (current as? any SynchronouslyObservedStore)?.reportDelayedChanges()
  }

  package var lockCount: UInt64 { (current as? any LockCountingStore)?.lockCount ?? 0 }
}

extension SecretStore where Self == DesktopStore {
  /// The desktop's keyring, or a vault where there is none; see ``DesktopStore``.
  public static func desktop(orVault vault: SecretVault) -> DesktopStore {
    DesktopStore(orVault: vault)
  }
}
