import TestSupport
import Testing

struct VaultSlotKillCampaign {
  @Test func processKilledAnytimeLeavesOldOrNewSlots() throws {
    var generator = Campaign.generator()
    try VaultSlotKillTests.killProcesses(
      at: (0..<200).map { _ in
        (.random(in: 1...300, using: &generator), .random(in: 0..<60_000, using: &generator))
      })
  }
}
