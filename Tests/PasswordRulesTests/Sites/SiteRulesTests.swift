import FoundationEssentials
import TestSupport
import Testing

@testable import PasswordRules

struct SiteRulesTests {
  private static let text = """
    {
      "example.com": {"password-rules": "minlength: 8;"},
      "a.example.com": {"password-rules": "minlength: 9;"},
      "only.test": {"password-rules": "minlength: 10;", "exact-domain-match-only": true},
      "broken.test": {"password-rules": "minlength; 8"},
      "empty.test": {},
      "exact.test": {"password-rules": "minlength: 9;", "exact-domain-match-only": 1},
      "number.test": 7,
      "twice.TEST": {"password-rules": "minlength: 11;"},
      "twice.test": {"password-rules": "minlength: 12;"}
    }
    """

  @Test(
    arguments: [
      ("example.com", 8), ("EXAMPLE.com.", 8), ("login.example.com", 8), ("x.a.example.com", 9),
      ("only.test", 10), ("www.only.test", nil), ("com", nil), ("", nil), ("myexample.com", nil),
      ("twice.test", 11),
    ] as [(String, Int?)])
  func nearestParentDomainApplies(host: String, minLength: Int?) throws {
    let sites = try JSONDecoder().decode(SiteRules.self, from: Data(Self.text.utf8))
    #expect(sites.rules(for: host)?.minLength == minLength)
  }

  @Test func malformedEntriesAreListed() throws {
    let sites = try JSONDecoder().decode(SiteRules.self, from: Data(Self.text.utf8))
    #expect(sites.hosts.count == 4)
    #expect(
      sites.malformed.map(\.host)
        == ["broken.test", "empty.test", "exact.test", "number.test", "twice.test"])
    #expect(sites.malformed[2].reason.contains("exact-domain-match-only"))
    #expect(sites.malformed[0].reason.hasPrefix("At character 10: Expected `:`"))
  }

  @Test(.enabled(if: SharedData.isAvailable, "the rules of real sites are not on this machine"))
  func rulesOfRealSitesAreSupported() throws {
    let sites = try JSONDecoder().decode(
      SiteRules.self, from: SharedData.content(of: "quirks.json"))
    #expect(sites.hosts.count == 434)
    #expect(sites.malformed.isEmpty)
    for host in sites.hosts {
      let rules = try #require(sites.rules(for: host))
      #expect(try PasswordRuleSet(rules.descriptor) == rules)
    }
  }
}
