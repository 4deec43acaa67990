import FoundationEssentials
import KeychainCompatibility
import SecretStorage

extension Option {
  fileprivate static let type = Option(
    "type", "KEY=TYPE", "what the JSON of a key stands for; may be given several times",
    isRepeatable: true)
  fileprivate static let dates = Option(
    "dates", "FORM", "iso8601, seconds or milliseconds: how the app wrote dates, see below")
}

extension Command {
  static let migrateAdapters = Command(
    name: "migrate adapters",
    summary: "Converts the secrets that adapters of FTPropertyWrappers 0.x stored as JSON.",
    options: [.service, .type, .dates, .dryRun] + Option.openVault,
    notes: """
      --service is the adapter's serviceIdentifier; that of .defaultDomain is the app's identifier and
      .securedomain.default. Each secret becomes what @GenericPassword stores, in its place, and is read
      back before the copy of the old one goes. One that is done is never converted again.

      JSON has fewer types than Swift. What may be of several is left as it is, until --type says which:
        string, boolean, integer, double, float, data, date, url
        enum                an enumeration with raw values, or a UUID
        plain               texts and numbers are just that, also inside of lists and structures
        '["data"]'          a list of one type
        '{"born": "date"}'  a structure or dictionary, with those members that may be of several
      An enumeration is taken for its raw value unless it is declared. Dates are seconds since 2001, unless
      --dates says that they are texts in ISO 8601, or seconds or milliseconds since 1970.

      Each line is what becomes of a secret, and the options that name it. The exit status is 1 if a
      secret was refused.
      """
  ) { arguments in
    guard let service = arguments[.service], !service.isEmpty else {
      throw UsageError("--service must say whose secrets are meant.")
    }
    let types = try arguments.declaredTypes()
    let decoder = try arguments.decoderOfDates()
    let vault = try arguments.unlockedVault()
    let items = try vault.items(matching: .matching(.generic(service: service)))
    let keys = items.compactMap(\.identity.account)
    if keys.isEmpty {
      Program.report("There is no secret of this service.")
      return .absent
    }
    var migration = AdapterMigration(
      serviceIdentifier: service, jsonDecoder: decoder, in: vault)
    for key in keys + Set(types.keys).subtracting(keys).sorted() {
      migration.convert(key, asJSON: types[key] ?? .unambiguous)
    }
    let report: AdapterMigrationReport
    if items.contains(where: { !$0.attributes.accessControl.flags.isEmpty }) {
      // The bar would be where the person is asked.
      let context = AuthenticationContext(
        reason: "Secrets that need you are to be converted.", reuse: .seconds(60))
      report = try await migration.run(
        authorizedBy: context, isDryRun: arguments.has(.dryRun))
    } else {
      report = try LongWork.perform("Migrating") { progress throws(SecretStoreError) in
        try migration.run(isDryRun: arguments.has(.dryRun), reporting: progress)
      }
    }
    for entry in report.entries {
      let identity = ItemIdentity.generic(service: service, account: entry.key)
      try Output.line("\(entry.outcome.text): \(identity.options)")
    }
    let isRefusing = report.entries.contains(where: \.outcome.isRefusal)
    return isRefusing && !arguments.has(.dryRun) ? .refused : .done
  }
}

extension Arguments {
  fileprivate func declaredTypes() throws(UsageError) -> [String: AdapterValueType] {
    var types: [String: AdapterValueType] = [:]
    for word in all(.type) {
      guard let (key, type) = Self.declaration(word) else {
        throw UsageError("--type needs KEY=TYPE, with one of the types that are listed below.")
      }
      if types.updateValue(type, forKey: key) != nil {
        throw UsageError("--type is given twice for the same key.")
      }
    }
    return types
  }

  /// A key and a type, parted by the first equals sign that has a type behind it, for keys may have some.
  private static func declaration(_ word: String) -> (String, AdapterValueType)? {
    for index in word.indices where word[index] == "=" {
      if let type = AdapterValueType(written: String(word[word.index(after: index)...])) {
        return (String(word[..<index]), type)
      }
    }
    return nil
  }

  fileprivate func decoderOfDates() throws(UsageError) -> JSONDecoder {
    let decoder = JSONDecoder()
    switch self[.dates] {
    case nil: break
    case "iso8601": decoder.dateDecodingStrategy = .iso8601
    case "seconds": decoder.dateDecodingStrategy = .secondsSince1970
    case "milliseconds": decoder.dateDecodingStrategy = .millisecondsSince1970
    default: throw UsageError("--dates needs iso8601, seconds or milliseconds.")
    }
    return decoder
  }
}

extension AdapterMigrationReport.Outcome {
  fileprivate var isRefusal: Bool {
    switch self {
    case .conflict, .undeclared, .refused: true
    case .converted, .alreadyConverted, .native, .absent: false
    }
  }

  fileprivate var text: String {
    switch self {
    case .converted: "converted"
    case .alreadyConverted: "converted before"
    case .native: "kept as it is here (it is not JSON)"
    case .absent: "absent"
    case .conflict: "refused (It was changed after an interrupted run had prepared it.)"
    case .undeclared: "refused (It was added meanwhile. Start it again.)"
    case .refused(let reason): "refused (\(reason))"
    }
  }
}
