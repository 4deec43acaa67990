import CipherSupport
import Concurrency
import Testing

@testable import SecretStorage

struct ScryptCalibrationTests {
  /// A cipher whose work alone advances its clock.
  private final class Machine: ForwardingCipher {
    let cipher = TestCipher()
    private let state = Lock((now: ContinuousClock.now, costs: [ScryptCost]()))
    private let durations: @Sendable (Int) -> Duration?

    /// The closure returns scrypt's duration for a binary logarithm of N; nil simulates a lack of
    /// memory.
    init(_ durations: @escaping @Sendable (Int) -> Duration?) {
      self.durations = durations
    }

    var now: ContinuousClock.Instant { state.withLock { $0.now } }
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
    (60, 17), (84, 16), (90, 16), (160, 16), (170, 15), (333, 15), (334, 14), (500, 14),
    (9000, 14),
  ])
  func nearestCostIsChosen(_ milliseconds: Int, _ logarithm: UInt8) throws {
    let cost = try calibrated(to: .milliseconds(500)) { .milliseconds(milliseconds << ($0 - 14)) }
    #expect(cost == ScryptCost(logarithmicCost: logarithm, blockSize: 8, parallelization: 1))
    #expect(cost.isAllowed)
  }

  @Test func costFitsIntoMemoryAndTarget() throws {
    let cost = try calibrated(to: .seconds(5)) { $0 > 16 ? nil : .milliseconds(10) }
    #expect(cost.logarithmicCost == 16)
    #expect(throws: SecretStoreError.unavailable("There is not enough memory.")) {
      try calibrated(to: .seconds(5)) { _ in nil }
    }
    // Beyond the size of the caches, doubling N more than doubles the time.
    let slow = try calibrated(to: .milliseconds(500)) {
      $0 == 14 ? .milliseconds(300) : .seconds(3)
    }
    #expect(slow.logarithmicCost == 14)
    // A clock may stand still.
    #expect(try calibrated(to: .milliseconds(500)) { _ in .zero }.logarithmicCost == 20)
  }

  @Test func defaultDurationIsMeasuredOnce() throws {
    let machine = Machine { _ in .zero }
    let first = try ScryptCost.calibrated(cipher: machine)
    let count = machine.costs.count
    #expect(count > 1)
    #expect(try ScryptCost.calibrated(to: .milliseconds(500), cipher: machine) == first)
    #expect(machine.costs.count == count)
    _ = try ScryptCost.calibrated(to: .nanoseconds(1), cipher: machine)
    #expect(machine.costs.count > count)
  }

  @Test func slotHasTheCalibratedCostByDefault() throws {
    let vault = TestVault()
    let object = vault.open()
    let slot = try object.addSlot(.passphrase("p"), named: "p")
    guard case .passphrase(let cost) = slot.kind else { throw NothingThrown() }
    #expect(cost.blockSize == 8 && cost.parallelization == 1)
    #expect((14...20).contains(cost.logarithmicCost))
    try object.changePassphrase(from: "p", to: "q")
    #expect(try object.slots.last?.kind == slot.kind)
    try object.setPassphrase("r")
    #expect(try object.slots.map(\.kind) == [slot.kind])
    try vault.open().unlock(with: .passphrase("r"))
  }
}
