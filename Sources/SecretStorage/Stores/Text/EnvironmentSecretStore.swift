import Concurrency
import FoundationEssentials

/// A store of the variables of the environment whose names begin with a prefix.
///
/// The environment is read once, when the store is created. The store can only be read, and does
/// not change. A secret is text, which a property decodes by its type: `APP_PORT=8443` is the
/// integer 8443. See <doc:SuppliedSecrets>.
///
/// With the prefix `APP_`, the variable `APP_GITHUB__TOKEN` is the password of the service `github`
/// and the account `token`, unless another ``ItemNaming`` says otherwise. The creation dates of
/// items have the order of the names. If two variables are the same item, each access throws
/// ``SecretStoreError/invalid(_:)``.
///
/// Any process of the same user can read the initial environment of this one, and child processes
/// inherit it. A file is a better place for a secret: see ``DirectorySecretStore``.
public final class EnvironmentSecretStore: SecretStore {
  private struct Entry: Sendable {
    let item: SecretItem
    let secret: Secret
    /// The name of the variable.
    let variable: String
  }

  private let prefix: String
  private let entries: [SecretItem.ID: Entry]
  /// The reason why items cannot be told apart or are too large; nil if there is none.
  private let problem: SecretStoreError?

  /// Creates a store of the current values of variables.
  ///
  /// Removal is safe only before the process has other threads: a call of `getenv`, `setenv` or
  /// `fork` by a thread, also inside of a library, may use memory that the C library or this
  /// initializer changes. What can still be read after a removal, <doc:SuppliedSecrets> says. A
  /// second store with the same prefix then finds nothing.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of the names, including the separator.
  ///   - naming: The identities of the variables.
  ///   - removingVariables: Whether the variables that are items are removed from the environment,
  ///     so that neither child processes nor other code in this process find them.
  public convenience init(
    prefix: String, naming: ItemNaming = .serviceAndAccount, removingVariables: Bool = false
  ) {
    self.init(prefix: prefix, naming: naming, EnvironmentVariable.all(prefix: prefix))
    if removingVariables {
      EnvironmentVariable.remove(Set(entries.values.map { Array($0.variable.utf8) }))
    }
  }

  init(prefix: String, naming: ItemNaming, _ variables: [EnvironmentVariable]) {
    var entries: [SecretItem.ID: Entry] = [:]
    var names: [ItemIdentity: String] = [:]
    var problem: SecretStoreError?
    let date = Date()
    for (index, variable) in variables.sorted(by: { $0.name < $1.name }).enumerated() {
      let name = variable.name.dropFirst(prefix.count).lowercased()
      guard let identity = naming.identity(of: name) else { continue }
      if let other = names.updateValue(variable.name, forKey: identity) {
        problem = .invalid(
          "The variables \(other) and \(variable.name) are the same item. Unset one of them")
      }
      do throws(SecretStoreError) {
        try ItemLimits.check(secretCount: variable.value.count)
      } catch {
        problem = error
      }
      let creation = date.addingTimeInterval(Double(index) * 1e-6)
      let item = SecretItem(
        id: SecretItem.ID(place: "environment", name: variable.name), identity: identity,
        attributes: ItemAttributes(), creationDate: creation, modificationDate: creation,
        revision: 1)
      entries[item.id] = Entry(item: item, secret: variable.value, variable: variable.name)
    }
    self.prefix = prefix
    self.entries = entries
    self.problem = problem
  }

  /// The beginning of the names of the variables.
  public var name: String { "the variables \(prefix)…" }

  /// Only ``StoreGuarantees/readOnly``.
  public var guarantees: StoreGuarantees { .readOnly }

  /// Always nil, because no item in this store needs a proof.
  public var authenticator: (any Authenticator)? { nil }

  /// Always returns the same revision.
  public func revision() -> StoreRevision { StoreRevision(1) }

  /// Returns the variables that match a query, in the order of their names.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` if two variables are the same item, or one exceeds
  ///   ``ItemLimits/secretSize``.
  public func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    if let problem { throw problem }
    return entries.values.lazy.map(\.item).filter { query.includes($0.identity) }
      .sorted(by: SecretItem.isOlder)
  }

  /// Returns the text of a variable; nil if the store does not have the item.
  ///
  /// - Throws: The errors of ``items(matching:)``.
  public func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    if let problem { throw problem }
    return entries[item].map {
      SecretReading(
        secret: $0.secret, itemRevision: $0.item.revision, storeRevision: revision(), isText: true)
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
    if let problem { throw problem }
    if entries[item] != nil { throw readOnlyError }
  }

  private var readOnlyError: SecretStoreError {
    .readOnly(
      """
      The secrets in \(name) can only be read. Change them where the process is \
      started, or save to another store.
      """)
  }

  /// Returns an observation that never calls the handler, because the store does not change.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    ChangeObservation {}
  }
}

extension EnvironmentSecretStore: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension SecretStore where Self == EnvironmentSecretStore {
  /// Returns a new store of the current values of variables, which are not removed.
  public static func environment(prefix: String) -> EnvironmentSecretStore {
    EnvironmentSecretStore(prefix: prefix)
  }
}
