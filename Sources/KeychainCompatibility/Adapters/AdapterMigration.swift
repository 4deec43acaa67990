public import FoundationEssentials
public import SecretStorage

/// Converts the items of the 0.x adapters, which are JSON, into what `GenericPassword` stores.
///
/// The identity stays what it is: the service identifier of the adapter is the service, and the key is
/// the account. Only the bytes change, and what they are only the app knows, so it declares the types:
///
/// ```swift
/// var migration = AdapterMigration(serviceIdentifier: "com.example.app")
/// migration.convert("token", as: String.self)
/// migration.convert("person", as: Person.self)
/// let report = try migration.run()
/// ```
///
/// Then `@GenericPassword(service: "com.example.app", account: "token") var token: String?` has the
/// value. Run it before that property is used, and not while 0.x code still writes these keys: an item
/// that was not converted yet and is JSON of its type is taken for that.
///
/// Of each item that is converted, a copy with the same access control is written first, as item of the
/// service `<service>.migration`, and removed only when the converted item was read back. A run that was
/// interrupted, even by the end of the process, is finished by the next one. Which keys are done is
/// remembered in that service's item without account, so that it may be run at every start.
///
/// What was saved as bytes, by the `save(value:for:)` that takes `Data`, is what a
/// `GenericPassword<Data>` stores: such keys need no declaration.
public struct AdapterMigration: Sendable {
  private let givenService: String?
  private let decoder: JSONDecoder
  private let givenStore: (any SecretStore)?
  private var conversions: [AdapterConversion] = []

  /// Prepares a migration that converts no key yet.
  ///
  /// - Parameters:
  ///   - serviceIdentifier: The service of the adapter; nil means that of
  ///     `CodableKeychainAdapter.defaultDomain`.
  ///   - jsonDecoder: Reads the JSON; the one that the app gave to the adapter, if any.
  ///   - store: The store that has the items; nil means the default store.
  public init(
    serviceIdentifier: String? = nil, jsonDecoder: JSONDecoder = JSONDecoder(),
    in store: (any SecretStore)? = nil
  ) {
    givenService = serviceIdentifier
    decoder = jsonDecoder
    givenStore = store
  }

  /// Declares the type of a key's value; the last declaration of a key counts.
  public mutating func convert<Value: Codable & Sendable>(
    _ key: String, as type: Value.Type = Value.self
  ) {
    conversions.removeAll { $0.key == key }
    conversions.append(AdapterConversion(key, of: type))
  }

  /// Declares what the JSON of a key stands for, where the app's types are not at hand.
  ///
  /// The members of objects keep the names that they have in the JSON. What is no JSON at all is found
  /// `native`. The last declaration of a key counts.
  public mutating func convert(_ key: String, asJSON type: AdapterValueType) {
    conversions.removeAll { $0.key == key }
    conversions.append(AdapterConversion(key, asJSON: type))
  }

  /// Converts the items that need no proof; those that need one are refused.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether to change nothing, and to report what would be done.
  ///   - report: Called on this thread with the number of keys that are done; it may end the work.
  /// - Returns: What became of each key.
  /// - Throws: `SecretStoreError`: `cancelled`, `corrupted` when what was written is not what is read
  ///   back, or what kept the store from reading or writing. What was done until then stays, and the
  ///   next run goes on from there.
  @discardableResult
  public func run(
    isDryRun: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) -> AdapterMigrationReport {
    try run(authorizations: [:], isDryRun, report)
  }

  /// Converts the items, asking a person for what reading them needs.
  ///
  /// - Parameters:
  ///   - context: How a person is asked. Give it a time of `reuse`: one answer then counts for all items
  ///     that demand the same.
  ///   - isDryRun: Whether to change nothing, and to report what would be done.
  ///   - report: Called with the number of keys that are done; it may end the work.
  /// - Returns: What became of each key.
  /// - Throws: `SecretStoreError`: `denied` when it was not proved, and what ``run(isDryRun:reporting:)``
  ///   throws.
  @discardableResult
  public func run(
    authorizedBy context: AuthenticationContext, isDryRun: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) async throws(SecretStoreError) -> AdapterMigrationReport {
    let work = try work(authorizations: [:], isDryRun)
    var authorizations: [AccessControl: Authorization] = [:]
    for conversion in conversions {
      guard let accessControl = try work.accessControl(of: conversion.key),
        authorizations[accessControl] == nil
      else { continue }
      authorizations[accessControl] = try await context.authorize(
        accessControl, with: work.store.authenticator)
    }
    return try run(authorizations: authorizations, isDryRun, report)
  }

  private func run(
    authorizations: [AccessControl: Authorization], _ isDryRun: Bool,
    _ report: (UpkeepProgress) -> UpkeepProgress.Decision
  ) throws(SecretStoreError) -> AdapterMigrationReport {
    let work = try work(authorizations: authorizations, isDryRun)
    var result = AdapterMigrationReport()
    for conversion in conversions {
      try checkProgress(result.entries.count, report)
      result.entries.append(
        AdapterMigrationReport.Entry(
          key: conversion.key, outcome: try work.convert(conversion, with: decoder)))
    }
    try checkProgress(result.entries.count, report)
    let declared = Set(conversions.map(\.key))
    for key in try work.keys() where !declared.contains(key) {
      result.entries.append(AdapterMigrationReport.Entry(key: key, outcome: .undeclared))
    }
    return result
  }

  private func work(
    authorizations: [AccessControl: Authorization], _ isDryRun: Bool
  ) throws(SecretStoreError) -> AdapterMigrationWork {
    let service: String
    if let givenService { service = givenService } else { service = try DefaultDomain.service() }
    return AdapterMigrationWork(
      store: givenStore ?? SecretStorage.defaultStore, service: service,
      authorizations: authorizations, isDryRun: isDryRun)
  }

  private func checkProgress(
    _ completed: Int, _ report: (UpkeepProgress) -> UpkeepProgress.Decision
  ) throws(SecretStoreError) {
    let progress = UpkeepProgress(completed: completed, total: conversions.count)
    if report(progress) == .cancel { throw .cancelled }
  }
}
