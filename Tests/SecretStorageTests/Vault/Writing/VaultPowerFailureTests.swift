import TestSupport
import Testing

@testable import SecretStorage

/// Power failures at every moment of a vault's work on its files, on a modelled disk.
struct VaultPowerFailureTests {
  /// The work during the power failure.
  enum Scenario: Int, CaseIterable {
    case creation, recreation, writing, compaction, rotation, passphrase, removal, export, `import`,
      repair
  }

  @Test(arguments: Scenario.allCases)
  func acknowledgedWritesOutlastAPowerFailure(_ scenario: Scenario) throws {
    for seed in 0..<Campaign.size(sample: 1, full: 6) {
      let campaign = try PowerFailureCampaign(
        scenario, hasNamelessFiles: (scenario.rawValue + seed) % 2 == 0)
      var generator = Campaign.generator(seed)
      try campaign.cutAfterEachStep(using: &generator)
      for _ in 0..<Campaign.size(sample: 4, full: 500) { try campaign.cut(using: &generator) }
    }
  }
}
