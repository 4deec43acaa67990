public import FoundationEssentials
public import SecretStorage

/// Converts the items of the 0.x adapters from JSON into the format of `GenericPassword`.
///
/// Only the bytes of an item change. Its service remains the adapter's service identifier, and its
/// account remains the key. JSON does not contain Swift types, so the app declares them:
///
/// ```swift
/// var migration = AdapterMigration(serviceIdentifier: "com.example.app")
/// migration.convert("token", as: String.self)
/// migration.convert("person", as: Person.self)
/// let report = try migration.run()
/// ```
///
/// Afterwards, `@GenericPassword(service: "com.example.app", account: "token") var token: String?`
/// has the value. Run the migration before that property is used, and not while 0.x code still
/// writes these keys: any item that is JSON of its type and not marked as converted is converted.
///
/// Before an item is converted, a copy with the same access control is written as an item of the
/// service `<service>.migration`. The copy is removed after the converted item has been read back.
/// An item of that service without an account lists the finished keys, so the migration can run at
/// every launch. If a run is interrupted, even by a kill, the next one completes it.
///
/// Values saved with the overload of `save(value:for:)` that takes `Data` already have the format
/// of `GenericPassword<Data>`, so their keys need no declaration.
public struct AdapterMigration: Sendable {
  private let givenService: String?
  private let decoder: JSONDecoder
  private let givenStore: (any SecretStore)?
  private var conversions: [AdapterConversion] = []

  /// Creates a migration without declared keys.
  ///
  /// - Parameters:
  ///   - serviceIdentifier: The service of the adapter; nil means that of
  ///     `CodableKeychainAdapter.defaultDomain`.
  ///   - jsonDecoder: The decoder for the JSON; pass the adapter's decoder if it has its own.
  ///   - store: The store of the items; nil means the default store.
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
  /// The members of objects keep their names. Bytes that are not JSON are reported as `native`. A
  /// later declaration of a key replaces an earlier one.
  public mutating func convert(_ key: String, asJSON type: AdapterValueType) {
    conversions.removeAll { $0.key == key }
    conversions.append(AdapterConversion(key, asJSON: type))
  }

  /// Converts the items that need no authentication; refuses the others.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether only to report what a run would do, without changing anything.
  ///   - report: A closure that receives the number of finished keys on the calling thread, and can
  ///     cancel the run.
  /// - Returns: The outcome for each key.
  /// - Throws: A `SecretStoreError` if an item cannot be read or written, such as `corrupted` if an
  ///   item read back differs from the one written, or `cancelled`. Finished conversions remain,
  ///   and the next run continues from there.
  @discardableResult
  public func run(
    isDryRun: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> AdapterMigrationReport { try run(authorizations: [:], isDryRun, report) }

  /// Converts the items, and prompts the user for the authentication that reading them requires.
  ///
  /// - Parameters:
  ///   - context: The context that prompts the user. With a duration of `reuse`, one prompt covers
  ///     all items with the same requirements.
  ///   - isDryRun: Whether only to report what a run would do, without changing anything.
  ///   - report: A closure that receives the number of finished keys, and can cancel the run.
  /// - Returns: The outcome for each key.
  /// - Throws: A `SecretStoreError`: `denied` if authentication fails, or an error of
  ///   ``run(isDryRun:reporting:)``.
  @discardableResult
  public func run(
    authorizedBy context: AuthenticationContext, isDryRun: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) async throws -> AdapterMigrationReport {
    let work = try work(isDryRun)
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
    _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws(SecretStoreError) -> AdapterMigrationReport {
    let work = try work(isDryRun, authorizations)
    typealias Entry = AdapterMigrationReport.Entry
    var result = AdapterMigrationReport()
    func checkProgress() throws(SecretStoreError) {
      try MaintenanceProgress(completed: result.entries.count, total: conversions.count)
        .report(to: report)
    }
    for conversion in conversions {
      try checkProgress()
      let outcome = try work.convert(conversion, with: decoder)
      result.entries.append(Entry(key: conversion.key, outcome: outcome))
    }
    try checkProgress()
    let declared = Set(conversions.map(\.key))
    for key in try work.keys() where !declared.contains(key) {
      result.entries.append(Entry(key: key, outcome: .undeclared))
    }
    return result
  }

  private func work(
    _ isDryRun: Bool, _ authorizations: [AccessControl: Authorization] = [:]
  ) throws(SecretStoreError) -> AdapterMigrationWork {
    AdapterMigrationWork(
      store: givenStore ?? SecretStores.defaultStore,
      service: try DefaultDomain.service(givenService), authorizations: authorizations,
      isDryRun: isDryRun)
  }
}

/// The Swift type of an item's JSON, for converting items without the app's types.
///
/// JSON has fewer types than Swift: a JSON string can be a `String` or `Data`, and a number can be
/// an `Int`, a `Double` or a `Date`. `GenericPassword` stores each of them differently.
///
/// ```swift
/// migration.convert("token", asJSON: .string)
/// migration.convert("person", asJSON: .object(["born": .date, "photo": .data]))
/// ```
public indirect enum AdapterValueType: Hashable, Sendable {
  /// The only type that the JSON can have; an item of ambiguous type is refused.
  ///
  /// A number is always ambiguous, and a Boolean never is. A string is ambiguous if it could be
  /// Base64, an ISO 8601 date, a `UUID` or, inside a container, a URL. A container is ambiguous if
  /// any of its values is. An enumeration must be declared, because it looks like its raw value.
  case unambiguous
  /// The JSON type at every level: strings are `String`, integers `Int`, other numbers `Double`.
  case plain
  /// A `String`.
  case string
  /// A `Bool`.
  case boolean
  /// An integer of any width.
  case integer
  /// A `Double`.
  case double
  /// A `Float`.
  case float
  /// `Data` in the format of the migration's decoder; by default Base64.
  case data
  /// A `Date` in the format of the migration's decoder; by default seconds since 2001.
  case date
  /// A `URL`.
  case url
  /// An enumeration with raw values, a `UUID`, or another type encoded as one string or number.
  case rawValue
  /// An array or set of values of one type.
  case array(of: AdapterValueType)
  /// A structure or dictionary, with the types of the members that are not ``unambiguous``.
  case object([String: AdapterValueType])
}

/// The results of an ``AdapterMigration``, by key.
public struct AdapterMigrationReport: Hashable, Sendable {
  /// The outcome for the item of a key.
  public enum Outcome: Hashable, Sendable {
    /// The item was JSON and now has the format of `GenericPassword`.
    case converted
    /// An earlier run converted the item.
    case alreadyConverted
    /// The item is not JSON, but a value in the format of `GenericPassword`.
    case native
    /// The item does not exist.
    case absent
    /// The item was changed after an interrupted run had copied it; it is left unchanged.
    case conflict
    /// The service has an item with this key, but the key was not declared.
    case undeclared
    /// The item is left unchanged, for the reason given as a sentence.
    case refused(String)
  }

  /// A key of the service, with the outcome for its item.
  public struct Entry: Hashable, Sendable {
    /// The key, which is the account of the item.
    public let key: String
    /// The outcome for its item.
    public let outcome: Outcome
  }

  /// The declared keys in declaration order, then the undeclared ones.
  public internal(set) var entries: [Entry] = []

  /// Returns the keys with a given outcome.
  public func keys(_ outcome: Outcome) -> [String] {
    entries.filter { $0.outcome == outcome }.map(\.key)
  }
}
