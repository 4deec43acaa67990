import TestSupport
import Testing

@testable import SecretStorage

/// Power failures at every moment of a vault's work on its files, on a modelled disk.
struct VaultPowerFailureTests {
  /// The work during the power failure.
  enum Scenario: CaseIterable {
    case creation, recreation, writing, compaction, rotation, passphrase, removal, export, `import`,
      repair
  }

  @Test func acknowledgedWritesOutlastAPowerFailure() async {
    // In a separate process, because the failure handler is global.
    await #expect(processExitsWith: .success) {
      SecretStores.onFailure = { _ in }
      recordingErrors {
        for (number, scenario) in Scenario.allCases.enumerated() {
          for seed in 0..<Campaign.size(sample: 1, full: 6) {
            let campaign = try PowerFailureCampaign(
              scenario, hasNamelessFiles: (number + seed) % 2 == 0)
            var generator = Campaign.generator(seed)
            try campaign.cutAfterEachStep(using: &generator)
            for _ in 0..<Campaign.size(sample: 4, full: 500) {
              try campaign.cut(using: &generator)
            }
          }
        }
      }
    }
  }
}
