import TestSupport
import Testing

@testable import SecretStorage

/// Power cuts at every moment of what a vault does to its files, on a modelled disk.
struct VaultPowerCutTests {
  /// What a vault was doing when the power was cut.
  enum Scenario: String, CaseIterable, Codable, Sendable {
    case creation, recreation, writing, compaction, rotation, passphrase, removal, export, `import`,
      repair
  }

  @Test(arguments: Scenario.allCases)
  func acknowledgedWritesOutlastAPowerCut(_ scenario: Scenario) async {
    // In a process of its own, because the handler of failures is the whole process's.
    await #expect(processExitsWith: .success) { [scenario = scenario as Scenario] in
      SecretStorage.onFailure = { _ in }
      let rounds = Campaign.size(sample: 8, full: 500)
      for seed in 0..<UInt64(Campaign.size(sample: 2, full: 6)) {
        let campaign = try PowerCutCampaign(scenario, hasNamelessFiles: seed % 2 == 0)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<rounds { try campaign.cut(using: &generator) }
      }
    }
  }
}
