/// Random numbers that come again for the same seed.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  mutating func one<Element>(of choices: [Element]) -> Element {
    choices.randomElement(using: &self)!
  }

  /// True once in so many times.
  mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }

  mutating func array<Element>(
    upTo limit: Int, _ element: (inout SplitMix64) -> Element
  ) -> [Element] {
    let count = Int.random(in: 0...limit, using: &self)
    return (0..<count).map { _ in element(&self) }
  }
}
