/// A random number generator whose sequence depends only on its seed.
struct SplitMix64: RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64

  init(seed: UInt64 = .random(in: 0 ... .max)) {
    self.seed = seed
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  mutating func number(_ range: Range<Int>) -> Int { .random(in: range, using: &self) }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  mutating func one<Element>(of choices: [Element]) -> Element {
    choices.randomElement(using: &self)!
  }

  /// Returns true once in `times` calls on average.
  mutating func once(in times: Int) -> Bool { number(0..<times) == 0 }

  mutating func array<Element>(
    upTo limit: Int, _ element: (inout SplitMix64) -> Element
  ) -> [Element] {
    (0..<number(0..<limit + 1)).map { _ in element(&self) }
  }
}
