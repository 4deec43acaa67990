import TestSupport
import Testing

@testable import SecretStorage

/// Power failures at every moment of a vault's work on its files, on a modelled disk.
struct VaultPowerFailureTests {
  /// The work during the power failure.
  enum Scenario: String, CaseIterable, Codable, Sendable {
    case creation, recreation, writing, compaction, rotation, passphrase, removal, export, `import`,
      repair
  }

  @Test(arguments: Scenario.allCases)
  func acknowledgedWritesOutlastAPowerFailure(_ scenario: Scenario) async {
    // In a separate process, because the failure handler is global.
    await #expect(processExitsWith: .success) { [scenario = scenario as Scenario] in
      SecretStores.onFailure = { _ in }
      let rounds = Campaign.size(sample: 8, full: 500)
      for seed in 0..<UInt64(Campaign.size(sample: 2, full: 6)) {
        let campaign = try PowerFailureCampaign(scenario, hasNamelessFiles: seed % 2 == 0)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<rounds { try campaign.cut(using: &generator) }
      }
    }
  }
}
