import TestSupport
import Testing

@testable import ValueFormats

struct TreeCodingCampaign {
  @Test func anyValueComesBackExactly() throws {
    for seed in 0..<UInt64(Campaign.size(sample: 1_000, full: 100_000)) {
      var random = SplitMix64(seed: seed)
      let value = RandomValue(using: &random)
      let tree = try TreeEncoder().encode(value)
      try #require(
        try TreeDecoder().decode(RandomValue.self, from: tree) == value, "seed \(seed)")
    }
  }

  /// No tree makes decoding trap, for any type.
  @Test func anyTreeIsDecodedOrRefused() throws {
    var decoded = 0
    for seed in 0..<UInt64(Campaign.size(sample: 1_000, full: 100_000)) {
      var random = SplitMix64(seed: seed)
      let tree = random.tree()
      decoded += self.decoded(RandomValue.self, tree) + self.decoded([String: Int?].self, tree)
      decoded += self.decoded([Double??].self, tree) + self.decoded(UInt128.self, tree)
      decoded += self.decoded(RandomRecord.self, tree) + self.decoded([Int: String].self, tree)
    }
    #expect(decoded > 100)
  }

  private func decoded(_ type: (some Decodable).Type, _ tree: ValueTree) -> Int {
    do {
      _ = try TreeDecoder().decode(type, from: tree)
      return 1
    } catch {
      #expect(!error.reason.isEmpty)
      return 0
    }
  }
}
