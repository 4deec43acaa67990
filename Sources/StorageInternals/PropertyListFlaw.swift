/// Why a property list is not given to a decoder, which trusts it more than a stranger's bytes
/// deserve.
package enum PropertyListFlaw: Error {
  case damaged
  case tooDeep
  case tooManyValues
  case tooLarge

  /// How much of a property list a decoder is to be trusted with.
  package struct Limits: Sendable {
    /// How many containers may be inside of each other.
    package let depth: Int
    /// How many values there may be.
    package let values: Int
    /// How many bytes they may have together, in the binary form.
    package let size: Int

    package init(depth: Int = .max, values: Int, size: Int = .max) {
      (self.depth, self.values, self.size) = (depth, values, size)
    }
  }
}
