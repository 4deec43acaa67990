import Concurrency
import Testing

@testable import SecretStorage

struct ScryptCalibrationTests {
  /// A cipher whose work alone advances its clock.
  private final class Machine: SecretCipher {
    private let state = Lock((now: Duration.zero, costs: [ScryptCost]()))
    private let durations: @Sendable (Int) -> Duration?

    /// The closure returns scrypt's duration for a binary logarithm of N; nil simulates a lack of
    /// memory.
    init(_ durations: @escaping @Sendable (Int) -> Duration?) {
      self.durations = durations
    }

    var now: Duration { state.withLock { $0.now } }
    var costs: [ScryptCost] { state.withLock { $0.costs } }

    func stretch(
      _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
    ) throws(SecretStoreError) -> Secret {
      guard let duration = durations(Int(cost.logarithmicCost)) else {
        throw .unavailable("There is not enough memory.")
      }
      state.withLock { state in
        state.costs.append(cost)
        state.now += duration
      }
      return Secret([UInt8](repeating: 0, count: 32))
    }

    func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] { [] }

    func deriveKey(
      from key: Secret, salt: ArraySlice<UInt8>, purpose: String
    ) throws(SecretStoreError) -> Secret { key }

    func seal(
      _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
    ) throws(SecretStoreError) -> [UInt8] { [] }

    func open(
      _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
    ) throws(SecretStoreError) -> Secret { key }

    func eraseKeys() {}
  }

  private func calibrated(
    to target: Duration, _ durations: @escaping @Sendable (Int) -> Duration?
  ) throws(SecretStoreError) -> ScryptCost {
    let machine = Machine(durations)
    return try .calibrated(to: target, cipher: machine) { machine.now }
  }

  /// scrypt's duration with N = 2^14, in milliseconds, and the logarithm closest to 500 ms.
  @Test(arguments: [
    (1, 20), (7, 20), (15, 19), (16, 19), (20, 19), (22, 18), (31, 18), (40, 18), (43, 17),
    (60, 17),
    (84, 16), (90, 16), (160, 16), (170, 15), (333, 15), (334, 14), (500, 14), (9000, 14),
  ])
  func nearestCostIsChosen(_ milliseconds: Int, _ logarithm: UInt8) throws {
    let cost = try calibrated(to: .milliseconds(500)) { .milliseconds(milliseconds << ($0 - 14)) }
    #expect(
      cost == ScryptCost(logarithmicCost: logarithm, blockSize: 8, parallelization: 1))
    #expect(cost.isSufficient && cost.isAffordable)
  }

  @Test func memoryThatIsNotThereIsNotAskedFor() throws {
    let cost = try calibrated(to: .seconds(5)) { $0 > 16 ? nil : .milliseconds(10) }
    #expect(cost.logarithmicCost == 16)
    #expect(throws: SecretStoreError.unavailable("There is not enough memory.")) {
      try calibrated(to: .seconds(5)) { _ in nil }
    }
  }

  @Test func costThatTurnsOutTooHighIsNotChosen() throws {
    // Beyond the size of the caches, doubling N more than doubles the time.
    let cost = try calibrated(to: .milliseconds(500)) {
      $0 == 14 ? .milliseconds(300) : .seconds(3)
    }
    #expect(cost.logarithmicCost == 14)
  }

  @Test func clockThatStandsStillGivesTheHighestCost() throws {
    #expect(try calibrated(to: .milliseconds(500)) { _ in .zero }.logarithmicCost == 20)
  }

  @Test func usualDurationIsMeasuredOnce() throws {
    let machine = Machine { _ in .zero }
    let first = try ScryptCost.calibrated(cipher: machine)
    let count = machine.costs.count
    #expect(count > 1)
    #expect(try ScryptCost.calibrated(to: .milliseconds(500), cipher: machine) == first)
    #expect(machine.costs.count == count)
    _ = try ScryptCost.calibrated(to: .nanoseconds(1), cipher: machine)
    #expect(machine.costs.count > count)
  }

  @Test func slotWithoutACostHasTheCalibratedOne() throws {
    let vault = TestVault()
    let object = vault.open()
    let slot = try object.addSlot(.passphrase(Secret("p".utf8)), named: "p")
    guard case .passphrase(.scrypt(let cost)) = slot.kind else { throw NothingThrown() }
    #expect(cost.blockSize == 8 && cost.parallelization == 1)
    #expect((14...20).contains(cost.logarithmicCost))
    try object.changePassphrase(from: Secret("p".utf8), to: Secret("q".utf8))
    #expect(try object.slots.last?.kind == slot.kind)
    try object.setPassphrase(Secret("r".utf8))
    #expect(try object.slots.map(\.kind) == [slot.kind])
    try vault.open().unlock(with: .passphrase(Secret("r".utf8)))
  }
}
