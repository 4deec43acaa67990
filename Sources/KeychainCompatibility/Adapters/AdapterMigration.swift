public import FoundationEssentials
public import SecretStorage

/// Converts the items of the 0.x adapters from JSON into the format of `GenericPassword`.
///
/// Only the bytes of an item change: its service is the adapter's, and its account the key. JSON
/// does not contain Swift types, so the app declares them; <doc:SettingsSubjectsAndAdapters> has an
/// example. Run the migration before a `@GenericPassword` of these items is used, and not while 0.x
/// code still writes these keys: JSON of the declared type is converted unless its key is finished.
///
/// Until the converted item has been read back, the service `<service>.migration` has a copy with
/// the same access control. The next run uses the copy to complete an interrupted run. An item of
/// that service without an account lists the finished keys, so a migration can run at each launch.
///
/// Keys saved as `Data` need no declaration: `GenericPassword<Data>` has the same bytes.
public struct AdapterMigration: Sendable {
  private let givenService: String?
  private let decoder: JSONDecoder
  private let givenStore: (any SecretStore)?
  private var conversions: [AdapterConversion] = []

  /// Creates a migration without declared keys, by default of the service of
  /// `CodableKeychainAdapter.defaultDomain` in the default store.
  public init(
    serviceIdentifier: String? = nil, jsonDecoder: JSONDecoder = JSONDecoder(),
    in store: (any SecretStore)? = nil
  ) {
    givenService = serviceIdentifier
    decoder = jsonDecoder
    givenStore = store
  }

  /// Declares the type of a key's value; a later declaration replaces an earlier one.
  public mutating func convert<Value: Codable & Sendable>(
    _ key: String, as type: Value.Type = Value.self
  ) {
    conversions.removeAll { $0.key == key }
    conversions.append(AdapterConversion(key, of: type))
  }

  /// Declares the type of a key's JSON, for use without the app's types.
  ///
  /// Bytes that are not JSON are reported as `native`. A later declaration replaces an earlier one.
  public mutating func convert(_ key: String, asJSON type: AdapterValueType) {
    conversions.removeAll { $0.key == key }
    conversions.append(AdapterConversion(key, asJSON: type))
  }

  /// Converts the items that need no authentication; refuses the others.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether to report the expected outcomes without changing anything.
  ///   - report: A closure that receives the number of finished keys on the calling thread, and can
  ///     cancel the run.
  /// - Returns: The outcome for each declared key, then for each other key of the service.
  /// - Throws: A `SecretStoreError` if an item cannot be read or written, such as `corrupted` if an
  ///   item read back differs from the one written, or `cancelled`. Finished conversions remain.
  @discardableResult
  public func run(
    isDryRun: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ImportReport {
    try run(work(isDryRun), report)
  }

  /// Converts the items, and prompts the user for the authentication that reading them requires.
  ///
  /// If the context reuses proofs, one prompt covers all items with the same requirements.
  ///
  /// - Throws: A `SecretStoreError`: `denied` if authentication fails, or an error of
  ///   ``run(isDryRun:reporting:)``.
  @discardableResult
  public func run(
    authorizedBy context: AuthenticationContext, isDryRun: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) async throws -> ImportReport {
    var work = try work(isDryRun)
    for conversion in conversions {
      guard let item = try work.store.item(work.identity(of: conversion.key)) else { continue }
      let accessControl = item.attributes.accessControl
      if accessControl.flags.isEmpty || work.authorizations[accessControl] != nil { continue }
      work.authorizations[accessControl] = try await context.authorize(
        accessControl, with: work.store.authenticator)
    }
    return try run(work, report)
  }

  private func run(
    _ work: AdapterMigrationWork, _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws(SecretStoreError) -> ImportReport {
    var result = ImportReport()
    func checkProgress() throws(SecretStoreError) {
      try MaintenanceProgress(completed: result.entries.count, total: conversions.count)
        .report(to: report)
    }
    for conversion in conversions {
      try checkProgress()
      let outcome = try work.store.retrying { () throws(SecretStoreError) in
        try work.convert(conversion, with: decoder)
      }
      result.entries.append(ImportReport.Entry(work.identity(of: conversion.key), outcome))
    }
    try checkProgress()
    let declared = Set(result.entries.map(\.identity))
    for item in try work.store.items(matching: .matching(.generic(service: work.service)))
    where item.identity.account != nil && !declared.contains(item.identity) {
      result.entries.append(ImportReport.Entry(item.identity, .undeclared))
    }
    return result
  }

  private func work(_ isDryRun: Bool) throws(SecretStoreError) -> AdapterMigrationWork {
    AdapterMigrationWork(
      store: givenStore ?? SecretStores.defaultStore,
      service: try DefaultDomain.service(givenService), isDryRun: isDryRun)
  }
}
