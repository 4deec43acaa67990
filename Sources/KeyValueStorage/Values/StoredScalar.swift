/// A type of a single value that every container has a method of its own for.
protocol StoredScalar: Codable {
  var tree: ValueTree { get }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem)
}

extension Bool: StoredScalar {
  var tree: ValueTree { .bool(self) }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    guard case .bool(let value) = tree else { throw tree.isNot(.boolean) }
    self = value
  }
}

extension String: StoredScalar {
  var tree: ValueTree { .string(self) }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    guard case .string(let value) = tree else { throw tree.isNot(.text) }
    self = value
  }
}

extension Double: StoredScalar {
  var tree: ValueTree { .number(.real(self)) }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    self = try tree.real(\.double)
  }
}

extension Float: StoredScalar {
  var tree: ValueTree { .number(.float(self)) }

  init(_ tree: ValueTree) throws(TreeCodingError.Problem) {
    self = try tree.real(\.float)
  }
}

extension ValueTree {
  fileprivate func real<Real: FloatingPoint & LosslessStringConvertible>(
    _ nearest: (StoredNumber) -> Real?
  ) throws(TreeCodingError.Problem) -> Real {
    switch self {
    case .number(let number):
      guard let value = nearest(number) else { throw .outOfRange(type: "\(Real.self)") }
      return value
    case .string(let text):
      guard let value: Real = text.nonFinite() else { throw isNot(.number) }
      return value
    default: throw isNot(.number)
    }
  }

  func isNot(_ expected: TreeCodingError.Kind) -> TreeCodingError.Problem {
    .wrongType(expected: expected, found: TreeCodingError.Kind(of: self))
  }
}
