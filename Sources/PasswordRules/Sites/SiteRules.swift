/// The password rules of sites that do not publish their own, by host.
///
/// The format is that of `quirks/password-rules.json` in apple/password-manager-resources: an
/// object with hosts as keys and `{"password-rules": "…"}` as values. Any decoder can decode it:
///
/// ```swift
/// let sites = try JSONDecoder().decode(SiteRules.self, from: Data(contentsOf: file))
/// let rules = sites.rules(for: "login.example.com")
/// ```
public struct SiteRules: Sendable {
  private var entries: [String: (rules: PasswordRuleSet, isExact: Bool)] = [:]
  /// The hosts with invalid entries, sorted by name, each with the reason.
  public private(set) var malformed: [(host: String, reason: String)] = []

  /// The hosts with rules, in an unspecified order.
  public var hosts: some Collection<String> { entries.keys }

  /// Returns the rules for a host such as `login.example.com`, or nil if there are none.
  ///
  /// If the host has no rules, those of the nearest parent domain apply, unless they are restricted
  /// to that domain itself. Case and a trailing dot are ignored.
  public func rules(for host: String) -> PasswordRuleSet? {
    let labels = Self.normalized(host).split(separator: ".", omittingEmptySubsequences: false)
    for first in labels.indices {
      let entry = entries[labels[first...].joined(separator: ".")]
      if let entry, first == 0 || !entry.isExact { return entry.rules }
    }
    return nil
  }

  private static func normalized(_ host: String) -> String {
    let host = host.lowercased()
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }
}

extension SiteRules: Decodable {
  private struct Value: Decodable {
    let descriptor: String
    let isExact: Bool?

    enum CodingKeys: String, CodingKey {
      case descriptor = "password-rules"
      case isExact = "exact-domain-match-only"
    }
  }

  private struct Entry: Decodable {
    let value: Value?

    init(from decoder: any Decoder) { value = try? Value(from: decoder) }
  }

  /// Decodes all valid entries, and lists the others in ``malformed``.
  ///
  /// - Throws: The error of the decoder if the top level is not an object.
  public init(from decoder: any Decoder) throws {
    for (host, entry) in try [String: Entry](from: decoder).sorted(by: { $0.key < $1.key }) {
      let name = Self.normalized(host)
      do {
        if entries[name] != nil {
          malformed.append((host, "An earlier entry is for the same host."))
        } else if let value = entry.value {
          entries[name] = (try PasswordRuleSet(value.descriptor), value.isExact ?? false)
        } else {
          let reason =
            "`password-rules` is not a string, or `exact-domain-match-only` is not a Boolean."
          malformed.append((host, reason))
        }
      } catch let error as PasswordRulesError {
        malformed.append((host, error.description))
      }
    }
  }
}
