import FoundationEssentials
import KeychainCompatibility
import SecretStorage
import ValueFormats

extension Option {
  fileprivate static let type = Option(
    "type", "KEY=TYPE", "the type of a key's JSON; repeatable", isRepeatable: true)
  fileprivate static let dates = Option(
    "dates", "FORMAT", "the format of dates: iso8601, seconds or milliseconds; see below")
}

extension Command {
  static let migrateAdapters = Command(
    name: "migrate adapters",
    summary: "Converts the secrets that adapters of FTPropertyWrappers 0.x stored as JSON.",
    options: [.service, .type, .dates, .dryRun] + Option.openVault,
    notes: """
      --service is the adapter's serviceIdentifier; that of .defaultDomain is the app's identifier with
      the suffix .securedomain.default. Each secret is converted to the format of @GenericPassword and
      read back before the copy of the original is removed. No secret is converted twice.

      JSON has fewer types than Swift. A value of ambiguous type is not converted until --type
      declares it:
        string, boolean, integer, double, float, data, date, url
        enum                an enumeration with raw values, or a UUID
        plain               only strings, Booleans and numbers, including those in containers
        '["data"]'          an array of values of one type
        '{"born": "date"}'  a structure or dictionary, with the types of its ambiguous members
      An enumeration that is not declared is converted as its raw value. By default, dates are seconds
      since 2001; --dates selects ISO 8601 strings, or seconds or milliseconds since 1970.

      Each line contains the outcome for a secret, and the options that select it. The exit status is 1
      if a secret was refused.
      """
  ) { arguments in
    guard let service = arguments[.service], !service.isEmpty else {
      throw UsageError("Specify the adapter's serviceIdentifier with --service.")
    }
    let types = try arguments.declaredTypes()
    let decoder = try arguments.jsonDecoder()
    let vault = try await arguments.unlockedVault()
    let items = try vault.items(matching: .matching(.generic(service: service)))
    let keys = items.compactMap(\.identity.account)
    if keys.isEmpty { throw Failure("The service has no secrets.", status: .absent) }
    var migration = AdapterMigration(serviceIdentifier: service, jsonDecoder: decoder, in: vault)
    for key in keys + Set(types.keys).subtracting(keys).sorted() {
      migration.convert(key, asJSON: types[key] ?? .unambiguous)
    }
    let report: ImportReport
    if items.contains(where: { !$0.attributes.accessControl.flags.isEmpty }) {
      // A progress bar would overwrite the prompts.
      let context = AuthenticationContext(
        reason: "The command locket converts protected secrets.", reuse: .seconds(60))
      report = try await migration.run(authorizedBy: context, isDryRun: arguments.has(.dryRun))
    } else {
      report = try LongOperation.perform("Migrating") { progress in
        try migration.run(isDryRun: arguments.has(.dryRun), reporting: progress)
      }
    }
    for entry in report.entries {
      let outcome =
        entry.outcome == .identical ? "already converted" : entry.outcome.text(replacing: false)
      try Output.line("\(outcome): \(entry.identity.options)")
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
        throw UsageError("--type needs KEY=TYPE, with one of the types below.")
      }
      if types.updateValue(type, forKey: key) != nil {
        throw UsageError("--type was given twice for the same key.")
      }
    }
    return types
  }

  /// Parses a key and a type, which the first equals sign before a type separates; keys may contain
  /// equals signs.
  private static func declaration(_ word: String) -> (String, AdapterValueType)? {
    for index in word.indices where word[index] == "=" {
      if let type = AdapterValueType(parsing: String(word[word.index(after: index)...])) {
        return (String(word[..<index]), type)
      }
    }
    return nil
  }

  fileprivate func jsonDecoder() throws(UsageError) -> JSONDecoder {
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

extension AdapterValueType {
  private static let named: [String: AdapterValueType] = [
    "string": .string, "boolean": .boolean, "integer": .integer, "double": .double,
    "float": .float, "data": .data, "date": .date, "url": .url, "enum": .rawValue, "plain": .plain,
  ]

  /// Parses the name of a type, or JSON with such names; returns nil for other text.
  init?(parsing text: String) {
    if let type = Self.named[text] {
      self = type
      return
    }
    guard text.hasPrefix("[") || text.hasPrefix("{") else { return nil }
    do throws(FormatError) {
      self.init(try JSONFormat(.plain).decode(ArraySlice(text.utf8)))
    } catch {
      return nil
    }
  }

  private init?(_ tree: ValueTree) {
    switch tree {
    case .string(let name):
      guard let type = Self.named[name] else { return nil }
      self = type
    case .array(let elements):
      guard elements.count == 1, let type = AdapterValueType(elements[0]) else { return nil }
      self = .array(of: type)
    case .dictionary(let members):
      var types: [String: AdapterValueType] = [:]
      for member in members {
        guard let type = AdapterValueType(member.value) else { return nil }
        types[member.key.string] = type
      }
      guard types.count == members.count else { return nil }
      self = .object(types)
    default: return nil
    }
  }
}
