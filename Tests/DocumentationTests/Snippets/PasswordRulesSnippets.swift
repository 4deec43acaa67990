import FoundationEssentials
import PasswordRules
import SecretStorage
import Testing

/// The code of the overview of `PasswordRules`.
struct PasswordRulesSnippets {
  struct Account {
    @InternetPassword(server: "example.com", account: "peter") var password: String?
  }

  @Test func overview() throws {
    let rules: PasswordRuleSet = [.required(.upper), .required(.lower, .digits), .minLength(20)]
    let same = try PasswordRuleSet("required: upper; required: lower, digit; minlength: 20;")
    #expect(rules == same)

    print(rules.descriptor)
    print(rules.descriptor(for: .compatible))
    print(rules.htmlAttribute)  // escaped

    let report = rules.check("Tapqof")
    for check in report.checks {
      print(check.rule, check.state, check.violations)
    }
    print(report.shortestCompletion ?? -1)  // 14
    #expect(report.shortestCompletion == 14)

    let (read, warnings) = try PasswordRuleSet.parse("required: digit; allowed: [a-z];")
    print(read, warnings)
    #expect(warnings.map(\.replacement) == ["lower"])
  }

  @Test func olderMeaning() throws {
    let written = try PasswordRuleSet("max-consecutive: 2;")
    print(written.isSatisfied(by: "abc"))  // false
    print(written.withOlderMaxConsecutive.isSatisfied(by: "abc"))  // true
    #expect(!written.isSatisfied(by: "abc"))
    #expect(written.withOlderMaxConsecutive.isSatisfied(by: "abc"))
  }

  @Test func generating() throws {
    let isAccepted = true
    let rules = PasswordRuleSet([.required(.upper)])
    try SecretStores.withDefaultStore(InMemorySecretStore()) {
      let generator = try PasswordGenerator(rules)
      let offer = generator.password()
      print(offer)
      if isAccepted { Account().password = offer }
      #expect(Account().password == offer)
    }
  }

  @Test func comparing() throws {
    let old = try PasswordRuleSet("allowed: lower, digit; maxlength: 20;")
    let new = try PasswordRuleSet("required: digit; allowed: lower; maxlength: 16;")
    let comparison = try new.compared(to: old)
    print(comparison.relation)  // stricter
    print(comparison.onlySecond ?? "")  // a password that only the old ones accept
    print(comparison.differences.map(\.description).joined(separator: "; "))
    let both = try PasswordRuleSet(merging: [old, new])
    #expect(comparison.relation == .stricter && both.maxLength == 16)
  }

  @Test func sites() throws {
    let file = Data(#"{"example.com": {"password-rules": "minlength: 8;"}, "a.test": 1}"#.utf8)
    let sites = try JSONDecoder().decode(SiteRules.self, from: file)
    print(sites.rules(for: "login.example.com") ?? [])  // those of example.com
    for entry in sites.malformed { print(entry.host, entry.reason) }
    #expect(sites.rules(for: "login.example.com")?.minLength == 8)
    #expect(sites.malformed.map(\.host) == ["a.test"])
  }
}
