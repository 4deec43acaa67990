import TestSupport

// Random numbers, bytes, choices and arrays.
extension SeededGenerator {
  mutating func number(_ range: Range<Int>) -> Int { .random(in: range, using: &self) }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  mutating func one<Element>(of choices: [Element]) -> Element {
    choices.randomElement(using: &self)!
  }

  /// Returns true once in `times` calls on average.
  mutating func once(in times: Int) -> Bool { number(0..<times) == 0 }

  mutating func array<Element>(
    upTo limit: Int, _ element: (inout SeededGenerator) -> Element
  ) -> [Element] {
    (0..<number(0..<limit + 1)).map { _ in element(&self) }
  }
}
